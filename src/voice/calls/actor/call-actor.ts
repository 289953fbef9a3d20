import { SerialQueue } from '../../../platform/async/serial-queue.js'
import type { Logger } from '../../../platform/log.js'
import type { ErrorNumber } from '../../errors/error-catalogue.js'
import type { EventLog } from '../../events/event-log.js'
import type { MarkupEnd } from '../../markup/document.js'
import { CallNotInProgressError } from '../../model/call-errors.js'
import { type CallDocument, type CallPlan, planOfDocument } from '../../model/call-plan.js'
import type { CallRecord } from '../../model/call-record.js'
import type { WireParams } from '../../model/callback-params.js'
import { statusOfRejection, warningOfEnd } from '../../model/outcome.js'
import type { DialRoute } from '../../routing/dial-route.js'
import { isForCarriers } from '../../routing/dial-routes.js'
import type { Leg, LegEnd, LegEvents } from '../../telephony/port.js'
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
  readonly finished: (sid: string) => void
}

/** The time that a replaced document has to fall silent before the next one starts. */
const DOCUMENT_STOP_MS = 1_000
/** The error number of a call whose account was disabled. */
const ACCOUNT_NOT_ACTIVE = 20005
/** The error number of a call that has spent the balance of its account. */
const INSUFFICIENT_BALANCE = 20402

const NOT_DIALLED: LegEnd = {
  cause: 'unreachable',
  sipStatus: 500,
  reason: 'the call could not be dialled',
}
const TAKEN_BACK: LegEnd = { cause: 'canceled', sipStatus: 487 }

/** The error number of a drachtio or FreeSWITCH that is of no use. */
const SERVER_FAULT = 32013

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

  /** The record that the API shows. It has nothing that a crash would take back. */
  get shown(): CallRecord {
    return this.#store.shown
  }

  /** True when the end of the call is under way or complete. */
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

  /** True when the call is on this leg, also while the answer is being stored. */
  isOn({ id }: Pick<Leg, 'id'>): boolean {
    return this.#leg?.id === id
  }

  /** Starts an outbound call; `queuedMs` is how long it waited for its start. */
  start(queuedMs = 0): Promise<void> {
    return this.dispatch({ type: 'dial-started', queuedMs })
  }

  /**
   * Takes an inbound call: `accept` makes the leg with the actor's listeners, and the document
   * begins.
   */
  offer(accept: (events: LegEvents) => Leg): Promise<void> {
    return this.#turns.run(() => {
      this.#leg = accept(this.#legEvents())
      this.#ring(this.#leg)
      this.#startDocument(this.record.plan.document)
      return Promise.resolve()
    })
  }

  /**
   * Resolves once the event's effects have begun, after its commit. An event that is not wanted any
   * more when its turn comes is dropped.
   */
  dispatch(event: CallEvent, isWanted: () => boolean = always): Promise<void> {
    return this.#turns.run(() => this.#handleIf(isWanted, event))
  }

  /** Ends a call that has outlived its limit. A call that is already ending is left alone. */
  endOverdue(): void {
    if (isEnding(this.#call)) return
    const { state } = this.#call
    this.#deps.log.info({ ...this.#ids(), state }, 'ending a call that reached its time limit')
    this.#later({ type: 'hangup-requested' })
  }

  /** Ends the call because its account is not active any more. */
  endInactive(): void {
    this.#endFor({ code: ACCOUNT_NOT_ACTIVE, message: 'the account is not active' })
  }

  /** Ends the call because nothing is left to pay for more; it is billed for what was paid for. */
  #endSpent(paidSeconds: number): void {
    const { terms } = this.record
    if (terms !== undefined) this.#store.note({ ...this.record, terms: { ...terms, paidSeconds } })
    this.#endFor({ code: INSUFFICIENT_BALANCE, message: 'the balance of the account is spent' })
  }

  /** Ends the call for a reason that the event log tells, unless it is ending already. */
  #endFor(detail: { readonly code: ErrorNumber; readonly message: string }): void {
    if (isEnding(this.#call)) return
    this.#deps.events.append({ ...this.#ids(), kind: 'error', detail })
    this.#later({ type: 'hangup-requested' })
  }

  /** Ends the call because another node has declared this one dead, and has reported its end. */
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
   * Swaps the document of a live call; resolves once the new one has begun. `change` is made of the rest
   * of its plan in the same step.
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

  /** Stores the plan that `change` makes of the present one. */
  changePlan(change: (plan: CallPlan) => CallPlan): Promise<void> {
    return this.#turns.run(() =>
      this.#store.commit({ ...this.record, plan: change(this.record.plan) }, []),
    )
  }

  /**
   * Stores a verdict of answering machine detection, and sends its callback if one was asked for. A
   * second verdict corrects the first one; it is false when the call is not up any more, and dropped.
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

  /**
   * Commits one event and performs its effects; `onEnd` is added to the parameters of its
   * callbacks.
   */
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
        detail: { status: record.status, sipStatus: record.sipStatus },
      })
    }
    try {
      const next = { ...record, callbackCount: record.callbackCount + rows.length }
      await this.#store.commit(next, rows, (tx) => this.#dialogs.storeAfter(tx, event, this.#leg))
    } catch (err) {
      // A full disk must not keep a call up: what the event asks for still happens.
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
        // Outside the queue: a change that comes meanwhile is refused, since the call has ended.
        void this.#store.stored().then(() => {
          this.#deps.finished(this.record.sid)
        })
        return
      case 'notify':
        return // Its row went with the commit.
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
        // An address that cannot be sent, or a fault: the call must end all the same.
        this.#deps.log.error({ err, ...this.#ids() }, 'could not send the INVITE of a call')
        this.#later({ type: 'ended', atMs: this.#deps.clock.monotonic(), end: NOT_DIALLED })
      })
  }

  async #dialNext(route: DialRoute | undefined, previous: LegEnd | undefined): Promise<void> {
    const isWanted = this.#call.state === 'dialing'
    if (isWanted && route !== undefined) {
      this.#leg = this.#deps.dialer.dial(this.record, route, this.#legEvents())
      // Stored with the next step; each route has a Call-ID of its own.
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
        // The call goes on with the document that has taken its place meanwhile.
        this.#later(eventAfter(end), () => this.#document === run)
      },
    })
    this.#document = run
  }

  /** Sends 180 Ringing to the caller while the application is asked for a document. */
  #ring(leg: Leg): void {
    leg.ring().catch((err: unknown) => {
      if (leg.state === 'setup')
        this.#deps.log.warn({ err, ...this.#ids() }, 'could not send 180 Ringing')
    })
  }

  /** Hangs up the leg outside the queue; its end comes back as an event. */
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

  #legEvents(): LegEvents {
    const { clock, events } = this.#deps
    return {
      onInvited: () => {
        // The next process can take it back after a crash.
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
      ...legLog(events, () => this.#ids()),
      onEnded: (end) => {
        this.#onLegEnded(end, clock.monotonic())
      },
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

  /** Queues work without waiting for it; a failure is logged. */
  #inTurn(failure: string, work: () => Promise<void>): void {
    this.#turns.run(work).catch((err: unknown) => {
      this.#deps.log.error({ err, ...this.#ids() }, failure)
    })
  }

  #ids(): { callSid: string; accountSid: string } {
    return { callSid: this.record.sid, accountSid: this.record.accountSid }
  }
}

/** Writes what happens on a leg into the event log of its call. */
function legLog(
  events: Pick<EventLog, 'append'>,
  ids: () => { readonly callSid: string; readonly accountSid: string },
): Pick<LegEvents, 'onSip' | 'onMedia' | 'onFault'> {
  return {
    onSip: (sip) => {
      events.append({ ...ids(), kind: 'sip', detail: { ...sip } })
    },
    onMedia: (media) => {
      events.append({ ...ids(), kind: 'media', detail: { ...media } })
    },
    onFault: (message) => {
      events.append({ ...ids(), kind: 'warning', detail: { code: SERVER_FAULT, message } })
    },
  }
}

/**
 * The end of a call that has no route at all. RFC 3261 §16.5: an address whose set of targets is empty,
 * as that of a user who is not registered, gets 480; a number that no carrier takes is none: 404.
 */
function noRouteEnd(call: Pick<CallRecord, 'to' | 'plan'>): LegEnd {
  const sipStatus = isForCarriers(call) ? 404 : 480
  return { cause: 'unreachable', sipStatus, reason: 'no route' }
}

/** The event that the end of a call's documents is for the call. */
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

/** Watches the money of an answered call until disposed; undefined for one that costs nothing. */
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
