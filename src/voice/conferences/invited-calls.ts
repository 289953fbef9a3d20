import type { ParticipantFacts } from './conference-callbacks.js'
import type { ConferenceRecord } from './conference-record.js'
import type { ParticipantView } from './participant-view.js'

/** A call that was made for a room, and is not in it yet. */
export interface InvitedCall {
  readonly facts: ParticipantFacts
  readonly createdAt: number
  status(): Promise<ParticipantView['status']>
  hangUp(): void
}

/** Kept for somebody who is about to be called, or is. */
export interface Place {
  readonly label: string | undefined
  call: InvitedCall | undefined
}

/** The places of one room that are kept. */
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

  free(place: Place): void {
    this.#places.delete(place)
  }

  /** By its call's sid, or its label. */
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
  status: ParticipantView['status'],
  { accountSid, sid }: ConferenceRecord,
): ParticipantView {
  return { ...facts, accountSid, conferenceSid: sid, status, createdAt, updatedAt: createdAt }
}
