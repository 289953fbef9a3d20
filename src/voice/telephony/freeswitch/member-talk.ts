import type { RoomSeat } from '../leg-media.js'

type Listener = Parameters<RoomSeat['onTalking']>[0]

/**
 * The talk of a room's member, as starts and stops in turn. FreeSWITCH tells no stop when a talking
 * member is muted, and a second start when that one talks again.
 */
export class MemberTalk {
  readonly #listeners = new Set<Listener>()
  #isTalking = false
  #mayTalk: boolean

  constructor(mayTalk: boolean) {
    this.#mayTalk = mayTalk
  }

  /** Takes what the media server tells; a repetition and the talk of a muted member are ignored. */
  told(talking: 'started' | 'stopped'): void {
    const isTalking = talking === 'started'
    if (isTalking === this.#isTalking || (isTalking && !this.#mayTalk)) return
    this.#isTalking = isTalking
    for (const listener of [...this.#listeners]) listener(talking)
  }

  mayBegin(): void {
    this.#mayTalk = true
  }

  /** Ends the talk of a member that was muted. */
  mustEnd(): void {
    this.#mayTalk = false
    this.told('stopped')
  }

  /** Calls the listener at each start and stop, and at once while the member talks. */
  listen(listener: Listener): () => void {
    if (this.#isTalking) listener('started')
    this.#listeners.add(listener)
    return () => {
      this.#listeners.delete(listener)
    }
  }
}
