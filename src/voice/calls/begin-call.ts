import type { Account, Accounts } from '../../accounts/accounts.js'
import { destinationRulesOf } from '../../destinations/destination-rules.js'
import type { Clock } from '../../platform/clock.js'
import type { Database } from '../../platform/database/database.js'
import { AdapterError } from '../../platform/errors.js'
import { newSid } from '../../platform/ids.js'
import type { CallbackOutbox } from '../../platform/outbox/callback.js'
import { userOf, withoutSeparators } from '../../platform/sip-grammar/plain-uri.js'
import { createCookieJar } from '../../platform/webhooks/cookie-jar.js'
import type { Applications } from '../applications/applications.js'
import type { ErrorNumber } from '../errors/error-catalogue.js'
import type { EventLog } from '../events/event-log.js'
import type { ChildCall, ChildCallEnd } from '../markup/child-call.js'
import type { DocumentRequest } from '../markup/document.js'
import type { AddressTestRequest } from '../markup/host.js'
import { numberFromSipUser } from '../model/address.js'
import { type CallRecord, newCallRecord } from '../model/call-record.js'
import { standardParams } from '../model/callback-params.js'
import type { DialRoute } from '../routing/dial-route.js'
import type { RouteDeps } from '../routing/dial-routes.js'
import type { Leg, LegEnd, LegEvents, Telephony } from '../telephony/port.js'
import type { ActorDeps, CallActor } from './actor/call-actor.js'
import type { DetectionDeps, DetectionListener } from './actor/detect-machine.js'
import { type Dialer, RouteDialer } from './actor/dialer.js'
import type { LiveCalls } from './actor/live-calls.js'
import { checkOutboundLimits } from './admission/outbound-limits.js'
import type { CallRecorder } from './call-recorder.js'
import type { CallCharging } from './charging/call-charging.js'
import { placeApplicationCall } from './children/application-calls.js'
import { openNumber } from './children/child-call.js'
import {
  type ChildCallDeps,
  emergencyPlanFor,
  type ParentLink,
  placeChildCall,
  refusalOf,
  startChild,
} from './children/child-calls.js'
import { ParentLegDialer } from './children/parent-leg.js'
import type { DocumentSurroundings, RunDocument } from './document-run.js'
import type { EmergencyCalls } from './emergency-calls.js'
import { keepsSipMessages } from './kept-messages.js'

const NO_DETECTION_CALLBACK = { code: 21262, message: 'no callback URL for who answers' } as const

export interface BeginDeps extends RouteDeps, DetectionDeps {
  readonly applications: Pick<Applications, 'find'>
  readonly db: Database
  readonly telephony: Telephony
  readonly accounts: Accounts
  /** Prefixes such as `+1900` that no account may call. */
  readonly blockedPrefixes: readonly string[]
  readonly events: EventLog
  readonly recorder: CallRecorder
  readonly runDocument: RunDocument
  readonly outbox: CallbackOutbox
  readonly charging: CallCharging
  /** Takes a slot for another call; false when none is free. */
  readonly takeSlot: (sid: string, account: Account | undefined) => boolean
  readonly emergency: EmergencyCalls
  /** Takes a slot for an emergency call, even when none is free. */
  readonly takeEmergencySlot: (sid: string, account: Account) => void
  readonly finished: (sid: string) => void
}

/**
 * Creates the actor of a stored call. A child's actor reports its progress to its parent's Dial. `dialer`
 * replaces the search for a route.
 */
export type BeginCall = (call: CallRecord, parent?: ParentLink, dialer?: Dialer) => CallActor

type DialingParent = Pick<ParentLink, 'beside' | 'dialed' | 'earlyAudio'>

interface ReferralDeps {
  readonly accounts: Pick<Accounts, 'find'>
  readonly db: Pick<Database, 'read'>
  readonly clock: Pick<Clock, 'now'>
  readonly blockedPrefixes: readonly string[]
  readonly charging: Pick<CallCharging, 'checkMeans'>
}

export function createBegin(live: LiveCalls, deps: BeginDeps): BeginCall {
  const begin: BeginCall = (call, parent, ownDialer) => {
    let parentLeg: Leg | undefined
    const services: DocumentSurroundings = {
      cookieJar: createCookieJar(() => deps.clock.now()),
      placeCall: (wanted, events) =>
        placeChildCall(actor.record, wanted, events, { ...deps, begin, parentLeg }),
      judgeReferral: (target) => judgeReferral(call.accountSid, target, deps),
      callApplication: (wanted, onOver) =>
        placeApplicationCall(actor.record, actor.talkingLeg, wanted, onOver, { ...deps, begin }),
      callAddressTest: (wanted, onOver) =>
        placeAddressTest(actor.record, actor.talkingLeg, wanted, onOver, { ...deps, begin }),
      tell: (request) => sendActionAfterEnd(actor.record, request, deps),
      letTalk: (calls, limitMs) => live.letTalk(calls, limitMs),
      recordings: deps.recorder.recordings,
      ...(parent === undefined ? {} : { connect: parent.connect, whenFree: parent.whenFree }),
    }
    const ids = { callSid: call.sid, accountSid: call.accountSid }
    const heard = detectionListener(ids, (verdict) => actor.answeredBy(verdict), deps)
    const routeDialer = new RouteDialer(deps, { warn: routeWarnings(call, deps.events), ...heard })
    if (lacksDetectionCallback(call))
      deps.events.append({ ...ids, kind: 'warning', detail: NO_DETECTION_CALLBACK })
    const borrowed =
      parent?.borrowedLeg === undefined ? undefined : new ParentLegDialer(parent.borrowedLeg)
    const actor: CallActor = live.begin(call, {
      ...deps,
      finished: (sid) => {
        live.ended(sid)
        deps.finished(sid)
        parent?.ended(actor.record)
      },
      keepsSipMessages: async () => {
        const account = await deps.accounts.find(call.accountSid)
        const { parentCallSid } = call
        const dialling = parentCallSid === undefined ? undefined : live.get(parentCallSid)?.record
        const calls = dialling === undefined ? [call] : [call, dialling]
        return account !== undefined && keepsSipMessages(account.settings, calls)
      },
      dialer: borrowed ?? reportingTo(parent, ownDialer ?? routeDialer),
      runDocument: (start) => {
        // A call on its parent's leg stays connected, whichever document it runs.
        if (borrowed === undefined && start.document.type !== 'dialed') parent?.taken(actor.record)
        parentLeg = start.leg
        const run = deps.runDocument(start, services)
        borrowed?.follow(run)
        return run
      },
    })
    return actor
  }
  return begin
}

/**
 * See `MarkupHost.judgeReferral`. A user that is not a number is allowed: an extension of a PBX, a name. The
 * call is not charged, since its length is unknown; but the account must be able to pay for it, and its call
 * limits apply.
 */
async function judgeReferral(
  accountSid: string,
  target: string,
  { accounts, blockedPrefixes, charging, clock, db }: ReferralDeps,
): Promise<void> {
  const number = referredNumber(target)
  if (number === undefined) return
  const account = await accounts.find(accountSid)
  if (account === undefined) throw new AdapterError(`account ${accountSid} has gone`)
  const to = openNumber(number, destinationRulesOf(account, blockedPrefixes))
  try {
    const terms = await charging.checkMeans({ accountSid, to })
    const call = { accountSid, to, createdAt: clock.now(), terms }
    await checkOutboundLimits(db.read, call, account.settings)
  } catch (error) {
    throw refusalOf(error)
  }
}

/**
 * Returns the number that a carrier would call for the URI: international with or without its prefix, or of
 * ten digits. Fewer digits without a plus are an extension.
 */
function referredNumber(target: string): string | undefined {
  const [written = ''] = (userOf(target) ?? '').split(';')
  const digits = withoutSeparators(written).replace(/^(?:00|011)(?=[1-9])/, '+')
  return /^(?:\+|\d{10})/.test(digits) ? numberFromSipUser(digits) : undefined
}

/** Places a call to 933 whose answer plays on the parent's leg; see `MarkupHost.callAddressTest`. */
async function placeAddressTest(
  parent: CallRecord,
  leg: Leg | undefined,
  { callerId }: AddressTestRequest,
  onOver: (end: ChildCallEnd) => void,
  deps: ChildCallDeps,
): Promise<ChildCall> {
  if (leg === undefined) throw new AdapterError('the caller is not connected')
  const plan = await emergencyPlanFor('933', parent, callerId, deps.emergency)
  const call = newCallRecord(
    {
      sid: newSid('CA'),
      accountSid: parent.accountSid,
      parentCallSid: parent.sid,
      direction: 'outbound-dial',
      to: plan.number,
      from: plan.callbackNumber,
      plan: {
        document: { type: 'internal', name: 'address-test' },
        timeoutSeconds: 1,
        emergency: plan,
      },
    },
    deps.clock.now(),
  )
  const nothing = () => Promise.resolve()
  const events = { onEarlyAudio: nothing, onReady: nothing, onOver }
  return await startChild(call, events, deps, leg)
}

/** Sends a verb's action request for a call that has ended, as a callback whose answer is ignored. */
async function sendActionAfterEnd(
  call: CallRecord,
  { url, method, params }: DocumentRequest,
  { outbox }: Pick<ActorDeps, 'outbox'>,
): Promise<void> {
  // The end of the call may not be stored yet.
  const status = call.endedAt === undefined ? 'completed' : call.status
  const row = {
    stream: call.sid,
    accountSid: call.accountSid,
    kind: 'action',
    url,
    method,
    params: [...standardParams(call, status), ...Object.entries(params)],
  } as const
  await outbox.commit((_tx, enqueue) => enqueue([row]))
}

/**
 * Returns a function that logs why a call was not routed, in its own event log and in its parent's, where
 * users look for the reason of a failed Dial.
 */
function routeWarnings(
  { sid, accountSid, parentCallSid }: CallRecord,
  events: EventLog,
): (code: ErrorNumber, message: string) => void {
  return (code, message) => {
    events.append({ callSid: sid, accountSid, kind: 'warning', detail: { code, message } })
    if (parentCallSid === undefined) return
    const detail = { code, message, childCallSid: sid }
    events.append({ callSid: parentCallSid, accountSid, kind: 'warning', detail })
  }
}

/** Writes what detection finds into the call's event log, and passes its verdicts to `answeredBy`. */
function detectionListener(
  ids: { readonly callSid: string; readonly accountSid: string },
  answeredBy: CallActor['answeredBy'],
  { events, log }: Pick<BeginDeps, 'events' | 'log'>,
): DetectionListener {
  const note = (detail: Readonly<Record<string, unknown>>): void => {
    events.append({ ...ids, kind: 'detection', detail })
  }
  const failed = (err: unknown): void => {
    log.error(
      { err, callSid: ids.callSid },
      'could not store the verdict of answering machine detection',
    )
  }
  return {
    onVerdict: (verdict) => {
      note({ ...verdict })
      answeredBy(verdict).catch(failed)
    },
    onCorrection: (verdict) => {
      answeredBy(verdict).then((isStored) => {
        if (isStored) note({ type: 'correction', ...verdict })
      }, failed)
    },
    onHeard: (event) => {
      note({ ...event })
    },
  }
}

/** Returns the dialer; for a child call one that reports its legs to the parent. */
function reportingTo(parent: ParentLink | undefined, dialer: Dialer): Dialer {
  return parent === undefined ? dialer : new ChildDialer(dialer, parent)
}

/** Dials a child call: the parent plays its early media, and is notified of each leg. */
class ChildDialer implements Dialer {
  readonly #dialer: Dialer
  readonly #parent: DialingParent

  constructor(dialer: Dialer, parent: DialingParent) {
    this.#dialer = dialer
    this.#parent = parent
  }

  next(call: CallRecord, previous: LegEnd | undefined): Promise<DialRoute | undefined> {
    return this.#dialer.next(call, previous)
  }

  dial(call: CallRecord, route: DialRoute, events: LegEvents): Leg {
    const heard = withEarlyAudio(events, () => leg, this.#parent.earlyAudio)
    const leg: Leg = this.#dialer.dial(call, this.#beside(route), heard)
    this.#parent.dialed(leg)
    return leg
  }

  stop(): void {
    this.#dialer.stop()
  }

  /** Adds the parent's leg to each request, so that both legs share a media server. */
  #beside(route: DialRoute): DialRoute {
    const { beside } = this.#parent
    if (beside === undefined) return route
    const [first, ...others] = route.requests
    return {
      ...route,
      requests: [{ ...first, beside }, ...others.map((request) => ({ ...request, beside }))],
    }
  }
}

/** The abort reason of early media: the called party has answered, or its leg has ended. */
class EarlyAudioOver extends Error {
  override readonly name = 'EarlyAudioOver'
}

/**
 * Adds early media to a leg's events: `onEarly` is called once, with a signal that aborts at the answer or
 * the end.
 */
function withEarlyAudio(
  events: LegEvents,
  leg: () => Leg | undefined,
  onEarly: (leg: Leg, signal: AbortSignal) => void,
): LegEvents {
  const early = new AbortController()
  let isReported = false
  const over = () => {
    early.abort(new EarlyAudioOver('answered, or ended'))
  }
  return {
    ...events,
    onProgress: (progress) => {
      events.onProgress?.(progress)
      const heard = leg()
      if (!progress.hasEarlyMedia || isReported || heard === undefined) return
      isReported = true
      onEarly(heard, early.signal)
    },
    onAnswered: () => {
      over()
      events.onAnswered?.()
    },
    onEnded: (end) => {
      over()
      events.onEnded(end)
    },
  }
}

/** True when the call detects machines without a callback URL for the result. */
function lacksDetectionCallback({ plan: { machineDetection } }: CallRecord): boolean {
  return machineDetection !== undefined && machineDetection.callback === undefined
}
