import type { NewCallback } from '../../platform/outbox/callback.js'
import type { CallRecord } from '../model/call-record.js'
import { standardParams } from '../model/callback-params.js'
import type { Verification } from './caller-id-record.js'

export type VerificationResult =
  | { readonly VerificationStatus: 'failed' }
  | { readonly VerificationStatus: 'success'; readonly OutgoingCallerIdSid: string }

/**
 * Returns the callback that reports a verification's result with the parameters of its call;
 * undefined when the request named no URL.
 */
export function verificationCallback(
  { callback, accountSid, callSid }: Verification,
  call: CallRecord,
  result: VerificationResult,
): NewCallback | undefined {
  if (callback === undefined) return undefined
  return {
    stream: callSid,
    accountSid,
    kind: 'caller-id',
    url: callback.url,
    method: callback.method,
    params: [...standardParams(call), ...Object.entries(result)],
  }
}
