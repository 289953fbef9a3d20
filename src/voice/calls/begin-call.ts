import type { Account, Accounts } from '../../accounts/accounts.js'
import type { Database } from '../../platform/database/database.js'
import type { CallbackOutbox } from '../../platform/outbox/callback.js'
import { createCookieJar } from '../../platform/webhooks/cookie-jar.js'
import type { Applications } from '../applications/applications.js'
import type { ErrorNumber } from '../errors/error-catalogue.js'
import type { EventLog } from '../events/event-log.js'
import type { CallRecord } from '../model/call-record.js'
import type { RouteDeps } from '../routing/dial-routes.js'
import type { Leg, Telephony } from '../telephony/port.js'
import type { CallActor } from './actor/call-actor.js'
import type { DetectionDeps, DetectionListener } from './actor/detect-machine.js'
import { type Dialer, RouteDialer } from './actor/dialer.js'
import type { LiveCalls } from './actor/live-calls.js'
import type { CallRecorder } from './call-recorder.js'
import type { CallCharging } from './charging/call-charging.js'
import { placeAddressTest } from './children/address-test-call.js'
import { placeApplicationCall } from './children/application-calls.js'
import { type ParentLink, placeChildCall } from './children/child-calls.js'
import { ChildDialer } from './children/child-dialer.js'
import { judgeReferral } from './children/judge-referral.js'
import { SharedLegDialer } from './children/shared-leg.js'
import { tellAfterwards } from './children/tell-afterwards.js'
import type { DocumentSurroundings, RunDocument } from './document-run.js'
import type { EmergencyCalls } from './emergency-calls.js'

const UNTOLD = { code: 21262, message: 'no callback URL for who answers' } as const

export interface BeginDeps extends RouteDeps, DetectionDeps {
  readonly applications: Pick<Applications, 'find'>
  readonly db: Database
  readonly telephony: Telephony
  readonly accounts: Accounts
  /** Prefixes such as `+1900`: no number that begins with one is called, for any account. */
  readonly blockedPrefixes: readonly string[]
  readonly events: EventLog
  readonly recorder: CallRecorder
  readonly runDocument: RunDocument
  readonly outbox: CallbackOutbox
  readonly charging: CallCharging
  /** Takes a slot for another call; false when none is free. */
  readonly takeTurn: (sid: string, account: Account | undefined) => boolean
  readonly emergency: EmergencyCalls
  /** Takes a slot for an emergency call, whether or not one is free. */
  readonly takeEmergencyTurn: (sid: string, account: Account) => void
  readonly finished: (sid: string) => void
}

/**
 * Makes the actor of a stored call. A child's actor reports its progress to its parent's Dial. `dialer`
 * is given for a call that no route leads to.
 */
export type BeginCall = (call: CallRecord, parent?: ParentLink, dialer?: Dialer) => CallActor

export function createBegin(live: LiveCalls, deps: BeginDeps): BeginCall {
  const begin: BeginCall = (call, parent, ownDialer) => {
    let parentLeg: Leg | undefined
    const surroundings: DocumentSurroundings = {
      cookieJar: createCookieJar(() => deps.clock.now()),
      placeCall: (wanted, events) =>
        placeChildCall(actor.record, wanted, events, { ...deps, begin, parentLeg }),
      judgeReferral: (target) => judgeReferral(call.accountSid, target, deps),
      callApplication: (wanted, onOver) =>
        placeApplicationCall(actor.record, actor.talkingLeg, wanted, onOver, { ...deps, begin }),
      callAddressTest: (wanted, onOver) =>
        placeAddressTest(actor.record, actor.talkingLeg, wanted, onOver, { ...deps, begin }),
      tell: (request) => tellAfterwards(actor.record, request, deps),
      letTalk: (calls, limitMs) => live.letTalk(calls, limitMs),
      recordings: deps.recorder.recordings,
      ...(parent === undefined ? {} : { connect: parent.connect, whenFree: parent.whenFree }),
    }
    const ids = { callSid: call.sid, accountSid: call.accountSid }
    const heard = detectionListener(ids, (verdict) => actor.answeredBy(verdict), deps)
    const routeDialer = new RouteDialer(deps, { warn: routeWarnings(call, deps.events), ...heard })
    if (tellsNobody(call)) deps.events.append({ ...ids, kind: 'warning', detail: UNTOLD })
    const shared = parent?.heardOn === undefined ? undefined : new SharedLegDialer(parent.heardOn)
    const actor: CallActor = live.begin(call, {
      ...deps,
      finished: (sid) => {
        live.ended(sid)
        deps.finished(sid)
        parent?.ended(actor.record)
      },
      dialer: shared ?? reportingTo(parent, ownDialer ?? routeDialer),
      runDocument: (start) => {
        // A call on its parent's leg stays connected, whatever document it runs.
        if (shared === undefined && start.document.type !== 'dialed') parent?.taken(actor.record)
        parentLeg = start.leg
        const run = deps.runDocument(start, surroundings)
        shared?.follow(run)
        return run
      },
    })
    return actor
  }
  return begin
}

/**
 * Writes why the call is not led to a party into its event log. Its parent's log says the same: a person
 * reads there why a Dial failed.
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

/** Writes what detection hears into the event log of the call, and hands on its verdicts. */
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

/** The dialer, whose legs the parent of a child call learns of. */
function reportingTo(parent: ParentLink | undefined, dialer: Dialer): Dialer {
  return parent === undefined ? dialer : new ChildDialer(dialer, parent)
}

/** True when the call detects machines, and no callback URL is given for the result. */
function tellsNobody({ plan: { machineDetection } }: CallRecord): boolean {
  return machineDetection !== undefined && machineDetection.callback === undefined
}
