/**
 * Dial: connects the caller with one of the parties. When the two have parted, the action is asked,
 * or the next verb runs. When the caller hung up first, the action is sent and its answer is not
 * run.
 */
import { emergencyNumberOf } from '../../../model/emergency-number.js'
import { LegEndedError } from '../../../telephony/port.js'
import type { DialVerb } from '../../parse/dial.js'
import { isCallerGone } from '../caller-gone.js'
import { resolveUrl } from '../resolve-url.js'
import { CONTINUE, DocumentError, type VerbContext, type VerbOutcome } from '../verb-run.js'
import { callParties } from './call-parties.js'
import type { Parting } from './connect-legs.js'
import { dialApplication } from './dial-application.js'
import { dialOnLeg } from './dial-on-leg.js'
import { type DialParams, dialParams } from './dial-params.js'
import { dialQueue } from './dial-queue.js'
import { type DialRecorder, dialRecorder } from './dial-recorder.js'
import { enterConference } from './enter-conference.js'

/** A parting after which the Dial's action is not asked. */
type Referral = Exclude<Parting, { readonly type: 'parted' }>

type DialEnd = { readonly type: 'over'; readonly params: DialParams } | Referral

/** The result when the caller hung up before anybody was called. */
const CANCELED: DialParams = { DialCallStatus: 'canceled', DialBridged: 'false' }

export async function runDial(verb: DialVerb, context: VerbContext): Promise<VerbOutcome> {
  const { host, documentUrl } = context
  if (host.purpose === 'screening')
    throw new DocumentError(13201, 'Dial cannot be used while a called party is screened')
  // A wrong action URL is an error before anybody is called.
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
 * Runs the Dial's noun. Resolves also when the caller has hung up. Rejects when another document
 * took the call over.
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

/** True for a Dial of 933 alone, the test line that this server plays itself. */
function isAddressTest({ nouns }: DialVerb): boolean {
  const [first] = nouns
  return nouns.length === 1 && first?.type === 'number' && emergencyNumberOf(first.number) === '933'
}

/**
 * The outcome after a REFER. The action is not asked: the party that stays goes on with the
 * document at referUrl, or with the other party of an attended transfer.
 */
function afterReferral(referral: Referral): VerbOutcome {
  return referral.type === 'referred-by-party'
    ? { type: 'fetch', request: referral.request }
    : { type: 'end', end: { type: 'hangup' } }
}
