import type { Logger } from '../../../platform/log.js'
import type { MediaEngine } from '../../media/model/media-engine.js'
import type { Channel } from '../channel/channel.js'
import type { EventBus } from '../events/event-bus.js'
import { Conference, type Member, type MemberVoice } from './conference.js'

export interface ConferencesDeps {
  readonly engine: MediaEngine
  readonly bus: EventBus
  readonly log: Logger
}

/** The conferences by name: the first member opens a conference, the last one closes it. */
export class Conferences {
  readonly #deps: ConferencesDeps
  readonly #rooms = new Map<string, Conference>()
  #lastMember = 0

  constructor(deps: ConferencesDeps) {
    this.#deps = deps
  }

  find(name: string): Conference | undefined {
    return this.#rooms.get(name)
  }

  join(name: string, channel: Channel, voice: MemberVoice, leave: () => void): Member {
    const conference = this.#rooms.get(name) ?? this.#open(name)
    this.#lastMember += 1
    const member: Member = { id: this.#lastMember, channel, leave, ...voice }
    conference.add(member)
    return member
  }

  leave(name: string, member: Member): void {
    const conference = this.#rooms.get(name)
    if (conference === undefined) return
    conference.remove(member)
    if (conference.members.size > 0) return
    this.#rooms.delete(name)
    conference.room.close().catch((err: unknown) => {
      this.#deps.log.error({ err, conference: name }, 'could not close a room')
    })
  }

  #open(name: string): Conference {
    const { engine, bus, log } = this.#deps
    const room = engine.openRoom({
      onFailed: (err) => {
        log.error({ err, conference: name }, 'a room failed')
      },
    })
    const conference = new Conference(name, room, bus)
    this.#rooms.set(name, conference)
    return conference
  }
}
