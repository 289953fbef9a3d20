/** Dials a party that the caller hears on its own leg: an application, or the server's test line. */
import { withAbort } from '../../../../platform/async/abort.js'
import { deferred } from '../../../../platform/async/deferred.js'
import { type ChildCall, type ChildCallEnd, DialRefusedError } from '../../child-call.js'
import type { DialVerb } from '../../parse/dial.js'
import { isCallerGone } from '../caller-gone.js'
import type { VerbContext } from '../verb-run.js'
import type { DialParams } from './dial-params.js'
import type { DialRecorder } from './dial-recorder.js'

/** Places the party's call; `onOver` is called at its end, when the leg is free again. */
export type PlaceOnLeg = (onOver: (end: ChildCallEnd) => void) => Promise<ChildCall>

const NOT_CONNECTED: DialParams = { DialCallStatus: 'failed', DialBridged: 'false' }

class ConnectionOver extends Error {
  override readonly name = 'ConnectionOver'
}

/**
 * Connects the caller with the party. Resolves to the parameters of the action, also when the caller
 * has hung up. Rejects with the signal's reason when another document took the call over; the
 * caller's leg is free then.
 */
export async function dialOnLeg(
  place: PlaceOnLeg,
  verb: DialVerb,
  context: VerbContext,
  recorder: Pick<DialRecorder, 'answered'>,
): Promise<DialParams> {
  const { host, signal } = context
  await host.answer(signal)
  const over = deferred<ChildCallEnd>()
  const child = await placed(() => place(over.resolve), context)
  if (child === undefined) return NOT_CONNECTED
  await recorder.answered()
  // The party's call may not have the leg yet.
  const left = host.letTalk([host.leg, child], verb.timeLimitMs)
  const end = await connected(child, over.done, verb, context).finally(left)
  return {
    DialCallSid: child.sid,
    DialCallStatus: end.status,
    DialCallDuration: String(end.durationSeconds),
    DialBridged: String(end.status === 'completed'),
  }
}

async function placed(
  place: () => Promise<ChildCall>,
  { host }: VerbContext,
): Promise<ChildCall | undefined> {
  try {
    return await place()
  } catch (error) {
    if (!(error instanceof DialRefusedError)) throw error
    host.log({ type: 'error', code: error.number, message: `Dial: ${error.message}` })
    return undefined
  }
}

/** Resolves with the end of the party's call, which the time limit and a star can bring. */
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
    // The leg is free once the party's call is over.
    await over
    together.abort(new ConnectionOver('the party is not connected any more'))
    await limit
  }
  return await over
}
