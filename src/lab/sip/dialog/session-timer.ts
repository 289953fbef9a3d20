/**
 * Session timers (RFC 4028): they say who refreshes a session, and what happens when nobody does.
 */
import { parseDecimal } from '../../../platform/sip-grammar/characters.js'
import { getHeader, getListValues } from '../message/headers.js'
import type { SipMessage } from '../message/types.js'

export interface SessionInterval {
  readonly seconds: number
  /** The role of the refresher in the request that carries it; absent when the header leaves it open. */
  readonly refresher?: 'uac' | 'uas'
}

/** The shortest session interval that anybody may ask for (RFC 4028 §5). */
export const MIN_SESSION_SECONDS = 90
const MAX_SESSION_SECONDS = 86_400

/** The Session-Expires of a message, undefined when there is none that can be read. */
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
  /** Called when we are the refresher and half of the interval is over. */
  onRefresh(): void
  /** Called when the peer should have refreshed and did not: the session is over (RFC 4028 §10). */
  onExpired(): void
}

/** Runs at most one timer; arming again replaces it. */
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

  /**
   * Repeats a failed refresh of ours after so many milliseconds, unless the session is over then.
   */
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
