import { SerialQueue } from '../../../platform/async/serial-queue.js'
import type { Logger } from '../../../platform/log.js'
import type { ErrorNumber } from '../../errors/error-catalogue.js'
import type { EventLog } from '../../events/event-log.js'
import type { MarkupEnd } from '../../markup/document.js'
import { CallNotInProgressError } from '../../model/call-errors.js'
import { type CallDocument, type CallPlan, planOfDocument } from '../../model/call-plan.js'
import type { CallRecord } from '../../model/call-record.js'
import type { WireParams } from '../../model/callback-params.js'
import { makerOfEnd, NO_ROUTE, statusOfRejection, warningOfEnd } from '../../model/outcome.js'
import type { DialRoute } from '../../routing/dial-route.js'
import { isForCarriers } from '../../routing/dial-routes.js'
import type { KeptMessage, Leg, LegEnd, LegEvents } from '../../telephony/port.js'
import type { CallRecorder } from '../call-recorder.js'
import type { CallCharging } from '../charging/call-charging.js'
import { SpendWatch, type SpendWatchDeps } from '../charging/spend-watch.js'
import type { DocumentRun, DocumentStart } from '../document-run.js'
import {
  type Call,
  type CallEffect,
  type CallEvent,
  isEnding,
  statusOf,
  step,
} from './call-machine.js'
import { CallDialogs, CallStore, type CallStoreDeps, CallTakenOverError } from './call-store.js'
import type { MachineVerdict } from './detect-machine.js'
import type { Dialer } from './dialer.js'
import { applyStep, callbacksOf, detectionCallbacksOf } from './step-record.js'

export interface ActorDeps extends CallStoreDeps {
  readonly log: Logger
  readonly events: EventLog
  readonly recorder: CallRecorder
  readonly dialer: Dialer
  readonly runDocument: (run: DocumentStart) => DocumentRun
  readonly charging: CallCharging
  /** Resolves with true when the whole SIP messages of the call are kept. */
  readonly keepsSipMessages: () => Promise<boolean>
  readonly finished: (sid: string) => void
}

/** Maximum time for a replaced document to fall silent before the next one starts, ms. */
const DOCUMENT_STOP_MS = 1_000
/** Error number of a call whose account was disabled. */
const ACCOUNT_NOT_ACTIVE = 20005
/** Error number of a call that has spent its account's balance. */
const INSUFFICIENT_BALANCE = 20402

const NOT_DIALLED: LegEnd = {
  cause: 'unreachable',
  sipStatus: 500,
  reason: 'the call could not be dialled',
}
const TAKEN_BACK: LegEnd = { cause: 'canceled', sipStatus: 487 }

/** Error number of an unusable drachtio or FreeSWITCH server. */
const SERVER_FAULT = 32013
/** Error number of a leg without audio, or with audio that its SDP does not name. */
const AUDIO_FAULT = 32014

const always = (): boolean => true

/** Owns one call: takes events one at a time, commits, then performs the effects in order. */
export class CallActor {
  readonly #deps: ActorDeps
  readonly #store: CallStore
  #call: Call
  readonly #dialogs: CallDialogs
  #leg: Leg | undefined
  #document: DocumentRun | undefined
  #spending: Disposable | undefined
  readonly #turns = new SerialQueue()

  constructor(record: CallRecord, deps: ActorDeps) {
    this.#deps = deps
    this.#store = new CallStore(record, deps)
    this.#dialogs = new CallDialogs(record.sid)
    this.#call = { state: record.direction === 'inbound' ? 'offered' : 'queued' }
  }

  get record(): CallRecord {
    return this.#store.record
  }

  /** The record for the API; a crash cannot undo anything in it. */
  get shown(): CallRecord {
    return this.#store.shown
  }

  /** True when the end of the call is in progress or complete. */
  get isEnding(): boolean {
    return isEnding(this.#call)
  }

  /** The monotonic time of the answer; undefined before the answer and after the end. */
  get answeredAtMs(): number | undefined {
    return 'answeredAtMs' in this.#call ? this.#call.answeredAtMs : undefined
  }

  /** The leg of a call in progress; undefined in every other state. */
  get talkingLeg(): Leg | undefined {
    return this.#call.state === 'in-progress' ? this.#leg : undefined
  }

  /** True when the call uses this leg, even while the answer is being stored. */
  isOn({ id }: Pick<Leg, 'id'>): boolean {
    return this.#leg?.id === id
  }

  /** Starts an outbound call; `queuedMs` is its time in the queue. */
  start(queuedMs = 0): Promise<void> {
    return this.dispatch({ type: 'dial-started', queuedMs })
  }

  /**
   * Accepts an inbound call: `accept` creates the leg with the actor's listeners, and the document starts.
   */
  offer(accept: (events: LegEvents) => Leg): Promise<void> {
    return this.#turns.run(async () => {
      this.#leg = accept(await this.#legEvents())
      this.#ring(this.#leg)
      this.#startDocument(this.record.plan.document)
    })
  }

  /**
   * Resolves once the event was committed and its effects have begun. Drops an event when `isWanted` is false
   * by the time it is handled.
   */
  dispatch(event: CallEvent, isWanted: () => boolean = always): Promise<void> {
    return this.#turns.run(() => this.#handleIf(isWanted, event))
  }

  /** Ends a call that has exceeded its time limit, unless it is already ending. */
  endOverdue(): void {
    if (isEnding(this.#call)) return
    const { state } = this.#call
    this.#deps.log.info({ ...this.#ids(), state }, 'ending a call that exceeded its time limit')
    this.#later({ type: 'hangup-requested' })
  }

  /** Ends the call because its account is no longer active. */
  endInactive(): void {
    this.#endFor({ code: ACCOUNT_NOT_ACTIVE, message: 'the account is not active' })
  }

  /** Ends the call because the balance is spent; it is billed for the paid time. */
  #endSpent(paidSeconds: number): void {
    const { terms } = this.record
    if (terms !== undefined) this.#store.note({ ...this.record, terms: { ...terms, paidSeconds } })
    this.#endFor({ code: INSUFFICIENT_BALANCE, message: 'the balance of the account is spent' })
  }

  /** Ends the call with an error in its event log, unless it is already ending. */
  #endFor(detail: { readonly code: ErrorNumber; readonly message: string }): void {
    if (isEnding(this.#call)) return
    this.#deps.events.append({ ...this.#ids(), kind: 'error', detail })
    this.#later({ type: 'hangup-requested' })
  }

  /** Ends the call because another node has declared this one dead and reported the call's end. */
  endTakenOver(): void {
    if (isEnding(this.#call)) return
    this.#deps.log.warn(this.#ids(), 'ending a call that another node has ended in the records')
    this.#later({ type: 'hangup-requested' })
  }

  /** Ends a call that was never dialled. */
  fail(reason: string): void {
    const end = { cause: 'unreachable', sipStatus: 503, reason } as const
    this.#later({ type: 'ended', atMs: this.#deps.clock.monotonic(), end })
  }

  /**
   * Replaces the document of a live call; resolves once the new one has started. `change` is applied to the
   * rest of the plan in the same commit.
   */
  redirect(document: CallDocument, change = (plan: CallPlan) => plan): Promise<void> {
    return this.#turns.run(async () => {
      if (this.#call.state !== 'in-progress') {
        throw new CallNotInProgressError(`call ${this.record.sid} is not in progress`)
      }
      const plan = planOfDocument(change(this.record.plan), document)
      await this.#store.commit({ ...this.record, plan }, [])
      await this.#document?.stop(DOCUMENT_STOP_MS)
      this.#startDocument(document)
    })
  }

  /** Stores the plan that `change` returns for the current one. */
  changePlan(change: (plan: CallPlan) => CallPlan): Promise<void> {
    return this.#turns.run(() =>
      this.#store.commit({ ...this.record, plan: change(this.record.plan) }, []),
    )
  }

  /**
   * Stores a verdict of answering machine detection, and sends its callback if requested. A second verdict
   * corrects the first one. Resolves to false, without storing it, when the call is no longer in progress.
   */
  answeredBy(verdict: MachineVerdict): Promise<boolean> {
    return this.#turns.run(async () => {
      const { answeredBy: corrected } = this.record
      if (corrected !== undefined && this.#call.state !== 'in-progress') return false
      const record = { ...this.record, answeredBy: verdict.answeredBy }
      await this.#store.commit(record, detectionCallbacksOf(record, verdict, corrected))
      return true
    })
  }

  /** Commits one event and performs its effects; `onEnd` is added to the parameters of its callbacks. */
  async #handle(event: CallEvent, onEnd: WireParams = []): Promise<void> {
    const { state: call, effects } = step(this.#call, event)
    if (call === this.#call && effects.length === 0) return
    const { clock, events } = this.#deps
    const before = statusOf(this.#call)
    const record = applyStep(this.record, call, event, clock.now())
    const rows = callbacksOf(record, effects, clock.now()).map((row) => ({
      ...row,
      params: [...row.params, ...onEnd],
    }))
    this.#call = call
    if (record.status !== before) {
      events.append({
        ...this.#ids(),
        kind: 'status',
        detail: { status: record.status, sipStatus: record.sipStatus, ...makerOf(event) },
      })
    }
    try {
      const next = { ...record, callbackCount: record.callbackCount + rows.length }
      await this.#store.commit(next, rows, (tx) => this.#dialogs.storeAfter(tx, event, this.#leg))
    } catch (err) {
      // A full disk must not block a call: the effects still happen.
      this.#deps.log.error({ err, ...this.#ids(), status: record.status }, 'could not store a call')
      if (err instanceof CallTakenOverError) this.endTakenOver()
    }
    if (event.type === 'answered' && this.talkingLeg) {
      this.#deps.recorder.begin(this.record, this.talkingLeg)
      this.#spending = watchSpending(this.record, event.atMs, this.#deps, (paidSeconds) => {
        this.#endSpent(paidSeconds)
      })
    }
    for (const effect of effects) this.#perform(effect)
  }

  #perform(effect: CallEffect): void {
    switch (effect.type) {
      case 'dial':
        this.#dial(undefined)
        return
      case 'start-document':
        this.#startDocument(this.record.plan.document)
        return
      case 'stop-document':
        this.#document?.abort()
        return
      case 'hangup-leg':
        this.#deps.dialer.stop()
        this.#hangupLeg(effect)
        return
      case 'finish':
        this.#spending?.[Symbol.dispose]()
        // Not queued: changes that arrive meanwhile are refused, since the call has ended.
        void this.#store.stored().then(() => {
          this.#deps.finished(this.record.sid)
        })
        return
      case 'notify':
        return // Its row was part of the commit.
    }
  }

  /** Searches the next route outside the queue, so that a hangup does not wait for a DNS lookup. */
  #dial(previous: LegEnd | undefined): void {
    this.#dialogs.abandon(this.#leg)
    this.#leg = undefined
    void this.#deps.dialer
      .next(this.record, previous)
      .then((route) => this.#turns.run(() => this.#dialNext(route, previous)))
      .catch((err: unknown) => {
        // After an invalid address or an internal error the call must still end.
        this.#deps.log.error({ err, ...this.#ids() }, 'could not send the INVITE of a call')
        this.#later({ type: 'ended', atMs: this.#deps.clock.monotonic(), end: NOT_DIALLED })
      })
  }

  async #dialNext(route: DialRoute | undefined, previous: LegEnd | undefined): Promise<void> {
    const events = await this.#legEvents()
    const isWanted = this.#call.state === 'dialing'
    if (isWanted && route !== undefined) {
      this.#leg = this.#deps.dialer.dial(this.record, route, events)
      // Stored with the next step; each route has its own Call-ID.
      this.#store.note({ ...this.record, sipCallId: this.#leg.sipCallId })
      return
    }
    const end = isWanted ? (previous ?? noRouteEnd(this.record)) : TAKEN_BACK
    await this.#handle({ type: 'ended', atMs: this.#deps.clock.monotonic(), end })
  }

  #startDocument(document: CallDocument): void {
    if (this.#leg === undefined) return
    const run: DocumentRun = this.#deps.runDocument({
      call: () => this.record,
      leg: this.#leg,
      document,
      onEnd: (end) => {
        // Ignored when another document has replaced this one meanwhile.
        this.#later(eventAfter(end), () => this.#document === run)
      },
    })
    this.#document = run
  }

  /** Sends 180 Ringing to the caller while the document is requested. */
  #ring(leg: Leg): void {
    leg.ring().catch((err: unknown) => {
      if (leg.state === 'setup')
        this.#deps.log.warn({ err, ...this.#ids() }, 'could not send 180 Ringing')
    })
  }

  /** Hangs up the leg outside the queue; its end returns as an event. */
  #hangupLeg({ status, reason }: { readonly status?: number; readonly reason?: string }): void {
    const { log } = this.#deps
    const answer = {
      ...(status === undefined ? {} : { status }),
      ...(reason === undefined ? {} : { reason }),
    }
    this.#leg?.hangup(answer).catch((err: unknown) => {
      log.error({ err, callSid: this.record.sid }, 'could not hang up a leg')
    })
  }

  async #legEvents(): Promise<LegEvents> {
    const { clock, events } = this.#deps
    const log = legLog(events, () => this.#ids())
    const isKept = await this.#keepsSipMessages()
    return {
      ...(isKept && {
        onSipMessage: (message: KeptMessage) => {
          events.append({ ...this.#ids(), kind: 'sip-message', detail: { ...message } })
        },
      }),
      onInvited: () => {
        // Recovery can then cancel the INVITE after a crash.
        this.#inTurn('could not store the INVITE of a call', async () => {
          if (this.#call.state !== 'ended')
            await this.#store.write((tx) => this.#dialogs.store(tx, this.#leg))
        })
      },
      onProgress: () => {
        this.#later({ type: 'progress' })
      },
      onAnswered: () => {
        this.#later({ type: 'answered', atMs: clock.monotonic() })
      },
      ...log,
      onMedia: (media) => {
        log.onMedia(media)
        this.#store.audio = media.figures
      },
      onEnded: (end) => {
        this.#onLegEnded(end, clock.monotonic())
      },
    }
  }

  /** A call begins without its messages when the database cannot say whether they are kept. */
  async #keepsSipMessages(): Promise<boolean> {
    try {
      return await this.#deps.keepsSipMessages()
    } catch (err) {
      this.#deps.log.warn({ err, ...this.#ids() }, 'could not read whether SIP messages are kept')
      return false
    }
  }

  #onLegEnded(end: LegEnd, atMs: number): void {
    this.#inTurn('could not process the end of a leg', async () => {
      const isDialing = this.#call.state === 'dialing'
      const warning = warningOfEnd(end, !isDialing)
      if (warning !== undefined)
        this.#deps.events.append({ ...this.#ids(), kind: 'warning', detail: { ...warning } })
      if (isDialing) this.#dial(end)
      else await this.#handle({ type: 'ended', atMs, end }, await this.#endRecordings())
    })
  }

  async #endRecordings(): Promise<WireParams> {
    return this.answeredAtMs === undefined ? [] : this.#deps.recorder.finish(this.record)
  }

  /** Queues an event without waiting for it; see `dispatch`. */
  #later(event: CallEvent, isWanted: () => boolean = always): void {
    this.#inTurn('could not process an event of a call', () => this.#handleIf(isWanted, event))
  }

  async #handleIf(isWanted: () => boolean, event: CallEvent): Promise<void> {
    if (isWanted()) await this.#handle(event)
  }

  /** Queues work without waiting for it; logs a failure. */
  #inTurn(failure: string, work: () => Promise<void>): void {
    this.#turns.run(work).catch((err: unknown) => {
      this.#deps.log.error({ err, ...this.#ids() }, failure)
    })
  }

  #ids(): { callSid: string; accountSid: string } {
    return { callSid: this.record.sid, accountSid: this.record.accountSid }
  }
}

/** Writes a leg's SIP messages, media and faults into the event log of its call. */
function legLog(
  events: Pick<EventLog, 'append'>,
  ids: () => { readonly callSid: string; readonly accountSid: string },
): Required<Pick<LegEvents, 'onSip' | 'onMedia' | 'onFault'>> {
  return {
    onSip: (sip) => {
      events.append({ ...ids(), kind: 'sip', detail: { ...sip } })
    },
    onMedia: (media) => {
      events.append({ ...ids(), kind: 'media', detail: { ...media } })
      for (const message of media.faults ?? [])
        events.append({ ...ids(), kind: 'warning', detail: { code: AUDIO_FAULT, message } })
    },
    onFault: (message) => {
      events.append({ ...ids(), kind: 'warning', detail: { code: SERVER_FAULT, message } })
    },
  }
}

/**
 * Returns the end of a call without any route. RFC 3261 §16.5: an address with an empty target set, such as
 * an unregistered user, gets 480; a number that no carrier accepts gets 404.
 */
function noRouteEnd(call: Pick<CallRecord, 'to' | 'plan'>): LegEnd {
  const sipStatus = isForCarriers(call) ? 404 : 480
  return { cause: 'unreachable', sipStatus, reason: NO_ROUTE }
}

function makerOf(event: CallEvent): ReturnType<typeof makerOfEnd> {
  return event.type === 'ended' ? makerOfEnd(event.end) : undefined
}

/** Returns the call event for the end of the call's documents. */
function eventAfter(end: MarkupEnd): CallEvent {
  switch (end.type) {
    case 'rejected':
      return { type: 'declined', as: end.reason === 'busy' ? 'busy' : 'no-answer' }
    case 'refused': {
      const { status, reason } = end
      return { type: 'declined', as: statusOfRejection(status), answer: { status, reason } }
    }
    default:
      return { type: 'hangup-requested' }
  }
}

/** Watches the cost of an answered call until disposed; undefined for a free call. */
function watchSpending(
  call: CallRecord,
  answeredAtMs: number,
  deps: SpendWatchDeps,
  onSpent: (paidSeconds: number) => void,
): Disposable | undefined {
  const { terms } = call
  if (terms === undefined || terms.perMinute === 0) return undefined
  return new SpendWatch({ ...call, terms }, answeredAtMs, onSpent, deps)
}
