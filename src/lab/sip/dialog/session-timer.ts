/** Session timers (RFC 4028): which side refreshes a session, and what happens without a refresh. */
import { parseDecimal } from '../../../platform/sip-grammar/characters.js'
import { getHeader, getListValues } from '../message/headers.js'
import type { SipMessage } from '../message/types.js'

export interface SessionInterval {
  readonly seconds: number
  /**
   * The refresher's role in the request that carries it; absent when the header does not specify
   * it.
   */
  readonly refresher?: 'uac' | 'uas'
}

/** Minimum session interval, seconds (RFC 4028 §5). */
export const MIN_SESSION_SECONDS = 90
const MAX_SESSION_SECONDS = 86_400

/** The Session-Expires of a message; undefined when it is missing or invalid. */
export function readSessionInterval(message: SipMessage): SessionInterval | undefined {
  const [secondsText = '', ...params] = (getHeader(message, 'Session-Expires') ?? '').split(';')
  const seconds = parseDecimal(secondsText.trim(), 2 ** 31 - 1)
  if (seconds === undefined) return undefined
  const refresher = params
    .map((param) => /^refresher *= *(uac|uas)$/i.exec(param.trim())?.[1]?.toLowerCase())
    .find((role) => role !== undefined)
  const bounded = Math.min(seconds, MAX_SESSION_SECONDS)
  return refresher === 'uac' || refresher === 'uas'
    ? { seconds: bounded, refresher }
    : { seconds: bounded }
}

export function formatSessionInterval(interval: SessionInterval): string {
  return `${interval.seconds};refresher=${interval.refresher ?? 'uac'}`
}

export function supports(message: SipMessage, option: string): boolean {
  return ['Supported', 'Require'].some((name) =>
    getListValues(message, name).some((value) => value.toLowerCase() === option),
  )
}

export function requires(message: SipMessage, option: string): boolean {
  return getListValues(message, 'Require').some((value) => value.toLowerCase() === option)
}

export interface SessionTimerEvents {
  /** Called at half of the interval when we are the refresher. */
  onRefresh(): void
  /** Called when the peer did not refresh in time: the session has expired (RFC 4028 §10). */
  onExpired(): void
}

/** Runs at most one timer; a new one replaces it. */
export class SessionTimer {
  readonly #events: SessionTimerEvents
  #timer: NodeJS.Timeout | undefined
  #endsAtMs = 0
  #armed: { readonly seconds: number; readonly areWeRefresher: boolean } | undefined

  constructor(events: SessionTimerEvents) {
    this.#events = events
  }

  get armed(): { readonly seconds: number; readonly areWeRefresher: boolean } | undefined {
    return this.#armed
  }

  arm(seconds: number, areWeRefresher: boolean): void {
    this.clear()
    this.#armed = { seconds, areWeRefresher }
    this.#endsAtMs = performance.now() + seconds * 1_000
    const margin = Math.min(32, seconds / 3)
    const delaySeconds = areWeRefresher ? seconds / 2 : seconds - margin
    this.#timer = setTimeout(() => {
      if (areWeRefresher) this.#events.onRefresh()
      else this.#events.onExpired()
    }, delaySeconds * 1000)
  }

  /** Retries our failed refresh after this delay, ms, unless the session expires first. */
  refreshAgain(delayMs: number): void {
    if (this.#armed === undefined) return
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => {
      if (performance.now() < this.#endsAtMs) this.#events.onRefresh()
      else this.#events.onExpired()
    }, delayMs)
  }

  clear(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#armed = undefined
  }
}
