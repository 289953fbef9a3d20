/** The action's parameters about the called party, in the convention's names. Pure. */
import type { ChildCallEnd } from '../../child-call.js'
import type { DialResult } from './call-parties.js'

export type DialParams = Readonly<Record<string, string>>

/** The parameters of a Dial's result. `result` is undefined when nobody could be called. */
export function dialParams(result: DialResult | undefined, isCallerGone: boolean): DialParams {
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

/**
 * The status that the caller sees. A party that answered and was never connected counts as not
 * answered.
 */
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
