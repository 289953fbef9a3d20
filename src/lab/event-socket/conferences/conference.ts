import { randomUUID } from 'node:crypto'
import type { MediaRoom } from '../../media/model/media-endpoint.js'
import type { Channel } from '../channel/channel.js'
import type { EventBus } from '../events/event-bus.js'

/**
 * Silence after which a conference member counts as no longer talking, ms; FreeSWITCH's value (40 frames).
 */
const TALK_HANGOVER_MS = 800

/** Whether a member speaks and hears. The application's flags set it; commands change it by member number. */
export interface MemberVoice {
  speaks: boolean
  hears: boolean
}

export interface Member extends MemberVoice {
  readonly id: number
  readonly channel: Channel
  /** Ends the conference application, which removes the member. */
  readonly leave: () => void
}

/** Whether a member talks, and the function that stops watching it. */
interface MemberTalk {
  isLoud: boolean
  isTalking: boolean
  readonly forget: () => void
}

/** One conference with its members, who join and leave through `Conferences`. */
export class Conference {
  readonly name: string
  readonly room: MediaRoom
  readonly members = new Map<number, Member>()
  /** The recordings by path; each promise resolves when its file is complete. */
  readonly recordings = new Map<string, Promise<unknown>>()
  readonly #id = randomUUID()
  readonly #talks = new Map<number, MemberTalk>()
  readonly #bus: EventBus

  constructor(name: string, room: MediaRoom, bus: EventBus) {
    this.name = name
    this.room = room
    this.#bus = bus
  }

  add(member: Member): void {
    this.members.set(member.id, member)
    member.channel.leg.media.joinRoom(this.room)
    this.applyVoice(member)
    member.channel.variables.set('conference_member_id', String(member.id))
    this.tell('add-member', member)
    const talk = { isLoud: false, isTalking: false }
    const forget = member.channel.work.silence.follow(TALK_HANGOVER_MS, (isLoud) => {
      talk.isLoud = isLoud
      this.#tellTalk(member)
    })
    this.#talks.set(member.id, Object.assign(talk, { forget }))
  }

  remove(member: Member): void {
    this.#talks.get(member.id)?.forget()
    this.#talks.delete(member.id)
    this.members.delete(member.id)
    member.channel.leg.media.leaveRoom()
    this.tell('del-member', member)
  }

  applyVoice(member: Member): void {
    const { channel, speaks, hears } = member
    channel.leg.media.setRoomVoice({ speaks, hears })
    this.#tellTalk(member)
  }

  /** Fires an event when a member starts or stops talking. A muted member never counts as talking. */
  #tellTalk(member: Member): void {
    const talk = this.#talks.get(member.id)
    if (talk === undefined) return
    const isTalking = talk.isLoud && member.speaks
    if (talk.isTalking === isTalking) return
    talk.isTalking = isTalking
    this.tell(isTalking ? 'start-talking' : 'stop-talking', member)
  }

  tell(action: string, member: Member, extra: readonly (readonly [string, string])[] = []): void {
    const { channel } = member
    this.#bus.fire({
      name: 'CUSTOM',
      subclass: 'conference::maintenance',
      channel: channel.uuid,
      headers: () => [
        ...this.#headers(),
        ...channel.headers(
          'conference::maintenance',
          memberHeaders(member, this.#talks.get(member.id)?.isTalking === true),
        ),
        ...extra,
        ['Action', action],
      ],
    })
  }

  /** Starts recording all members to a file. The event `start-recording` reports success or failure. */
  record(path: string): void {
    const { started, ended } = this.room.record(path, { channels: 'mono' })
    this.recordings.set(path, ended)
    // A recording that cannot start ends within the same event-loop iteration.
    const begun = started.then(async () => {
      await new Promise<void>((resolve) => {
        setImmediate(resolve)
      })
      return undefined
    })
    const first = Promise.race([begun, ended]).then((end) => end?.error)
    const tellStart = (error: string | undefined) => {
      const extra = error === undefined ? [] : [['Error', error] as const]
      this.#tellOfRecording('start-recording', path, extra)
    }
    first.then(tellStart, (error: unknown) => {
      tellStart(String(error))
    })
    void Promise.allSettled([first, ended]).then(() => {
      this.recordings.delete(path)
      this.#tellOfRecording('stop-recording', path, [
        ['Other-Recordings', String(this.recordings.size > 0)],
      ])
    })
  }

  /** Fires an event that belongs to no channel; only clients without a channel filter receive it. */
  #tellOfRecording(
    action: string,
    path: string,
    extra: readonly (readonly [string, string])[],
  ): void {
    this.#bus.fire({
      name: 'CUSTOM',
      subclass: 'conference::maintenance',
      headers: () => [...this.#headers(), ['Action', action], ['Path', path], ...extra],
    })
  }

  #headers(): readonly (readonly [string, string])[] {
    return [
      ['Conference-Name', this.name],
      ['Conference-Size', String(this.members.size)],
      ['Conference-Ghosts', '0'],
      ['Conference-Profile-Name', 'default'],
      ['Conference-Unique-ID', this.#id],
    ]
  }
}

function memberHeaders({ id, speaks, hears }: Member, isTalking: boolean): [string, string][] {
  return [
    ['Video', 'false'],
    ['Hear', String(hears)],
    ['See', 'false'],
    ['Speak', String(speaks)],
    ['Talking', String(isTalking)],
    ['Mute-Detect', 'false'],
    ['Hold', 'false'],
    ['Member-ID', String(id)],
    ['Member-Type', 'member'],
    ['Member-Ghost', 'false'],
  ]
}
