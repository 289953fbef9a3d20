/**
 * Refer: asks the caller's side to call another party (RFC 3515), and waits for its NOTIFYs. Then
 * the action is asked, or the next verb runs. The call itself goes on until one side ends it.
 */
import { statusOfRejection } from '../../model/outcome.js'
import { LegEndedError, type ReferralOutcome, UnsafeArgumentError } from '../../telephony/port.js'
import type { MarkupHost } from '../host.js'
import type { ReferVerb } from '../parse/refer.js'
import { resolveUrl } from './resolve-url.js'
import { CONTINUE, type VerbContext, type VerbOutcome } from './verb-run.js'

/** Responses of far ends that do not know REFER: Method Not Allowed, Not Implemented. */
const UNKNOWN_METHOD: readonly (number | undefined)[] = [405, 501]

export async function runRefer(verb: ReferVerb, context: VerbContext): Promise<VerbOutcome> {
  const { host, signal, documentUrl, onProgress } = context
  // A wrong action URL is an error before the REFER is sent.
  const action = verb.action === undefined ? undefined : resolveUrl(verb.action, documentUrl)
  const outcome = await refer(verb, host, signal)
  onProgress()
  const request = action && { url: action, method: verb.method, params: paramsOf(outcome) }
  if (outcome?.how === 'leg-over') {
    if (request) await host.tell(request)
    throw new LegEndedError('the caller hung up')
  }
  if (!request) return CONTINUE
  // A referred caller usually hangs up at once.
  return { type: 'fetch', request: { ...request, delivery: 'owed' } }
}

/** Sends the REFER. Resolves to undefined when there is no valid URI to refer to. */
async function refer(
  { target }: ReferVerb,
  host: MarkupHost,
  signal: AbortSignal,
): Promise<ReferralOutcome | undefined> {
  if (target === undefined) {
    host.log({ type: 'warning', code: 13243, message: 'Refer: no Sip to refer to' })
    return undefined
  }
  try {
    const outcome = await host.leg.refer(target, signal)
    if (outcome.how === 'refused' && UNKNOWN_METHOD.includes(outcome.sipStatus))
      host.log({ type: 'error', code: 13801, message: 'Refer: the far end cannot be referred' })
    return outcome
  } catch (error) {
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

/** The status of the far end's new call from its NOTIFYs; undefined when it sent none. */
function statusOf({ how, notifiedStatus }: ReferralOutcome): string | undefined {
  if (how === 'refused') return 'failed'
  if (how === 'leg-over') return 'canceled'
  if (notifiedStatus === undefined) return undefined
  if (notifiedStatus < 200) return 'ringing'
  return notifiedStatus < 300 ? 'in-progress' : statusOfRejection(notifiedStatus)
}
