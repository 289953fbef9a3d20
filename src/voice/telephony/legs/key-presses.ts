/** Counts a key press once when the phone sends it both in RTP and by INFO. Pure. */
import type { Digit } from '../port.js'

export type KeyWay = 'audio' | 'info'

/**
 * The longest time between the two reports of one press. INFO is sent when the key goes down or up,
 * and may be sent again.
 */
const WINDOW_MS = 1_000
/**
 * The most presses that wait for their second report, more than a person makes in the window. The
 * oldest are forgotten.
 */
const MAX_PENDING = 32

interface Press {
  readonly digit: string
  readonly untilMs: number
}

export class KeyPresses {
  /** Presses that one way has reported and the other way has not yet. */
  readonly #pending: Readonly<Record<KeyWay, Press[]>> = { audio: [], info: [] }

  /** False when the other way has reported the press already. */
  isNew({ digit, durationMs }: Digit, way: KeyWay, nowMs: number): boolean {
    const others = this.#pending[way === 'audio' ? 'info' : 'audio']
    // RTP events end when the key is released; INFO may have come when the key went down.
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
