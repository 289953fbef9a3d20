/**
 * Dial: connects the caller with one of the parties. After the connection the action is requested, or the
 * next verb runs. When the caller hung up first, the action is sent and its answer is not run.
 */

import { withAbort } from '../../../../platform/async/abort.js'
import { deferred } from '../../../../platform/async/deferred.js'
import { emergencyNumberOf } from '../../../model/emergency-number.js'
import { LegEndedError } from '../../../telephony/port.js'
import { type ChildCall, type ChildCallEnd, DialRefusedError } from '../../child-call.js'
import type { ApplicationNoun } from '../../parse/application.js'
import type { DialVerb } from '../../parse/dial.js'
import type { QueueNoun } from '../../parse/queue.js'
import type { QueuedParty } from '../../queue-entry.js'
import { resolveCallback, resolveUrl } from '../resolve-url.js'
import {
  CONTINUE,
  DocumentError,
  isCallerGone,
  type VerbContext,
  type VerbOutcome,
} from '../verb-run.js'
import { callParties, type DialResult } from './call-parties.js'
import { connectLegs, type Parting } from './connect-legs.js'
import { type DialRecorder, dialRecorder } from './dial-recorder.js'
import { enterConference } from './enter-conference.js'
import { type Ringing, startRinging } from './ringing.js'

/** The end of a connection after which the Dial's action is not requested. */
type Referral = Exclude<Parting, { readonly type: 'parted' }>

type DialEnd = { readonly type: 'over'; readonly params: DialParams } | Referral

/** Places the party's call; `onOver` is called at its end, when the leg is free again. */
type PlaceOnLeg = (onOver: (end: ChildCallEnd) => void) => Promise<ChildCall>

const NOT_CONNECTED: DialParams = { DialCallStatus: 'failed', DialBridged: 'false' }

type DialParams = Readonly<Record<string, string>>

/** The result when the caller hung up before anybody was called. */
const CANCELED: DialParams = { DialCallStatus: 'canceled', DialBridged: 'false' }

const TIMED_OUT = 15002

export async function runDial(verb: DialVerb, context: VerbContext): Promise<VerbOutcome> {
  const { host, documentUrl } = context
  if (host.purpose === 'screening')
    throw new DocumentError(13201, 'Dial cannot be used while a called party is screened')
  // An invalid action URL is an error before anybody is called.
  const action = verb.action === undefined ? undefined : resolveUrl(verb.action, documentUrl)
  const end = await dial(verb, context)
  if (end.type !== 'over') return afterReferral(end)
  const request = action === undefined ? undefined : { url: action, method: verb.method }
  if (!isCallerGone(context)) {
    if (request === undefined) return CONTINUE
    return { type: 'fetch', request: { ...request, params: end.params, delivery: 'owed' } }
  }
  if (request !== undefined) await host.tell({ ...request, params: end.params })
  throw new LegEndedError('the caller hung up')
}

/**
 * Runs the Dial's noun. Resolves also when the caller has hung up. Rejects when another document replaced
 * this one.
 */
async function dial(verb: DialVerb, context: VerbContext): Promise<DialEnd> {
  const recorder = dialRecorder(verb, context)
  try {
    const end = await connectCaller(verb, context, recorder)
    if (end.type !== 'over') return end
    return { type: 'over', params: { ...end.params, ...(await recorder.finish()) } }
  } catch (error) {
    if (!isCallerGone(context)) throw error
    return { type: 'over', params: { ...CANCELED, ...(await recorder.finish()) } }
  } finally {
    // A Dial that another document replaced ends its recording too.
    await recorder.finish()
  }
}

async function connectCaller(
  verb: DialVerb,
  context: VerbContext,
  recorder: DialRecorder,
): Promise<DialEnd> {
  const [first] = verb.nouns
  if (first?.type === 'conference')
    return {
      type: 'over',
      params: { DialCallStatus: await enterConference(first, verb, context) },
    }
  if (!verb.answerOnBridge) await context.host.answer(context.signal)
  await recorder.ringing()
  if (first?.type === 'application')
    return { type: 'over', params: await dialApplication(first, verb, context, recorder) }
  if (first?.type === 'queue')
    return { type: 'over', params: await dialQueue(first, verb, context, recorder) }
  if (isAddressTest(verb)) {
    const { callerId } = verb
    const params = await dialOnLeg(
      (onOver) => context.host.callAddressTest({ callerId }, onOver),
      verb,
      context,
      recorder,
    )
    return { type: 'over', params }
  }
  const result = await callParties(verb, context, recorder)
  if (result?.parting !== undefined && result.parting.type !== 'parted') return result.parting
  return { type: 'over', params: dialParams(result, isCallerGone(context)) }
}

/** Connects with a caller of the queue. Resolves with the parameters of the action. */
async function dialQueue(
  { name, announcement }: QueueNoun,
  verb: DialVerb,
  context: VerbContext,
  recorder: Pick<DialRecorder, 'answered'>,
): Promise<DialParams> {
  const { host, signal, documentUrl } = context
  if (name === undefined) return notConnected('failed')
  const resolved = announcement && {
    ...announcement,
    url: resolveUrl(announcement.url, documentUrl),
  }
  const ringing = startRinging(verb, context)
  try {
    const wanted = { name, announcement: resolved, timeoutMs: verb.timeoutMs }
    const answer = await host.dialQueue(wanted, signal)
    if (answer.type === 'ready')
      return await connect(answer.party, ringing, verb, context, recorder)
    if (answer.why === 'no-queue') {
      host.log({ type: 'warning', code: 12200, message: `Dial: there is no queue "${name}"` })
      return notConnected('failed')
    }
    host.log({ type: 'error', code: TIMED_OUT, message: `Dial: nobody came into "${name}"` })
    return notConnected('no-answer')
  } finally {
    await ringing.stop()
  }
}

async function connect(
  party: QueuedParty,
  ringing: Ringing,
  verb: DialVerb,
  context: VerbContext,
  recorder: Pick<DialRecorder, 'answered'>,
): Promise<DialParams> {
  let isParted = false
  let durationSeconds = 0
  try {
    await ringing.stop()
    context.signal.throwIfAborted()
    await connectLegs(party, verb, context, recorder)
    isParted = true
  } finally {
    const isDiallerGone = context.signal.aborted || isCallerGone(context)
    const how = isParted ? 'parted' : isDiallerGone ? 'not-connected' : 'failed'
    durationSeconds = party.done(how).durationSeconds
  }
  return {
    DialCallSid: party.callSid,
    DialCallStatus: 'completed',
    DialCallDuration: String(durationSeconds),
    DialBridged: 'true',
  }
}

function notConnected(status: 'failed' | 'no-answer'): DialParams {
  return { DialCallStatus: status, DialBridged: 'false' }
}

/** Connects the caller with the application; see `dialOnLeg`. */
async function dialApplication(
  noun: ApplicationNoun,
  verb: DialVerb,
  context: VerbContext,
  recorder: Pick<DialRecorder, 'answered'>,
): Promise<DialParams> {
  const { host, documentUrl } = context
  const place = (onOver: Parameters<typeof host.callApplication>[1]) =>
    host.callApplication(
      {
        sid: noun.sid,
        callerId: verb.callerId,
        copyParentTo: noun.copyParentTo,
        customerId: noun.customerId,
        parameters: Object.fromEntries(noun.parameters.map(({ name, value }) => [name, value])),
        statusCallback: resolveCallback(noun.statusCallback, documentUrl, 'Dial', host),
      },
      onOver,
    )
  return await dialOnLeg(place, verb, context, recorder)
}

class ConnectionOver extends Error {
  override readonly name = 'ConnectionOver'
}

/**
 * Connects the caller with the party. Resolves with the parameters of the action, also when the caller has
 * hung up. Rejects with the signal's reason when another document replaced this one; the caller's leg is free
 * then.
 */
async function dialOnLeg(
  place: PlaceOnLeg,
  verb: DialVerb,
  context: VerbContext,
  recorder: Pick<DialRecorder, 'answered'>,
): Promise<DialParams> {
  const { host, signal } = context
  await host.answer(signal)
  const over = deferred<ChildCallEnd>()
  const child = await placed(() => place(over.resolve), context)
  if (child === undefined) return NOT_CONNECTED
  await recorder.answered()
  // The party's call may not have the leg yet.
  const left = host.letTalk([host.leg, child], verb.timeLimitMs)
  const end = await connected(child, over.done, verb, context).finally(left)
  return {
    DialCallSid: child.sid,
    DialCallStatus: end.status,
    DialCallDuration: String(end.durationSeconds),
    DialBridged: String(end.status === 'completed'),
  }
}

/** Returns the parameters of a Dial's result. `result` is undefined when nobody could be called. */
function dialParams(result: DialResult | undefined, isCallerGone: boolean): DialParams {
  if (result === undefined)
    return { DialCallStatus: isCallerGone ? 'canceled' : 'failed', DialBridged: 'false' }
  const { sid, end, parting, noun } = result
  return {
    DialCallSid: sid,
    DialCallStatus: statusOf(result, isCallerGone),
    DialCallDuration: String(end.durationSeconds),
    DialBridged: String(parting !== undefined),
    ...(noun === 'sip' ? sipParamsOf(end) : {}),
  }
}

/** Returns the DialCallStatus. A party that answered and was never connected counts as not answered. */
function statusOf({ parting, end: { status } }: DialResult, isCallerGone: boolean): string {
  if (status !== 'completed' && status !== 'taken') return status
  if (parting !== undefined) return 'completed'
  return isCallerGone ? 'canceled' : 'no-answer'
}

function sipParamsOf({ sipCallId, sipStatus, sipHeaders }: ChildCallEnd): DialParams {
  const params: Record<string, string> = {}
  if (sipCallId !== undefined) params['DialSipCallId'] = sipCallId
  if (sipStatus !== undefined) params['DialSipResponseCode'] = String(sipStatus)
  for (const { name, value } of sipHeaders)
    if (/^(?:x-|user-to-user$)/i.test(name)) params[`DialSipHeader_${name}`] = value
  return params
}

async function placed(
  place: () => Promise<ChildCall>,
  { host }: VerbContext,
): Promise<ChildCall | undefined> {
  try {
    return await place()
  } catch (error) {
    if (!(error instanceof DialRefusedError)) throw error
    host.log({ type: 'error', code: error.number, message: `Dial: ${error.message}` })
    return undefined
  }
}

/** Resolves with the end of the party's call, which the time limit and `*` (hangupOnStar) can cause. */
async function connected(
  child: ChildCall,
  over: Promise<ChildCallEnd>,
  verb: DialVerb,
  context: VerbContext,
): Promise<ChildCallEnd> {
  const { host, signal, sleep } = context
  const together = new AbortController()
  const hangup = () => {
    child.hangup()
  }
  const unsubscribe = host.leg.digits.subscribe(({ digit }) => {
    if (verb.hangupOnStar && digit === '*') hangup()
  })
  const limit = sleep(verb.timeLimitMs, together.signal).then(hangup, () => undefined)
  try {
    await withAbort(over, signal)
  } catch (error) {
    if (!isCallerGone(context)) throw error
  } finally {
    unsubscribe()
    hangup()
    // The leg is free once the party's call has ended.
    await over
    together.abort(new ConnectionOver('the party is not connected any more'))
    await limit
  }
  return await over
}

/** True for a Dial of only 933, the test line that this server plays itself. */
function isAddressTest({ nouns }: DialVerb): boolean {
  const [first] = nouns
  return nouns.length === 1 && first?.type === 'number' && emergencyNumberOf(first.number) === '933'
}

/**
 * Returns the outcome after a REFER. The action is not requested: the remaining party continues with the
 * document at referUrl, or with the other party of an attended transfer.
 */
function afterReferral(referral: Referral): VerbOutcome {
  return referral.type === 'referred-by-party'
    ? { type: 'fetch', request: referral.request }
    : { type: 'end', end: { type: 'hangup' } }
}
