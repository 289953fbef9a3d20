/** Places the call of a Dial's Application; see `MarkupHost.callApplication`. */
import { AdapterError } from '../../../platform/errors.js'
import { newSid } from '../../../platform/ids.js'
import { answeringByApplication } from '../../applications/answering.js'
import type { Application, Applications } from '../../applications/applications.js'
import { type ChildCall, type ChildCallEnd, DialRefusedError } from '../../markup/child-call.js'
import type { ApplicationCallRequest } from '../../markup/host.js'
import { type CallRecord, newCallRecord } from '../../model/call-record.js'
import type { Leg } from '../../telephony/port.js'
import { hopsOf } from './child-call.js'
import { type ChildCallDeps, startChild } from './child-calls.js'

export interface ApplicationCallDeps extends ChildCallDeps {
  readonly applications: Pick<Applications, 'find'>
}

/** Maximum depth of applications that dial each other for one caller. */
const MAX_DEPTH = 5
const NOT_ACCESSIBLE = 21420
const NO_URL = 21205
const TOO_MANY = 10004

export async function placeApplicationCall(
  parent: CallRecord,
  leg: Leg | undefined,
  wanted: ApplicationCallRequest,
  onOver: (end: ChildCallEnd) => void,
  deps: ApplicationCallDeps,
): Promise<ChildCall> {
  if (leg === undefined) throw new AdapterError('the caller is not connected')
  const application = await deps.applications.find(parent.accountSid, wanted.sid)
  if (application === undefined)
    throw new DialRefusedError(NOT_ACCESSIBLE, `the application ${wanted.sid} is not accessible`)
  if ((parent.plan.applicationDepth ?? 0) >= MAX_DEPTH)
    throw new DialRefusedError(TOO_MANY, `${MAX_DEPTH} applications have dialled each other`)
  const call = newApplicationCall(parent, wanted, application, deps.clock.now())
  const nothing = () => Promise.resolve()
  const events = { onEarlyAudio: nothing, onReady: nothing, onOver }
  return await startChild(call, events, deps, leg)
}

function newApplicationCall(
  parent: CallRecord,
  wanted: ApplicationCallRequest,
  application: Application,
  now: number,
): CallRecord {
  const answering = answeringByApplication(application)
  if (answering === undefined)
    throw new DialRefusedError(NO_URL, `the application ${application.sid} has no VoiceUrl`)
  const { statusCallback = answering.statusCallback } = wanted
  const parameters = Object.entries(wanted.parameters).map(([name, value]) => [
    `Param_${name}`,
    value,
  ])
  const params = {
    CustomerId: wanted.customerId ?? parent.accountSid,
    ...(Object.fromEntries(parameters) as Record<string, string>), // pairs of strings
  }
  return newCallRecord(
    {
      sid: newSid('CA'),
      accountSid: parent.accountSid,
      parentCallSid: parent.sid,
      direction: 'outbound-dial',
      to: wanted.copyParentTo ? parent.to : application.sid,
      from: wanted.callerId ?? parent.from,
      ...(parent.callerName === undefined ? {} : { callerName: parent.callerName }),
      plan: {
        ...answering,
        document: { ...answering.document, params },
        ...(statusCallback === undefined ? {} : { statusCallback }),
        ...hopsOf(parent),
        applicationDepth: (parent.plan.applicationDepth ?? 0) + 1,
        timeoutSeconds: 1,
      },
    },
    now,
  )
}
