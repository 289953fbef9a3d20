import type { Account, Accounts } from '../../../accounts/accounts.js'
import { destinationRulesOf } from '../../../destinations/destination-rules.js'
import { InsufficientBalanceError } from '../../../ledger/reservations.js'
import type { Clock } from '../../../platform/clock.js'
import type { Database } from '../../../platform/database/database.js'
import { AdapterError } from '../../../platform/errors.js'
import type { Logger } from '../../../platform/log.js'
import type { Vault } from '../../../platform/secrets.js'
import {
  type ChildCall,
  type ChildCallEnd,
  type ChildCallEvents,
  type ChildCallRequest,
  DialRefusedError,
} from '../../markup/child-call.js'
import { numberFromSipUser, parseCallAddress } from '../../model/address.js'
import { CallLimitError, NumberBlockedError } from '../../model/call-errors.js'
import type { EmergencyPlan } from '../../model/call-plan.js'
import type { CallRecord } from '../../model/call-record.js'
import { type EmergencyNumber, emergencyNumberOf } from '../../model/emergency-number.js'
import { type HoldsCallerId, mayShow } from '../../routing/caller-id-policy.js'
import type { LegMedia } from '../../telephony/leg-media.js'
import type { Leg } from '../../telephony/port.js'
import type { CallActor } from '../actor/call-actor.js'
import { checkOutboundLimits, hasOutboundLimits } from '../admission/outbound-limits.js'
import type { CallCharging } from '../charging/call-charging.js'
import type { EmergencyCalls } from '../emergency-calls.js'
import { insertCall } from '../storage/call-storage.js'
import { newChildCall } from './child-call.js'

/** The link over which a child's actor reports to its parent's Dial. */
export interface ParentLink {
  /** Connects the child's leg with the parent's; resolves when they are disconnected. */
  readonly connect: (leg: Leg, signal: AbortSignal) => Promise<void>
  /** Plays the child's early media to the parent until the signal aborts. */
  readonly earlyAudio: (leg: Leg, signal: AbortSignal) => void
  /** Resolves when the child's leg no longer plays early media to the parent. */
  readonly whenFree: () => Promise<void>
  /** The audio of the parent's leg; the child's media is placed on the same server. */
  readonly beside?: LegMedia | undefined
  /** The parent's leg, for a child without its own leg: the child's documents run on it. */
  readonly borrowedLeg?: Leg | undefined
  /** Called for each leg of the child: one for each attempted route. */
  dialed(leg: Leg): void
  /** Called when another document has replaced the Dial's child document. */
  taken(child: CallRecord): void
  ended(child: CallRecord): void
}

export interface ChildCallDeps {
  readonly db: Database
  readonly accounts: Accounts
  readonly vault: Vault
  readonly blockedPrefixes: readonly string[]
  readonly clock: Clock
  readonly log: Logger
  /**
   * Takes a slot for another call; false when none is free. Without an account only the server's limit
   * applies.
   */
  readonly takeSlot: (sid: string, account: Account | undefined) => boolean
  readonly holdsCallerId: HoldsCallerId
  readonly charging: Pick<CallCharging, 'rated' | 'reserve'>
  readonly emergency: Pick<EmergencyCalls, 'judge'>
  /** Takes a slot for an emergency call, even when none is free. */
  readonly takeEmergencySlot: (sid: string, account: Account) => void
  readonly finished: (sid: string) => void
  readonly begin: (call: CallRecord, link: ParentLink) => CallActor
  /** The leg that the child will be connected with. */
  readonly parentLeg?: Leg | undefined
}

/** Error number of a blocked number in a Dial. */
const BLOCKED = 13225

/** Places a child call for a Dial; see `MarkupHost.placeCall`. */
export async function placeChildCall(
  parent: CallRecord,
  wanted: ChildCallRequest,
  events: ChildCallEvents,
  deps: ChildCallDeps,
): Promise<ChildCall> {
  const { accounts, vault, clock } = deps
  const account = await accounts.find(parent.accountSid)
  if (account === undefined) throw new AdapterError(`account ${parent.accountSid} has gone`)
  const destinationRules = destinationRulesOf(account, deps.blockedPrefixes)
  const emergency = await emergencyOf(parent, wanted, deps.emergency)
  const call = newChildCall(parent, wanted, {
    destinationRules,
    vault,
    now: clock.now(),
    emergency,
  })
  if (emergency !== undefined) return await startChild(call, events, deps)
  const shown = { from: call.from, to: call.to, continued: continuedBy(parent) }
  if (!(await mayShow(account, shown, deps.holdsCallerId)))
    throw new DialRefusedError(13247, `${call.from} is neither owned nor verified by the account`)
  return await startChild(call, events, { ...deps, takeSlot: slotsBeside(parent, deps) })
}

/**
 * Returns the plan of a Dial's emergency call; undefined for any other call. Rejects with DialRefusedError
 * when no address is known.
 */
async function emergencyOf(
  parent: CallRecord,
  { to, callerId }: ChildCallRequest,
  emergency: Pick<EmergencyCalls, 'judge'>,
): Promise<EmergencyPlan | undefined> {
  const number = to.type === 'number' ? emergencyNumberOf(to.number) : undefined
  return number === undefined
    ? undefined
    : await emergencyPlanFor(number, parent, callerId, emergency)
}

/**
 * Returns the plan of a call to an emergency number. Rejects with DialRefusedError when no address is known.
 */
export async function emergencyPlanFor(
  number: EmergencyNumber,
  parent: CallRecord,
  callerId: string | undefined,
  emergency: Pick<EmergencyCalls, 'judge'>,
): Promise<EmergencyPlan> {
  // The parent itself was admitted as an emergency call.
  if (parent.plan.emergency !== undefined) return { ...parent.plan.emergency, number }
  const verdict = await emergency.judge(number, {
    callSid: parent.sid,
    accountSid: parent.accountSid,
    number: numberOf(callerId ?? parent.from),
    domainSid: parent.sipOrigin?.domainSid,
  })
  if (verdict.type === 'admitted') return verdict.plan
  throw new DialRefusedError(BLOCKED, verdict.reason)
}

function numberOf(text: string): string | undefined {
  const address = parseCallAddress(text, [])
  if (address?.type === 'number') return address.e164
  return numberFromSipUser(/^sips?:([^@]*)@/.exec(text)?.[1])
}

/**
 * Both legs of a call without markup count as one call of the account, so the child takes no account slot.
 */
function slotsBeside(
  { plan }: CallRecord,
  { takeSlot }: Pick<ChildCallDeps, 'takeSlot'>,
): ChildCallDeps['takeSlot'] {
  return plan.document.type === 'bridge' ? (sid) => takeSlot(sid, undefined) : takeSlot
}

/**
 * Stores a child call and starts it; `borrowedLeg` is set for a child without its own leg. Rejects with
 * DialRefusedError when no slot is free.
 */
export async function startChild(
  wanted: CallRecord,
  events: ChildCallEvents,
  deps: ChildCallDeps,
  borrowedLeg?: Leg,
): Promise<ChildCall> {
  const { db, accounts, clock, log } = deps
  const account = await accounts.find(wanted.accountSid)
  if (account === undefined) throw new AdapterError(`account ${wanted.accountSid} has gone`)
  const call = await deps.charging.rated(wanted).catch((error: unknown) => {
    throw refusalOf(error)
  })
  const isEmergency = call.plan.emergency !== undefined
  const isLimited = borrowedLeg === undefined && !isEmergency && hasOutboundLimits(account.settings)
  if (isEmergency) deps.takeEmergencySlot(call.sid, account)
  else if (!deps.takeSlot(call.sid, account))
    throw new DialRefusedError(10004, 'there is no room for another call')
  try {
    await db.write(
      async (tx) => {
        if (isLimited) await checkOutboundLimits(tx, call, account.settings)
        await insertCall(tx, call, db.node)
        await deps.charging.reserve(tx, call, call.createdAt)
      },
      isLimited ? 'serializable' : 'read-committed',
    )
  } catch (error) {
    deps.finished(call.sid)
    throw refusalOf(error)
  }
  const link = { ...linkTo(events, clock, log), borrowedLeg, beside: deps.parentLeg?.media }
  const actor = deps.begin(call, link)
  const failed = (what: string) => (err: unknown) => {
    log.error({ err, callSid: call.sid }, what)
  }
  actor.start().catch(failed('could not start a child call'))
  return {
    sid: call.sid,
    hangup: () => {
      // Another document may replace the child's before the queued hangup runs.
      actor
        .dispatch({ type: 'hangup-requested' }, () => !link.isOver())
        .catch(failed('could not hang up a child call'))
    },
    release: () => {
      link.taken(actor.record)
    },
    takeAway: ({ url, method, params }) => {
      actor
        .redirect({ type: 'url', url, method, params, fallbackMethod: 'POST' })
        .catch(failed('could not redirect a child call'))
    },
  }
}

/** Returns a limit, price or balance error as DialRefusedError; any other error unchanged. */
export function refusalOf(error: unknown): unknown {
  if (error instanceof CallLimitError) return new DialRefusedError(10004, error.message)
  if (error instanceof NumberBlockedError) return new DialRefusedError(13225, error.message)
  if (error instanceof InsufficientBalanceError) return new DialRefusedError(20402, error.message)
  return error
}

/**
 * Returns the parent if its caller may be shown to the peer: it came in to a number of the account, or its
 * caller ID was checked at admission.
 */
function continuedBy(parent: CallRecord): CallRecord | undefined {
  const isToOurNumber = parent.direction === 'inbound' && parent.phoneNumberSid !== undefined
  return isToOurNumber || parent.plan.document.type === 'bridge' ? parent : undefined
}

function linkTo(
  events: ChildCallEvents,
  clock: Clock,
  log: Logger,
): ParentLink & { isOver(): boolean } {
  let leg: Leg | undefined
  let heard = Promise.resolve()
  let isOver = false
  const over = (child: CallRecord, status: ChildCallEnd['status'], durationSeconds: number) => {
    if (isOver) return
    isOver = true
    events.onOver({
      status,
      durationSeconds,
      sipStatus: child.sipStatus,
      sipCallId: leg?.sipCallId,
      sipHeaders: leg?.remoteHeaders ?? [],
    })
  }
  return {
    isOver: () => isOver,
    connect: (readyLeg, signal) => events.onReady(readyLeg, signal),
    earlyAudio: (earlyLeg, signal) => {
      heard = events.onEarlyAudio(earlyLeg, signal).catch((err: unknown) => {
        log.warn({ err }, 'could not play early media to the parent')
      })
    },
    whenFree: () => heard,
    dialed: (dialedLeg) => {
      leg = dialedLeg
    },
    taken: (child) => {
      over(child, 'taken', Math.round((clock.now() - (child.answeredAt ?? clock.now())) / 1_000))
    },
    ended: (child) => {
      over(child, endedStatus(child), child.durationSeconds ?? 0)
    },
  }
}

function endedStatus({ status }: CallRecord): ChildCallEnd['status'] {
  // An ended call never has these three statuses.
  return status === 'queued' || status === 'ringing' || status === 'in-progress' ? 'failed' : status
}
