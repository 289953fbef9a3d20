import type { CallStatus } from '../model/call-record.js'
import type { ParticipantFacts } from './conference-callbacks.js'
import type { ConferenceRecord } from './conference-record.js'
import { type ParticipantView, statusOfInvited } from './participant-view.js'

/** A call that was made to join a room and has not joined it yet. */
export interface InvitedCall {
  readonly facts: ParticipantFacts
  readonly createdAt: number
  status(): Promise<CallStatus>
  hangUp(): void
}

/** A reserved place in a room. */
export interface Place {
  readonly label: string | undefined
  /** The call that the place is for; undefined before the call is made. */
  call: InvitedCall | undefined
}

/** The reserved places of one room. */
export class InvitedCalls {
  readonly #places = new Set<Place>()

  get labels(): readonly (string | undefined)[] {
    return [...this.#places].map(({ label }) => label)
  }

  get size(): number {
    return this.#places.size
  }

  keep(label: string | undefined): Place {
    const place: Place = { label, call: undefined }
    this.#places.add(place)
    return place
  }

  /** Frees a place; returns false when it was already free. */
  free(place: Place): boolean {
    return this.#places.delete(place)
  }

  /** Returns a place; `name` is the sid of a call or a label. */
  find(name: string): Place | undefined {
    return [...this.#places].find(
      ({ label, call }) => call !== undefined && (call.facts.callSid === name || label === name),
    )
  }

  async view(name: string, conference: ConferenceRecord): Promise<ParticipantView | undefined> {
    const call = this.find(name)?.call
    return call && viewOfInvited(call, await call.status(), conference)
  }

  views(conference: ConferenceRecord): Promise<readonly ParticipantView[]> {
    const calls = [...this.#places].flatMap(({ call }) => (call === undefined ? [] : [call]))
    return Promise.all(
      calls.map(async (call) => viewOfInvited(call, await call.status(), conference)),
    )
  }

  hangUpAll(): void {
    for (const { call } of this.#places) call?.hangUp()
  }
}

export function viewOfInvited(
  { facts, createdAt }: InvitedCall,
  status: CallStatus,
  { accountSid, sid }: ConferenceRecord,
): ParticipantView {
  return {
    ...facts,
    accountSid,
    conferenceSid: sid,
    status: statusOfInvited(status),
    createdAt,
    updatedAt: createdAt,
  }
}
