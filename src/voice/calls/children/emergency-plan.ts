/** The addresses of the emergency calls that documents place. */
import { type ChildCallRequest, DialRefusedError } from '../../markup/child-call.js'
import { numberFromSipUser, parseCallAddress } from '../../model/address.js'
import type { EmergencyPlan } from '../../model/call-plan.js'
import type { CallRecord } from '../../model/call-record.js'
import { type EmergencyNumber, emergencyNumberOf } from '../../model/emergency-number.js'
import type { EmergencyCalls } from '../emergency-calls.js'

/** The error number of a Dial's number that may not be called. */
const BLOCKED = 13225

/**
 * The plan of a Dial's emergency call; undefined when it calls anybody else. Rejects with
 * DialRefusedError when no address is known.
 */
export async function emergencyOf(
  parent: CallRecord,
  { to, callerId }: ChildCallRequest,
  emergency: Pick<EmergencyCalls, 'judge'>,
): Promise<EmergencyPlan | undefined> {
  const number = to.type === 'number' ? emergencyNumberOf(to.number) : undefined
  return number === undefined
    ? undefined
    : await emergencyPlanFor(number, parent, callerId, emergency)
}

/** The plan of a call to an emergency number. Rejects with DialRefusedError when no address is known. */
export async function emergencyPlanFor(
  number: EmergencyNumber,
  parent: CallRecord,
  callerId: string | undefined,
  emergency: Pick<EmergencyCalls, 'judge'>,
): Promise<EmergencyPlan> {
  // The parent's own call was admitted to an emergency number.
  if (parent.plan.emergency !== undefined) return { ...parent.plan.emergency, number }
  const verdict = await emergency.judge(number, {
    callSid: parent.sid,
    accountSid: parent.accountSid,
    number: numberOf(callerId ?? parent.from),
    domainSid: parent.sipOrigin?.domainSid,
  })
  if (verdict.type === 'admitted') return verdict.plan
  throw new DialRefusedError(BLOCKED, verdict.reason)
}

function numberOf(text: string): string | undefined {
  const address = parseCallAddress(text, [])
  if (address?.type === 'number') return address.e164
  return numberFromSipUser(/^sips?:([^@]*)@/.exec(text)?.[1])
}
