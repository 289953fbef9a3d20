import type { Account } from '../../accounts/accounts.js'
import type { Page, PageRequest } from '../../platform/database/newest-first.js'
import type { Carriers } from '../carriers/carriers.js'
import {
  CallNotFoundError,
  CallNotInProgressError,
  CallStillLiveError,
  TelephonyUnavailableError,
} from '../model/call-errors.js'
import {
  type CallDocument,
  type CallPlan,
  changedStatusCallback,
  type StatusCallbackChange,
} from '../model/call-plan.js'
import type { CallRecord } from '../model/call-record.js'
import type { DigestGate } from '../registrar/digest-gate.js'
import type { StoredNonceCounts } from '../registrar/nonce-counts.js'
import type { Registrar } from '../registrar/registrar.js'
import type { SipResources } from '../sip-domains/sip-resources.js'
import type { IncomingInvite, Leg } from '../telephony/port.js'
import type { CallActor } from './actor/call-actor.js'
import { LiveCalls } from './actor/live-calls.js'
import { queueMsOf } from './actor/step-record.js'
import { InactiveAccounts } from './admission/inactive-accounts.js'
import { type AdmissionDeps, admit } from './admission/inbound.js'
import type { TakenCall } from './admission/judge-sender.js'
import { offerCall } from './admission/offer-call.js'
import { offerOnNetCall } from './admission/offer-on-net-call.js'
import { answerOutsideRequests } from './admission/outside-requests.js'
import { refuseFailed, refuseForNow } from './admission/refuse-for-now.js'
import { type CallLimits, createTurns, type TurnAtOnce, type Turns } from './admission/turns.js'
import { type BeginCall, type BeginDeps, createBegin } from './begin-call.js'
import type { CreateCall } from './create-call.js'
import { EmergencyCalls } from './emergency-calls.js'
import { type CallFilter, listCalls } from './list-calls.js'
import { placeCall } from './place-call.js'
import { deleteCall, findCall } from './storage/call-storage.js'
import { WantedEnds } from './wanted-ends.js'

export interface CallsDeps
  extends Omit<
    BeginDeps,
    'takeTurn' | 'takeEmergencyTurn' | 'emergency' | 'finished' | 'carriers'
  > {
  readonly carriers: Carriers
  readonly sources: AdmissionDeps['sources']
  readonly numbers: AdmissionDeps['numbers']
  readonly callerVerification: AdmissionDeps['callerVerification']
  readonly numberSettings: AdmissionDeps['numberSettings']
  readonly callerNameFor: AdmissionDeps['callerNameFor']
  readonly gateways: AdmissionDeps['gateways']
  readonly bindings: AdmissionDeps['bindings']
  readonly accessLists: AdmissionDeps['accessLists']
  readonly sipAuthentication: AdmissionDeps['sipAuthentication']
  readonly sip: SipResources
  readonly registrar: Registrar
  readonly gate: DigestGate
  readonly nonceCounts: StoredNonceCounts
  readonly limits: CallLimits
}

export interface UpdateCall {
  /** The requested end; it wins over a document. */
  readonly end?: 'completed' | 'canceled'
  readonly document?: CallDocument
  readonly statusCallback?: StatusCallbackChange
  readonly timeLimitSeconds?: number
}

/** The calls of this process: placed, taken, changed and stored. */
export interface Calls extends AsyncDisposable {
  create(account: Account, wanted: CreateCall): Promise<CallRecord>
  fetch(accountSid: string, sid: string): Promise<CallRecord>
  /** The calls of an account that pass the filter, newest first. */
  list(accountSid: string, filter: CallFilter, page: PageRequest): Promise<Page<CallRecord>>
  /** The call, and its leg while it is in progress. */
  talking(
    accountSid: string,
    sid: string,
  ): Promise<{ readonly call: CallRecord; readonly leg: Leg | undefined }>
  /**
   * Resolves with the changed call; with its final status when an end was requested. A call of another
   * node can be ended: it resolves with the call as it is then.
   */
  update(accountSid: string, sid: string, change: UpdateCall): Promise<CallRecord>
  remove(accountSid: string, sid: string): Promise<void>
  /**
   * Calls `listener` once when the call ends, or at once when it has ended. A call has one
   * listener.
   */
  whenEnded(sid: string, listener: () => void): void
  /**
   * Ends every live call of an account that is not active any more; each has error 20005 in its
   * event log.
   */
  endAllOf(accountSid: string): void
  /** Ends every live call here: another node has declared this one dead, and has reported their ends. */
  endTakenOver(): void
  liveCount(): number
  /** True once `drain` was called: no call is taken or placed after that. */
  isDraining(): boolean
  /**
   * Refuses new calls. It resolves when the last live call has ended, after the limit, or when
   * `hurry` aborts.
   */
  drain(limitMs: number, hurry: AbortSignal): Promise<void>
}

/** The time that live calls have to hang up when the process ends. */
const DISPOSE_LIMIT_MS = 5_000

export function createCalls(deps: CallsDeps): Calls {
  const { db, clock } = deps
  const live = new LiveCalls(deps.clock)
  const turns = createTurns(deps)
  const wantedEnds = new WantedEnds({ ...deps, live })
  const emergency = new EmergencyCalls({ ...deps, domains: deps.sip.domains })

  const begin = createBegin(live, {
    ...deps,
    emergency,
    ...slotsOf(turns),
  })

  const reads = readsOf(deps, live)
  const { fetch } = reads

  const ends = endsOf(live)
  const inactive = new InactiveAccounts({
    accounts: deps.accounts,
    log: deps.log,
    accountsWithCalls: () => live.accountSids,
    endCallsOf: ends.endAllOf,
  })

  answerInvites({ ...deps, emergency }, live, turns, begin)
  answerOutsideRequests({ ...deps, domains: deps.sip.domains, isDraining: () => live.isDraining })

  return {
    create: async (account, wanted) => {
      if (live.isDraining) throw new TelephonyUnavailableError('this server is shutting down')
      return await placeCall(account, wanted, { ...deps, emergency, turns, begin, fetch })
    },
    ...reads,
    update: async (accountSid, sid, change) => {
      const call = await fetch(accountSid, sid)
      const actor = live.get(call.sid)
      if (actor === undefined) return await changeElsewhere(call, change, wantedEnds)
      await changeCall(actor, change)
      const changed = asOfNow(actor.shown, clock.now())
      return change.end === undefined ? changed : { ...changed, status: actor.statusToBe }
    },
    remove: async (accountSid, sid) => {
      const call = await fetch(accountSid, sid)
      if (live.get(call.sid) !== undefined || call.endedAt === undefined)
        throw new CallStillLiveError(`call ${sid} is still in progress`)
      await db.write((tx) => deleteCall(tx, accountSid, call.sid))
    },
    ...ends,
    liveCount: () => live.size,
    isDraining: () => live.isDraining,
    drain: (limitMs, hurry) => {
      turns.close()
      return live.drain(limitMs, hurry)
    },
    [Symbol.asyncDispose]: async () => {
      turns.close()
      inactive[Symbol.dispose]()
      await wantedEnds[Symbol.asyncDispose]()
      await live.hangUpAll(DISPOSE_LIMIT_MS)
    },
  }
}

function endsOf(live: LiveCalls): Pick<Calls, 'whenEnded' | 'endAllOf' | 'endTakenOver'> {
  return {
    whenEnded: (sid, listener) => {
      live.whenEnded(sid, listener)
    },
    endAllOf: (accountSid) => {
      for (const actor of live.of(accountSid)) actor.endInactive()
    },
    endTakenOver: () => {
      live.endTakenOver()
    },
  }
}

function readsOf(
  { db, clock }: Pick<CallsDeps, 'db' | 'clock'>,
  live: LiveCalls,
): Pick<Calls, 'fetch' | 'list' | 'talking'> {
  const fetch = async (accountSid: string, sid: string): Promise<CallRecord> => {
    const actor = live.get(sid)
    if (actor?.record.accountSid === accountSid) return asOfNow(actor.shown, clock.now())
    const call = await findCall(db.read, accountSid, sid)
    if (call === undefined) throw new CallNotFoundError(`there is no call ${sid}`)
    return call
  }
  return {
    fetch,
    list: async (accountSid, filter, page) =>
      listedAsOfNow(await listCalls(db.read, accountSid, filter, page), clock.now()),
    talking: async (accountSid, sid) => {
      const call = await fetch(accountSid, sid)
      return { call, leg: live.get(call.sid)?.talkingLeg }
    },
  }
}

/** The call with its time in the queue, which still grows while it waits for its turn. */
function asOfNow(call: CallRecord, now: number): CallRecord {
  return { ...call, queueMs: queueMsOf(call, now) }
}

function listedAsOfNow(page: Page<CallRecord>, now: number): Page<CallRecord> {
  return { ...page, items: page.items.map((call) => asOfNow(call, now)) }
}

/** Changes a call that is not live here: it has ended, or it is another node's. */
async function changeElsewhere(
  call: CallRecord,
  change: UpdateCall,
  wantedEnds: WantedEnds,
): Promise<CallRecord> {
  // An ended call can be ended again; everything else about it is final.
  if (change.end !== undefined) return await wantedEnds.ask(call)
  if (call.endedAt === undefined)
    throw new TelephonyUnavailableError(`call ${call.sid} is on another server`)
  throw new CallNotInProgressError(`call ${call.sid} is not in progress`)
}

async function changeCall(actor: CallActor, change: UpdateCall): Promise<void> {
  if (change.statusCallback !== undefined || change.timeLimitSeconds !== undefined)
    await actor.changePlan((plan) => changedPlan(plan, change))
  if (change.end !== undefined) await actor.dispatch({ type: 'hangup-requested' })
  else if (change.document !== undefined) await redirect(actor, change.document)
}

async function redirect(actor: CallActor, document: CallDocument): Promise<void> {
  const { plan, sid } = actor.record
  // The leg has the document of the called party's call.
  if (plan.document.type === 'shared-leg')
    throw new CallNotInProgressError(`call ${sid} runs no document`)
  await actor.redirect(document)
}

function changedPlan(plan: CallPlan, change: UpdateCall): CallPlan {
  const { timeLimitSeconds } = change
  const statusCallback = changedStatusCallback(plan.statusCallback, change.statusCallback ?? {})
  return {
    ...plan,
    ...(statusCallback === undefined ? {} : { statusCallback }),
    ...(timeLimitSeconds === undefined ? {} : { timeLimitSeconds }),
  }
}

type InviteDeps = CallsDeps & { readonly emergency: EmergencyCalls }

function answerInvites(deps: InviteDeps, live: LiveCalls, turns: Turns, begin: BeginCall): void {
  deps.telephony.onInvite((invite) => {
    if (live.isDraining) {
      refuseForNow(invite)
      return
    }
    takeInvite(invite, deps, turns, begin).catch((err: unknown) => {
      deps.log.error({ err, callId: invite.callId }, 'could not take an incoming call')
      refuseFailed(invite, err)
    })
  })
}

async function takeInvite(
  invite: IncomingInvite,
  deps: InviteDeps,
  turns: Turns,
  begin: BeginCall,
): Promise<void> {
  const admission = await admit(invite, deps)
  switch (admission.type) {
    case 'drop':
      invite.drop()
      return
    case 'reject':
      invite.reject(admission.status, admission.reason, admission.headers)
      return
    case 'take':
      switch (turnsOf(admission, turns)) {
        case 'server-full':
          refuseForNow(invite)
          return
        // A carrier would try another route after 503, with the same account behind it.
        case 'account-full':
          invite.reject(486, 'Busy Here')
          return
        case 'taken':
      }
      await offerTaken(invite, admission, deps, turns, begin)
  }
}

async function offerTaken(
  invite: IncomingInvite,
  { call, outgoing }: TakenCall,
  deps: InviteDeps,
  turns: Turns,
  begin: BeginCall,
): Promise<void> {
  if (outgoing === undefined) {
    await offerCall(invite, call, turns, begin, deps)
    return
  }
  const pair = { incoming: call, outgoing: outgoing.call, caller: outgoing.account }
  await offerOnNetCall(invite, pair, {
    ...deps,
    turns,
    begin: (each, dialer) => begin(each, undefined, dialer),
  })
}

function slotsOf(turns: Turns): Pick<BeginDeps, 'takeTurn' | 'takeEmergencyTurn' | 'finished'> {
  return {
    takeTurn: (sid, account) => turns.takeAtOnce(sid, account) === 'taken',
    takeEmergencyTurn: (sid, account) => {
      turns.takeEmergency(sid, account)
    },
    finished: (sid) => {
      turns.ended(sid)
    },
  }
}

/** The turns of a call, and of the caller's account where that is another one: both, or none. */
function turnsOf(taken: TakenCall, turns: Turns): TurnAtOnce {
  const { call, outgoing } = taken
  const verdict = turnOf(taken, turns)
  if (verdict !== 'taken' || outgoing === undefined) return verdict
  const other = turns.takeAtOnce(outgoing.call.sid, outgoing.account)
  if (other !== 'taken') turns.ended(call.sid)
  return other
}

/** An emergency call has a turn whether or not a slot is free. */
function turnOf({ call, account }: TakenCall, turns: Turns): TurnAtOnce {
  if (call.plan.emergency === undefined) return turns.takeAtOnce(call.sid, account)
  turns.takeEmergency(call.sid, account)
  return 'taken'
}
