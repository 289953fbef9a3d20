/** Dial's noun Queue: connects with the caller who has waited longest, or waits for one. */

import type { DialVerb } from '../parse/dial.js'
import type { QueueNoun } from '../parse/queue.js'
import type { QueuedParty } from '../queue-entry.js'
import { resolveUrl } from './resolve-url.js'
import { connectLegs } from './run-dial-connect.js'
import type { DialRecorder } from './run-dial-record.js'
import { startRinging } from './run-dial-ringing.js'
import type { VerbContext } from './verb-run.js'

type Params = Readonly<Record<string, string>>

type Recorder = Pick<DialRecorder, 'answered'>
type Ringing = ReturnType<typeof startRinging>

const TIMED_OUT = 15002

/** What the action learns. */
export async function dialQueue(
  { name, announcement }: QueueNoun,
  verb: DialVerb,
  context: VerbContext,
  recorder: Recorder,
): Promise<Params> {
  const { host, signal, documentUrl } = context
  if (name === undefined) return nobody('failed')
  const told = announcement && { ...announcement, url: resolveUrl(announcement.url, documentUrl) }
  const ringing = startRinging(verb, context)
  try {
    const wanted = { name, announcement: told, timeoutMs: verb.timeoutMs }
    const answer = await host.dialQueue(wanted, signal)
    if (answer.type === 'ready')
      return await connect(answer.party, verb, context, { ringing, recorder })
    if (answer.why === 'no-queue') {
      host.log({ type: 'warning', code: 12200, message: `Dial: there is no queue "${name}"` })
      return nobody('failed')
    }
    host.log({ type: 'error', code: TIMED_OUT, message: `Dial: nobody came into "${name}"` })
    return nobody('no-answer')
  } finally {
    await ringing.stop()
  }
}

async function connect(
  party: QueuedParty,
  verb: DialVerb,
  context: VerbContext,
  meanwhile: { readonly ringing: Ringing; readonly recorder: Recorder },
): Promise<Params> {
  const { host, signal } = context
  let isParted = false
  let durationSeconds = 0
  try {
    await meanwhile.ringing.stop()
    signal.throwIfAborted()
    await connectLegs(party, verb, context, meanwhile.recorder)
    isParted = true
  } finally {
    const isDiallerGone = signal.aborted || host.leg.state === 'ended'
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

function nobody(status: 'failed' | 'no-answer'): Params {
  return { DialCallStatus: status, DialBridged: 'false' }
}
