import { AdapterError } from '../../../platform/errors.js'
import { newSid } from '../../../platform/ids.js'
import type { ChildCall, ChildCallEnd } from '../../markup/child-call.js'
import type { AddressTestRequest } from '../../markup/host.js'
import { type CallRecord, newCallRecord } from '../../model/call-record.js'
import type { Leg } from '../../telephony/port.js'
import { type ChildCallDeps, startChild } from './child-calls.js'
import { emergencyPlanFor } from './emergency-plan.js'

/**
 * Places a call to 933, whose answer is heard on the parent's leg; see `MarkupHost.callAddressTest`.
 */
export async function placeAddressTest(
  parent: CallRecord,
  leg: Leg | undefined,
  { callerId }: AddressTestRequest,
  onOver: (end: ChildCallEnd) => void,
  deps: ChildCallDeps,
): Promise<ChildCall> {
  if (leg === undefined) throw new AdapterError('the caller is not connected')
  const plan = await emergencyPlanFor('933', parent, callerId, deps.emergency)
  const call = newCallRecord(
    {
      sid: newSid('CA'),
      accountSid: parent.accountSid,
      parentCallSid: parent.sid,
      direction: 'outbound-dial',
      to: plan.number,
      from: plan.callbackNumber,
      plan: {
        document: { type: 'internal', name: 'address-test' },
        timeoutSeconds: 1,
        emergency: plan,
      },
    },
    deps.clock.now(),
  )
  const nothing = () => Promise.resolve()
  const events = { onEarlyAudio: nothing, onReady: nothing, onOver }
  return await startChild(call, events, deps, leg)
}
