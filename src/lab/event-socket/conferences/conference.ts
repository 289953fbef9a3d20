import { randomUUID } from 'node:crypto'
import type { MediaRoom } from '../../media/types.js'
import type { Channel } from '../channel/channel.js'
import type { EventBus } from '../event-bus.js'

/** What the flags of the application ask for; a client changes it later by member number. */
export interface MemberVoice {
  speaks: boolean
  hears: boolean
}

export interface Member extends MemberVoice {
  readonly id: number
  readonly channel: Channel
  /** Ends the application that holds the member here. */
  readonly leave: () => void
}

/** One room with its members; they join and leave through `Conferences`. */
export class Conference {
  readonly name: string
  readonly room: MediaRoom
  readonly members = new Map<number, Member>()
  /** By path; each resolves when its file is complete. */
  readonly recordings = new Map<string, Promise<unknown>>()
  readonly #id = randomUUID()
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
  }

  remove(member: Member): void {
    this.members.delete(member.id)
    member.channel.leg.media.leaveRoom()
    this.tell('del-member', member)
  }

  applyVoice({ channel, speaks, hears }: MemberVoice & Pick<Member, 'channel'>): void {
    channel.leg.media.setRoomVoice({ speaks, hears })
  }

  tell(action: string, member: Member, extra: readonly (readonly [string, string])[] = []): void {
    const { channel } = member
    this.#bus.fire({
      name: 'CUSTOM',
      subclass: 'conference::maintenance',
      channel: channel.uuid,
      headers: () => [
        ...this.#headers(),
        ...channel.headers('conference::maintenance', memberHeaders(member)),
        ...extra,
        ['Action', action],
      ],
    })
  }

  /** Starts to write there what all say; `start-recording` tells how that went, not the answer. */
  record(path: string): void {
    const { started, ended } = this.room.record(path, { channels: 'mono' })
    this.recordings.set(path, ended)
    // What cannot begin ends in the same turn.
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

  /** Of no channel: only who listens to the whole server hears of it. */
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

function memberHeaders({ id, speaks, hears }: Member): [string, string][] {
  return [
    ['Video', 'false'],
    ['Hear', String(hears)],
    ['See', 'false'],
    ['Speak', String(speaks)],
    ['Talking', 'false'],
    ['Mute-Detect', 'false'],
    ['Hold', 'false'],
    ['Member-ID', String(id)],
    ['Member-Type', 'member'],
    ['Member-Ghost', 'false'],
  ]
}
