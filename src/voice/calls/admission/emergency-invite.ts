/** Admits a call to an emergency number from a softphone or a PBX, which needs no webhook. */
import { newSid } from '../../../platform/ids.js'
import type { CallPlan } from '../../model/call-plan.js'
import type { EmergencyNumber } from '../../model/emergency-number.js'
import { warning } from '../../registrar/warning.js'
import type { EmergencyCaller, EmergencyCalls } from '../emergency-calls.js'
import type { Rejection } from './classify-sender.js'

const TIMEOUT_SECONDS = 120

export type EmergencyAdmission =
  | { readonly type: 'take'; readonly sid: string; readonly plan: CallPlan }
  | Rejection

/** Returns the plan of a call to 911 or 933 from an authenticated caller. */
export async function admitEmergency(
  number: EmergencyNumber,
  caller: Omit<EmergencyCaller, 'callSid'>,
  emergency: Pick<EmergencyCalls, 'judge'>,
): Promise<EmergencyAdmission> {
  const sid = newSid('CA')
  const verdict = await emergency.judge(number, { ...caller, callSid: sid })
  if (verdict.type === 'refused')
    return {
      type: 'reject',
      status: 403,
      reason: 'Forbidden',
      headers: warning(13225, verdict.reason),
    }
  const name = number === '933' ? 'address-test' : 'emergency-call'
  return {
    type: 'take',
    sid,
    plan: {
      document: { type: 'internal', name },
      timeoutSeconds: TIMEOUT_SECONDS,
      emergency: verdict.plan,
    },
  }
}
