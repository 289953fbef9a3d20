/** Dial's noun Queue: connects with the caller who has waited longest, or waits for one. */
import type { DialVerb } from '../../parse/dial.js'
import type { QueueNoun } from '../../parse/queue.js'
import type { QueuedParty } from '../../queue-entry.js'
import { isCallerGone } from '../caller-gone.js'
import { resolveUrl } from '../resolve-url.js'
import type { VerbContext } from '../verb-run.js'
import { connectLegs } from './connect-legs.js'
import type { DialParams } from './dial-params.js'
import type { DialRecorder } from './dial-recorder.js'
import { type Ringing, startRinging } from './ringing.js'

const TIMED_OUT = 15002

/** Connects with a caller of the queue. Resolves to the parameters of the action. */
export async function dialQueue(
  { name, announcement }: QueueNoun,
  verb: DialVerb,
  context: VerbContext,
  recorder: Pick<DialRecorder, 'answered'>,
): Promise<DialParams> {
  const { host, signal, documentUrl } = context
  if (name === undefined) return notConnected('failed')
  const told = announcement && { ...announcement, url: resolveUrl(announcement.url, documentUrl) }
  const ringing = startRinging(verb, context)
  try {
    const wanted = { name, announcement: told, timeoutMs: verb.timeoutMs }
    const answer = await host.dialQueue(wanted, signal)
    if (answer.type === 'ready')
      return await connect(answer.party, ringing, verb, context, recorder)
    if (answer.why === 'no-queue') {
      host.log({ type: 'warning', code: 12200, message: `Dial: there is no queue "${name}"` })
      return notConnected('failed')
    }
    host.log({ type: 'error', code: TIMED_OUT, message: `Dial: nobody came into "${name}"` })
    return notConnected('no-answer')
  } finally {
    await ringing.stop()
  }
}

async function connect(
  party: QueuedParty,
  ringing: Ringing,
  verb: DialVerb,
  context: VerbContext,
  recorder: Pick<DialRecorder, 'answered'>,
): Promise<DialParams> {
  let isParted = false
  let durationSeconds = 0
  try {
    await ringing.stop()
    context.signal.throwIfAborted()
    await connectLegs(party, verb, context, recorder)
    isParted = true
  } finally {
    const isDiallerGone = context.signal.aborted || isCallerGone(context)
    const how = isParted ? 'parted' : isDiallerGone ? 'not-connected' : 'failed'
    durationSeconds = party.done(how).durationSeconds
  }
  return {
    DialCallSid: party.callSid,
    DialCallStatus: 'completed',
    DialCallDuration: String(durationSeconds),
    DialBridged: 'true',
  }
}

function notConnected(status: 'failed' | 'no-answer'): DialParams {
  return { DialCallStatus: status, DialBridged: 'false' }
}
