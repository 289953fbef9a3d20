/** Dial's noun Application: the caller hears an application's documents, until their end. */
import { withAbort } from '../../../../platform/async/abort.js'
import { deferred } from '../../../../platform/async/deferred.js'
import { type ChildCall, type ChildCallEnd, DialRefusedError } from '../../child-call.js'
import type { ApplicationNoun } from '../../parse/application.js'
import type { DialVerb } from '../../parse/dial.js'
import { isCallerGone } from '../caller-gone.js'
import { resolveCallback } from '../resolve-callback.js'
import type { VerbContext } from '../verb-run.js'
import type { DialParams } from './dial-params.js'
import type { DialRecorder } from './dial-recorder.js'

const NOT_CONNECTED: DialParams = { DialCallStatus: 'failed', DialBridged: 'false' }

class ConnectionOver extends Error {
  override readonly name = 'ConnectionOver'
}

/**
 * Connects the caller with the application. Resolves to the parameters of the action, also when the
 * caller has hung up. Rejects with the signal's reason when another document took the call over; the
 * caller's leg is free then.
 */
export async function dialApplication(
  noun: ApplicationNoun,
  verb: DialVerb,
  context: VerbContext,
  recorder: Pick<DialRecorder, 'answered'>,
): Promise<DialParams> {
  const { host, signal } = context
  await host.answer(signal)
  const over = deferred<ChildCallEnd>()
  const child = await place(noun, verb, context, over.resolve)
  if (child === undefined) return NOT_CONNECTED
  await recorder.answered()
  const end = await connected(child, over.done, verb, context)
  return {
    DialCallSid: child.sid,
    DialCallStatus: end.status,
    DialCallDuration: String(end.durationSeconds),
    DialBridged: String(end.status === 'completed'),
  }
}

async function place(
  noun: ApplicationNoun,
  verb: DialVerb,
  { host, documentUrl }: VerbContext,
  onOver: (end: ChildCallEnd) => void,
): Promise<ChildCall | undefined> {
  const request = {
    sid: noun.sid,
    callerId: verb.callerId,
    copyParentTo: noun.copyParentTo,
    customerId: noun.customerId,
    parameters: Object.fromEntries(noun.parameters.map(({ name, value }) => [name, value])),
    statusCallback: resolveCallback(noun.statusCallback, documentUrl, 'Dial', host),
  }
  try {
    return await host.callApplication(request, onOver)
  } catch (error) {
    if (!(error instanceof DialRefusedError)) throw error
    host.log({ type: 'error', code: error.number, message: `Dial: ${error.message}` })
    return undefined
  }
}

/** Resolves with the end of the application's call, which the time limit and a star can bring. */
async function connected(
  child: ChildCall,
  over: Promise<ChildCallEnd>,
  verb: DialVerb,
  context: VerbContext,
): Promise<ChildCallEnd> {
  const { host, signal, sleep } = context
  const together = new AbortController()
  const hangup = () => {
    child.hangup()
  }
  const unsubscribe = host.leg.digits.subscribe(({ digit }) => {
    if (verb.hangupOnStar && digit === '*') hangup()
  })
  const limit = sleep(verb.timeLimitMs, together.signal).then(hangup, () => undefined)
  try {
    await withAbort(over, signal)
  } catch (error) {
    if (!isCallerGone(context)) throw error
  } finally {
    unsubscribe()
    hangup()
    // The leg is free once the application's call is over.
    await over
    together.abort(new ConnectionOver('the application is not connected any more'))
    await limit
  }
  return await over
}
