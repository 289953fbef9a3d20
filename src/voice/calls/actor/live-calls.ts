import { withAbort } from '../../../platform/async/abort.js'
import { endedWithin } from '../../../platform/async/limit.js'
import type { Clock } from '../../../platform/clock.js'
import type { CallRecord } from '../../model/call-record.js'
import type { Leg } from '../../telephony/port.js'
import { CallActor } from './call-actor.js'

/** Maximum ring time, ms, even when a message was lost. */
const MAX_SETUP_MS = 15 * 60_000
/** Maximum queue time, ms. */
const MAX_WAIT_MS = 24 * 3_600_000
/** Interval of time limit checks, ms; a limit can be exceeded by it. */
const REAP_EVERY_MS = 1_000

/** Default maximum talk time, ms. */
export const USUAL_TALK_MS = 4 * 3_600_000

/** The calls that have not ended, each with its actor. */
export class LiveCalls {
  readonly #actors = new Map<string, CallActor>()
  readonly #waiting = new Set<() => void>()
  readonly #onEnded = new Map<string, Set<() => void>>()
  readonly #began = new WeakMap<CallActor, number>()
  /** The talk time of each call that was in a long Dial; others have the default. */
  readonly #talkTimes = new WeakMap<CallActor, TalkTime>()
  readonly #clock: Clock
  readonly #reaper: NodeJS.Timeout
  #isDraining = false

  constructor(clock: Clock) {
    this.#clock = clock
    this.#reaper = setInterval(() => {
      this.#reap()
    }, REAP_EVERY_MS).unref()
  }

  begin(call: CallRecord, deps: ConstructorParameters<typeof CallActor>[1]): CallActor {
    const actor = new CallActor(call, deps)
    this.#actors.set(call.sid, actor)
    this.#began.set(actor, this.#clock.monotonic())
    return actor
  }

  get(sid: string): CallActor | undefined {
    return this.#actors.get(sid)
  }

  get size(): number {
    return this.#actors.size
  }

  of(accountSid: string): readonly CallActor[] {
    return [...this.#actors.values()].filter(({ record }) => record.accountSid === accountSid)
  }

  /**
   * Allows these calls, or those of these legs, to talk for `limitMs` from now when that is longer than the
   * default. A call with a TimeLimit keeps it. The returned function restores the default.
   */
  letTalk(
    calls: readonly (Pick<Leg, 'id'> | Pick<CallRecord, 'sid'>)[],
    limitMs: number,
  ): () => void {
    if (limitMs <= USUAL_TALK_MS) return () => undefined
    const now = this.#clock.monotonic()
    const ends = [...this.#actors.values()]
      .filter((actor) =>
        calls.some((one) => ('sid' in one ? actor.record.sid === one.sid : actor.isOn(one))),
      )
      .map((actor) => this.#talkTimeOf(actor).beginLongDial(now, limitMs))
    return () => {
      for (const end of ends) end(this.#clock.monotonic())
    }
  }

  #talkTimeOf(actor: CallActor): TalkTime {
    const time = this.#talkTimes.get(actor) ?? new TalkTime()
    this.#talkTimes.set(actor, time)
    return time
  }

  /** Ends every call: another node has declared this one dead and reported their ends. */
  endTakenOver(): void {
    for (const actor of this.#actors.values()) actor.endTakenOver()
  }

  /** The sids of the accounts with live calls. */
  get accountSids(): ReadonlySet<string> {
    return new Set([...this.#actors.values()].map(({ record }) => record.accountSid))
  }

  ended(sid: string): void {
    this.#actors.delete(sid)
    for (const listener of this.#onEnded.get(sid) ?? []) listener()
    this.#onEnded.delete(sid)
    if (this.#actors.size > 0) return
    for (const wake of this.#waiting) wake()
  }

  /**
   * Calls `listener` once when the call ends, or at once when it has ended. The returned function
   * unsubscribes.
   */
  whenEnded(sid: string, listener: () => void): () => void {
    if (!this.#actors.has(sid)) {
      listener()
      return () => undefined
    }
    const listeners = this.#onEnded.get(sid) ?? new Set()
    this.#onEnded.set(sid, listeners.add(listener))
    return () => {
      listeners.delete(listener)
    }
  }

  /** Resolves when an end in progress is complete and stored, or after the limit. */
  async endUnderWay(sid: string, limitMs: number): Promise<void> {
    if (this.#actors.get(sid)?.isEnding !== true) return
    const ended = new Promise<void>((resolve) => {
      this.whenEnded(sid, resolve)
    })
    await endedWithin(ended, limitMs)
  }

  /** True when new calls are refused. */
  get isDraining(): boolean {
    return this.#isDraining
  }

  /** Refuses new calls. Resolves when no call is left, after the limit, or when `hurry` aborts. */
  drain(limitMs: number, hurry: AbortSignal): Promise<void> {
    this.#isDraining = true
    return endedWithin(withAbort(this.#whenEmpty(), hurry), limitMs)
  }

  async #whenEmpty(): Promise<void> {
    if (this.#actors.size === 0) return
    await new Promise<void>((resolve) => {
      this.#waiting.add(resolve)
    })
  }

  /** Hangs up every call. Resolves when all have ended, or after the limit. */
  async hangUpAll(limitMs: number): Promise<void> {
    this.#isDraining = true
    clearInterval(this.#reaper)
    const allEnded = this.#whenEmpty()
    await Promise.allSettled(
      [...this.#actors.values()].map((actor) => actor.dispatch({ type: 'hangup-requested' })),
    )
    await endedWithin(allEnded, limitMs)
  }

  #reap(): void {
    const now = this.#clock.monotonic()
    for (const actor of this.#actors.values()) {
      const { answeredAtMs, record } = actor
      const began = this.#began.get(actor) ?? now
      if (record.startedAt === undefined) {
        if (now - began > MAX_WAIT_MS) actor.fail('it waited too long for its turn')
        continue
      }
      const until =
        answeredAtMs === undefined
          ? began + record.queueMs + MAX_SETUP_MS
          : this.#talksUntil(actor, answeredAtMs)
      if (now > until) actor.endOverdue()
    }
  }

  #talksUntil(actor: CallActor, answeredAtMs: number): number {
    const { timeLimitSeconds } = actor.record.plan
    if (timeLimitSeconds !== undefined) return answeredAtMs + 1_000 * timeLimitSeconds
    return this.#talkTimes.get(actor)?.until(answeredAtMs) ?? answeredAtMs + USUAL_TALK_MS
  }
}

/**
 * The maximum talk time of a call without a TimeLimit: the default time, not counting its long Dials. A long
 * Dial has a timeLimit above the default. Otherwise, a document that continues after a Dial of five hours
 * would be cut off. Times are monotonic.
 */
export class TalkTime {
  /** The latest end of each long Dial that the call is in; an application that it dialled may dial too. */
  readonly #ends = new Map<symbol, number>()
  #since = 0
  #uncountedMs = 0

  /** Begins a long Dial. The returned function ends it. */
  beginLongDial(nowMs: number, limitMs: number): (nowMs: number) => void {
    const dial = Symbol('a long Dial')
    if (this.#ends.size === 0) this.#since = nowMs
    this.#ends.set(dial, nowMs + limitMs)
    return (endedMs) => {
      if (this.#ends.delete(dial) && this.#ends.size === 0)
        this.#uncountedMs += endedMs - this.#since
    }
  }

  /** Returns the time until which a call that was answered at `answeredMs` may talk. */
  until(answeredMs: number): number {
    const dialMs = Math.max(0, ...[...this.#ends.values()].map((end) => end - this.#since))
    return answeredMs + USUAL_TALK_MS + this.#uncountedMs + dialMs
  }
}
