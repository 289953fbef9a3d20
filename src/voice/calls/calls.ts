import type { Account, Accounts } from '../../accounts/accounts.js'
import { repeat } from '../../platform/async/repeat.js'
import type { Logger } from '../../platform/log.js'
import type { NodeRequests } from '../../platform/nodes/node-requests.js'
import type { NodeShare } from '../../platform/nodes/node-share.js'
import type { Carriers } from '../carriers/carriers.js'
import { CallStillLiveError, TelephonyUnavailableError } from '../model/call-errors.js'
import type { UpdateCall } from '../model/call-plan.js'
import type { CallRecord } from '../model/call-record.js'
import { emergencyNumberIn } from '../model/emergency-number.js'
import type { RefusedCalls } from '../refused-calls/refused-calls.js'
import type { DigestGate } from '../registrar/digest-gate.js'
import type { StoredNonceCounts } from '../registrar/nonce-counts.js'
import type { Registrar } from '../registrar/registrar.js'
import type { SipResources } from '../sip-domains/sip-resources.js'
import type { IncomingInvite } from '../telephony/port.js'
import { LiveCalls } from './actor/live-calls.js'
import {
  type CallLimits,
  type CallSlots,
  createCallSlots,
  type SlotVerdict,
} from './admission/call-slots.js'
import type { Rejection, TakenCall } from './admission/classify-sender.js'
import { type DomainTextDeps, textHandler } from './admission/domain-text.js'
import { type AdmissionDeps, admit } from './admission/inbound.js'
import { offerCall } from './admission/offer-call.js'
import { offerOnNetCall } from './admission/offer-on-net-call.js'
import { OutageEvents } from './admission/outage-events.js'
import { answerOutsideRequests } from './admission/outside-requests.js'
import type { OverloadControl } from './admission/overload-control.js'
import { Refusals } from './admission/refusals.js'
import { type BeginCall, type BeginDeps, createBegin } from './begin-call.js'
import { changeCall } from './change-call.js'
import type { CreateCall } from './create-call.js'
import { EmergencyCalls } from './emergency-calls.js'
import { placeCall } from './place-call.js'
import { asOfNow, type CallReads, createCallReads } from './read-calls.js'
import { RemoteUpdates } from './remote-updates.js'
import { deleteCall } from './storage/call-storage.js'

export interface CallsDeps
  extends Omit<
    BeginDeps,
    'takeSlot' | 'takeEmergencySlot' | 'emergency' | 'finished' | 'carriers'
  > {
  readonly carriers: Carriers
  readonly sources: AdmissionDeps['sources']
  readonly numbers: AdmissionDeps['numbers']
  readonly callerVerification: AdmissionDeps['callerVerification']
  readonly numberSettings: AdmissionDeps['numberSettings']
  readonly callerNameFor: AdmissionDeps['callerNameFor']
  readonly gateways: AdmissionDeps['gateways']
  readonly bindings: AdmissionDeps['bindings']
  readonly texts: DomainTextDeps['texts']
  readonly accessLists: AdmissionDeps['accessLists']
  readonly sipAuthentication: AdmissionDeps['sipAuthentication']
  readonly sip: SipResources
  readonly registrar: Registrar
  readonly gate: DigestGate
  readonly nonceCounts: StoredNonceCounts
  readonly limits: CallLimits
  /** This node's share of an account's limits; undefined: all of it. */
  readonly share?: NodeShare | undefined
  /** Asks other nodes to change their calls, and answers their requests. */
  readonly nodeRequests: Pick<NodeRequests, 'on' | 'ask'>
  readonly overload: OverloadControl
  readonly refusedCalls: Pick<RefusedCalls, 'note'>
}

/** The calls of this process: places, accepts, changes and stores them. */
export interface Calls extends CallReads, AsyncDisposable {
  create(account: Account, wanted: CreateCall): Promise<CallRecord>
  /**
   * Resolves with the changed call. When an end was requested, resolves with the ended call, or with the
   * current one when the peer does not answer in time. A call of another node is changed by that node, which
   * takes up to a second.
   */
  update(accountSid: string, sid: string, change: UpdateCall): Promise<CallRecord>
  remove(accountSid: string, sid: string): Promise<void>
  /**
   * Calls `listener` once when the call ends, or at once when it has ended. The returned function
   * unsubscribes.
   */
  whenEnded(sid: string, listener: () => void): () => void
  /** Ends every live call of an account that is no longer active, with error 20005 in its event log. */
  endAllOf(accountSid: string): void
  /**
   * Ends every live call here: another node has declared this one dead and reported the ends of its calls.
   */
  endTakenOver(): void
  liveCount(): number
  /** Returns the sid of the call that dialled this live one. */
  parentOf(sid: string): string | undefined
  /** True once `drain` was called: no call is accepted or placed after that. */
  isDraining(): boolean
  /**
   * Refuses new calls. Resolves when the last live call has ended, after the limit, or when `hurry` aborts.
   */
  drain(limitMs: number, hurry: AbortSignal): Promise<void>
}

/** Time for live calls to hang up when the process ends, ms. */
const DISPOSE_LIMIT_MS = 5_000
/** Maximum time that a request to end or delete a call waits for an end in progress, ms. */
const END_LIMIT_MS = 5_000

interface InactiveAccountsDeps {
  readonly accounts: Pick<Accounts, 'find'>
  readonly log: Logger
  /** Returns the sids of the accounts that have live calls. */
  readonly accountsWithCalls: () => ReadonlySet<string>
  readonly endCallsOf: (accountSid: string) => void
}

/** Interval of the account check, ms; a call may outlive its account by it. */
const LOOK_EVERY_MS = 2_000

export function createCalls(deps: CallsDeps): Calls {
  const { db, clock } = deps
  const live = new LiveCalls(deps.clock)
  const slots = createCallSlots(deps)
  const remoteUpdates = new RemoteUpdates({ ...deps, live })
  const emergency = new EmergencyCalls({ ...deps, domains: deps.sip.domains })

  const begin = createBegin(live, { ...deps, emergency, ...slotsOf(slots) })

  const reads = createCallReads(deps, live)
  const { fetch } = reads
  const outages = new OutageEvents(deps)

  const ends = endsOf(live)
  const inactive = new InactiveAccounts({
    accounts: deps.accounts,
    log: deps.log,
    accountsWithCalls: () => live.accountSids,
    endCallsOf: ends.endAllOf,
  })

  const refusals = new Refusals(deps)
  answerInvites({ ...deps, emergency, refusals }, live, slots, begin)
  answerOutsideRequests({ ...deps, ...textHandler(deps), isDraining: () => live.isDraining })

  return {
    create: async (account, wanted) => {
      if (live.isDraining) throw new TelephonyUnavailableError('this server is shutting down')
      return await placeCall(account, wanted, { ...deps, emergency, outages, slots, begin, fetch })
    },
    ...reads,
    update: async (accountSid, sid, change) => {
      const call = await reads.fetch(accountSid, sid)
      const actor = live.get(call.sid)
      if (actor === undefined) return await remoteUpdates.ask(call, change)
      await changeCall(actor, change)
      if (change.end === undefined) return asOfNow(actor.shown, clock.now())
      // Clients that read the call after this response must not see an earlier status.
      await live.endUnderWay(sid, END_LIMIT_MS)
      return await reads.fetch(accountSid, sid)
    },
    remove: async (accountSid, sid) => {
      await live.endUnderWay((await reads.fetch(accountSid, sid)).sid, END_LIMIT_MS)
      const call = await reads.fetch(accountSid, sid)
      if (live.get(call.sid) !== undefined || call.endedAt === undefined)
        throw new CallStillLiveError(`call ${sid} is still in progress`)
      await db.write((tx) => deleteCall(tx, accountSid, call.sid))
    },
    ...ends,
    liveCount: () => live.size,
    parentOf: (sid) => live.get(sid)?.record.parentCallSid,
    isDraining: () => live.isDraining,
    drain: (limitMs, hurry) => {
      slots.close()
      return live.drain(limitMs, hurry)
    },
    [Symbol.asyncDispose]: async () => {
      slots.close()
      remoteUpdates[Symbol.dispose]()
      // Live calls hang up at once, without waiting for a check that may wait for the database.
      await Promise.all([inactive[Symbol.asyncDispose](), live.hangUpAll(DISPOSE_LIMIT_MS)])
    },
  }
}

/**
 * Ends the calls of accounts that are no longer active. Catches calls that the operator's request missed:
 * those that began while the account was being disabled, or that run in another process.
 */
class InactiveAccounts implements AsyncDisposable {
  readonly #deps: InactiveAccountsDeps
  readonly #looks: AsyncDisposable

  constructor(deps: InactiveAccountsDeps) {
    this.#deps = deps
    this.#looks = repeat({
      name: 'calls of disabled accounts',
      log: deps.log,
      everyMs: LOOK_EVERY_MS,
      work: () => this.look(),
    })
  }

  /** Checks every account with live calls. */
  async look(): Promise<void> {
    const { accounts, accountsWithCalls, endCallsOf } = this.#deps
    for (const sid of accountsWithCalls()) {
      const account = await accounts.find(sid)
      if (account !== undefined && account.status !== 'active') endCallsOf(sid)
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#looks[Symbol.asyncDispose]()
  }
}

function endsOf(live: LiveCalls): Pick<Calls, 'whenEnded' | 'endAllOf' | 'endTakenOver'> {
  return {
    whenEnded: (sid, listener) => live.whenEnded(sid, listener),
    endAllOf: (accountSid) => {
      for (const actor of live.of(accountSid)) actor.endInactive()
    },
    endTakenOver: () => {
      live.endTakenOver()
    },
  }
}

type InviteDeps = CallsDeps & { readonly emergency: EmergencyCalls }
type TakeDeps = InviteDeps & { readonly refusals: Refusals }

function answerInvites(deps: TakeDeps, live: LiveCalls, slots: CallSlots, begin: BeginCall): void {
  const { refusals } = deps
  deps.telephony.onInvite((invite) => {
    // The caller of a loopback call has already been admitted.
    const isNew = invite.loopback === undefined
    if (isNew && live.isDraining) {
      refusals.refuseForNow(invite, 'this server is shutting down')
      return
    }
    if (isNew && isRefusedForOverload(invite, deps)) {
      refusals.refuseForNow(invite, 'calls are later than MAX_CALL_DELAY_MS')
      return
    }
    takeInvite(invite, deps, slots, begin).catch((err: unknown) => {
      refusals.refuseFailed(invite, err)
    })
  })
}

/** True when an overload refuses the call; an emergency call is always admitted. */
function isRefusedForOverload(
  { requestUri }: IncomingInvite,
  { overload, clock }: InviteDeps,
): boolean {
  return emergencyNumberIn(requestUri) === undefined && overload.refuses(clock.monotonic())
}

async function takeInvite(
  invite: IncomingInvite,
  deps: TakeDeps,
  slots: CallSlots,
  begin: BeginCall,
): Promise<void> {
  const { refusals } = deps
  const admission = await admit(invite, deps)
  switch (admission.type) {
    case 'drop':
      refusals.drop(invite)
      return
    case 'reject':
      refusals.refuse(invite, admission)
      return
    case 'take':
      switch (takeSlots(admission, slots)) {
        case 'server-full':
          refusals.refuseForNow(invite, `the server has its ${String(deps.limits.maxCalls)} calls`)
          return
        // After 503 a carrier would retry over another route, which leads to the same account.
        case 'account-full':
          refusals.refuse(invite, accountFull(admission))
          return
        case 'taken':
      }
      await offerTaken(invite, admission, deps, slots, begin)
  }
}

/** Returns the refusal of a call whose account has reached its maximum of concurrent calls. */
function accountFull({ account, outgoing }: TakenCall): Rejection {
  const whose = outgoing === undefined ? '' : ', or the caller’s has'
  const why = `the account has its calls at once${whose}`
  return { type: 'reject', status: 486, reason: 'Busy Here', why, accountSid: account.sid }
}

/**
 * Offers a call and measures our delay from now on; earlier waits, such as for the caller's name, do not
 * count.
 */
async function offerTaken(
  invite: IncomingInvite,
  taken: TakenCall,
  deps: InviteDeps,
  slots: CallSlots,
  begin: BeginCall,
): Promise<void> {
  const { clock, overload } = deps
  const { call, outgoing } = taken
  const setUp = overload.begin(clock.monotonic())
  const stored = (): void => {
    overload.end(setUp, clock.monotonic())
  }
  try {
    if (outgoing === undefined) {
      await offerCall(invite, taken, slots, begin, { ...deps, stored })
      return
    }
    const pair = { incoming: call, outgoing: outgoing.call, caller: outgoing.account }
    await offerOnNetCall(invite, pair, {
      ...deps,
      stored,
      slots,
      begin: (each, dialer) => begin(each, undefined, dialer),
    })
  } finally {
    overload.abandon(setUp, clock.monotonic())
  }
}

function slotsOf(slots: CallSlots): Pick<BeginDeps, 'takeSlot' | 'takeEmergencySlot' | 'finished'> {
  return {
    takeSlot: (sid, account) => slots.take(sid, account) === 'taken',
    takeEmergencySlot: (sid, account) => {
      slots.takeForEmergency(sid, account)
    },
    finished: (sid) => {
      slots.release(sid)
    },
  }
}

/** Takes slots for a call, and for the caller's account if that is another one: both or none. */
function takeSlots(taken: TakenCall, slots: CallSlots): SlotVerdict {
  const { call, outgoing } = taken
  const verdict = takeSlot(taken, slots)
  if (verdict !== 'taken' || outgoing === undefined) return verdict
  const other = slots.take(outgoing.call.sid, outgoing.account)
  if (other !== 'taken') slots.release(call.sid)
  return other
}

/** Takes a slot for a call. An emergency call gets one even when none is free. */
function takeSlot({ call, account }: TakenCall, slots: CallSlots): SlotVerdict {
  if (call.plan.emergency === undefined) return slots.take(call.sid, account)
  slots.takeForEmergency(call.sid, account)
  return 'taken'
}
