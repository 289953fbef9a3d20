/**
 * Connects the caller with one of the parties, and goes on when they have parted: with the action,
 * which learns how it went, or with the next verb.
 */
import type { ChildCallEnd } from '../child-call.js'
import type { DialVerb } from '../parse/dial.js'
import { resolveUrl } from './resolve-url.js'
import { callParties, type DialResult } from './run-dial-calls.js'
import { enterConference } from './run-dial-conference.js'
import { dialQueue } from './run-dial-queue.js'
import { dialRecorder } from './run-dial-record.js'
import type { Parting } from './run-dial-referrals.js'
import { CONTINUE, DocumentError, type VerbContext, type VerbOutcome } from './verb-run.js'

export async function runDial(verb: DialVerb, context: VerbContext): Promise<VerbOutcome> {
  const { host, documentUrl, onProgress } = context
  if (host.purpose === 'screening')
    throw new DocumentError(13201, 'Dial cannot be used while a called party is screened')
  // Found wrong before anybody is called, not after.
  const action = verb.action === undefined ? undefined : resolveUrl(verb.action, documentUrl)
  const next = (params: Readonly<Record<string, string>>): VerbOutcome => {
    onProgress()
    if (action === undefined) return CONTINUE
    return { type: 'fetch', request: { url: action, method: verb.method, params } }
  }
  const [first] = verb.nouns
  if (first?.type === 'conference')
    return next({ DialCallStatus: await enterConference(first, verb, context) })
  if (!verb.answerOnBridge) await host.answer(context.signal)
  const recorder = dialRecorder(verb, context)
  try {
    await recorder.ringing()
    if (first?.type === 'queue')
      return next({
        ...(await dialQueue(first, verb, context, recorder)),
        ...(await recorder.finish()),
      })
    const result = await callParties(verb, context, recorder)
    if (result === undefined || result.parting.type === 'parted')
      return next({ ...paramsOf(result), ...(await recorder.finish()) })
    onProgress()
    return afterReferral(result.parting)
  } finally {
    // Also of a Dial that was cut short.
    await recorder.finish()
  }
}

/** Not the action: who was referred goes on with another document, here or on its own. */
function afterReferral(parting: Exclude<Parting, { readonly type: 'parted' }>): VerbOutcome {
  return parting.type === 'caller-referred'
    ? { type: 'fetch', request: parting.request }
    : { type: 'end', end: { type: 'hangup' } }
}

function paramsOf(result: DialResult | undefined): Readonly<Record<string, string>> {
  if (result === undefined) return { DialCallStatus: 'failed', DialBridged: 'false' }
  const { sid, end, connection, noun } = result
  return {
    DialCallSid: sid,
    DialCallStatus: statusOf(connection, end),
    DialCallDuration: String(end.durationSeconds),
    DialBridged: String(connection === 'bridged'),
    ...(noun === 'sip' ? sipParamsOf(end) : {}),
  }
}

/** Answered but never connected with the caller, for whom nobody answered. */
function statusOf(connection: DialResult['connection'], { status }: ChildCallEnd): string {
  if (status !== 'completed' && status !== 'taken') return status
  return connection === 'bridged' ? 'completed' : 'no-answer'
}

function sipParamsOf(end: ChildCallEnd): Readonly<Record<string, string>> {
  const headers = end.sipHeaders
    .filter(({ name }) => /^(?:x-|user-to-user$)/i.test(name))
    .map(({ name, value }) => [`DialSipHeader_${name}`, value] as const)
  return {
    ...(end.sipCallId === undefined ? {} : { DialSipCallId: end.sipCallId }),
    ...(end.sipStatus === undefined ? {} : { DialSipResponseCode: String(end.sipStatus) }),
    ...Object.fromEntries(headers),
  }
}
