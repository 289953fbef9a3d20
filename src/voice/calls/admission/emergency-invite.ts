/** Admits a softphone's call to an emergency number: it needs no webhook. */
import type { Account } from '../../../accounts/accounts.js'
import { newSid } from '../../../platform/ids.js'
import { numberFromSipUser } from '../../model/address.js'
import type { CallPlan } from '../../model/call-plan.js'
import type { EmergencyNumber } from '../../model/emergency-number.js'
import { warning } from '../../registrar/warning.js'
import type { SipDomain } from '../../sip-domains/sip-domain.js'
import type { IncomingInvite } from '../../telephony/port.js'
import type { EmergencyCalls } from '../emergency-calls.js'
import type { Rejection } from './judge-sender.js'

const TIMEOUT_SECONDS = 120

export type EmergencyAdmission =
  | { readonly type: 'take'; readonly sid: string; readonly plan: CallPlan }
  | Rejection

/** The plan of a call to 911 or 933 of a caller that has shown who it is. */
export async function admitEmergency(
  number: EmergencyNumber,
  invite: IncomingInvite,
  account: Pick<Account, 'sid'>,
  domain: Pick<SipDomain, 'sid'> | undefined,
  emergency: Pick<EmergencyCalls, 'judge'>,
): Promise<EmergencyAdmission> {
  const sid = newSid('CA')
  const verdict = await emergency.judge(number, {
    callSid: sid,
    accountSid: account.sid,
    number: numberFromSipUser(invite.from.user),
    domainSid: domain?.sid,
  })
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
