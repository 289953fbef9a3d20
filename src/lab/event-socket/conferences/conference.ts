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
        ['Conference-Name', this.name],
        ['Conference-Size', String(this.members.size)],
        ['Conference-Ghosts', '0'],
        ['Conference-Profile-Name', 'default'],
        ['Conference-Unique-ID', this.#id],
        ...channel.headers('conference::maintenance', memberHeaders(member)),
        ...extra,
        ['Action', action],
      ],
    })
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
