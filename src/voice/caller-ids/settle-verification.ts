import type { CallRecord } from '../model/call-record.js'
import type { Verification } from './caller-id-record.js'
import { verificationCallback } from './verification-callback.js'
import type { VerificationStore } from './verification-store.js'

export type FindCall = (accountSid: string, sid: string) => Promise<CallRecord | undefined>
type Store = Pick<VerificationStore, 'fail'>

/**
 * Ends a verification whose call ended without the right code, and reports it. Resolves with false
 * while the call is live. A call whose record was deleted counts as ended, without a report.
 */
export async function settleVerification(
  verification: Verification,
  store: Store,
  findCall: FindCall,
): Promise<boolean> {
  const call = await findCall(verification.accountSid, verification.callSid)
  if (call !== undefined && call.endedAt === undefined) return false
  const failed = { VerificationStatus: 'failed' } as const
  await store.fail(verification, call && verificationCallback(verification, call, failed))
  return true
}

/** Ends the verifications whose calls ended with an earlier process. Resolves with their number. */
export async function recoverVerifications(
  store: Store & Pick<VerificationStore, 'allPending'>,
  findCall: FindCall,
): Promise<number> {
  let count = 0
  for (const verification of await store.allPending())
    if (await settleVerification(verification, store, findCall)) count += 1
  return count
}
