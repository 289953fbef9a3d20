/**
 * Refer: asks the caller's phone to call another party (RFC 3515), and waits for its NOTIFYs. Then the action
 * is requested, or the next verb runs. The call itself continues until one side ends it. When it has ended
 * before, the action is sent and its answer is not run.
 */
import { statusOfRejection } from '../../model/outcome.js'
import { LegEndedError, type ReferralOutcome, UnsafeArgumentError } from '../../telephony/port.js'
import { DialRefusedError } from '../child-call.js'
import type { ReferVerb } from '../parse/refer.js'
import { resolveUrl } from './resolve-url.js'
import { CONTINUE, isCallerGone, type VerbContext, type VerbOutcome } from './verb-run.js'

/** Responses of peers that do not support REFER: Method Not Allowed, Not Implemented. */
const UNKNOWN_METHOD: readonly (number | undefined)[] = [405, 501]
/** The outcome when the call ended before the peer answered. */
const GIVEN_UP: ReferralOutcome = {
  how: 'leg-over',
  sipStatus: undefined,
  notifiedStatus: undefined,
}

export async function runRefer(verb: ReferVerb, context: VerbContext): Promise<VerbOutcome> {
  const { host, documentUrl } = context
  // An invalid action URL is an error before the REFER is sent.
  const action = verb.action === undefined ? undefined : resolveUrl(verb.action, documentUrl)
  const outcome = await refer(verb, context)
  const request = action && { url: action, method: verb.method, params: paramsOf(outcome) }
  if (outcome?.how === 'leg-over') {
    if (request) await host.tell(request)
    throw new LegEndedError('the call is over')
  }
  if (!request) return CONTINUE
  // A referred caller usually hangs up at once.
  return { type: 'fetch', request: { ...request, delivery: 'owed' } }
}

/**
 * Sends the REFER. Resolves also when the call has ended, and with undefined when there is no target, or one
 * that the account may not call. Rejects when another document replaced this one.
 */
async function refer(
  { target }: ReferVerb,
  context: VerbContext,
): Promise<ReferralOutcome | undefined> {
  const { host, signal } = context
  if (target === undefined) {
    host.log({ type: 'warning', code: 13243, message: 'Refer: no Sip to refer to' })
    return undefined
  }
  try {
    await host.judgeReferral(target)
    const outcome = await host.leg.refer(target, signal)
    if (outcome.how === 'refused' && UNKNOWN_METHOD.includes(outcome.sipStatus))
      host.log({ type: 'error', code: 13801, message: 'Refer: the far end cannot be referred' })
    return outcome
  } catch (error) {
    if (isCallerGone(context)) return GIVEN_UP
    if (error instanceof DialRefusedError) {
      host.log({ type: 'warning', code: error.number, message: `Refer: ${error.message}` })
      return undefined
    }
    if (!(error instanceof UnsafeArgumentError)) throw error
    host.log({ type: 'warning', code: 13243, message: `Refer: "${target}" is not a SIP URI` })
    return undefined
  }
}

function paramsOf(outcome: ReferralOutcome | undefined): Readonly<Record<string, string>> {
  if (outcome === undefined) return { ReferCallStatus: 'failed' }
  const { sipStatus, notifiedStatus } = outcome
  const status = statusOf(outcome)
  const params: Record<string, string> = {}
  if (status !== undefined) params['ReferCallStatus'] = status
  if (sipStatus !== undefined) params['ReferSipResponseCode'] = String(sipStatus)
  if (notifiedStatus !== undefined) params['NotifySipResponseCode'] = String(notifiedStatus)
  return params
}

/** Returns the status of the peer's new call from its NOTIFYs; undefined when it sent none. */
function statusOf({ how, notifiedStatus }: ReferralOutcome): string | undefined {
  if (how === 'refused') return 'failed'
  if (how === 'leg-over') return 'canceled'
  if (notifiedStatus === undefined) return undefined
  if (notifiedStatus < 200) return 'ringing'
  return notifiedStatus < 300 ? 'in-progress' : statusOfRejection(notifiedStatus)
}
