/** Phones that send a key both in the audio stream and by INFO press it once. Pure. */
import type { Digit } from '../port.js'

export type KeyWay = 'audio' | 'info'

/** INFO comes when the key goes down, or up, and may be sent again by a busy path. */
const WINDOW_MS = 1_000
/** More presses of one way than anybody makes in a window: the oldest are forgotten. */
const MAX_PENDING = 32

interface Press {
  readonly digit: string
  readonly untilMs: number
}

export class KeyPresses {
  /** Reported, and not heard of by the other way yet. */
  readonly #pending: Readonly<Record<KeyWay, Press[]>> = { audio: [], info: [] }

  /** False when the other way brought this press already. */
  isNew({ digit, durationMs }: Digit, way: KeyWay, nowMs: number): boolean {
    const others = this.#pending[way === 'audio' ? 'info' : 'audio']
    // In the audio a key is known when it is let go: the other way may have told when it went down.
    const sinceMs = nowMs - (way === 'audio' ? durationMs : 0)
    while (others[0] !== undefined && others[0].untilMs < sinceMs) others.shift()
    const at = others.findIndex((press) => press.digit === digit)
    if (at !== -1) {
      others.splice(at, 1)
      return false
    }
    const own = this.#pending[way]
    own.push({ digit, untilMs: nowMs + WINDOW_MS })
    if (own.length > MAX_PENDING) own.shift()
    return true
  }
}
