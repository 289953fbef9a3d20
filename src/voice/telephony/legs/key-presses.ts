/** Counts a key once when the phone sends it both in RTP and by INFO. Pure. */
import type { Digit } from '../port.js'

export type KeyWay = 'audio' | 'info'

/** INFO comes when the key goes down, or up, and may be sent again by a busy path. */
const WINDOW_MS = 1_000
/** More presses than a person makes in the window; the oldest are forgotten. */
const MAX_PENDING = 32

interface Press {
  readonly digit: string
  readonly untilMs: number
}

export class KeyPresses {
  /** Presses that were reported and that the other way has not brought yet. */
  readonly #pending: Readonly<Record<KeyWay, Press[]>> = { audio: [], info: [] }

  /** False when the press was reported already, brought by the other way. */
  isNew({ digit, durationMs }: Digit, way: KeyWay, nowMs: number): boolean {
    const others = this.#pending[way === 'audio' ? 'info' : 'audio']
    // RTP events end when the key is let go; INFO may have come when it went down.
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
