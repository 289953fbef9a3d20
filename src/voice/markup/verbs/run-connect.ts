/**
 * Connect: gives the call to its noun until the noun returns it or the document is left. Then the action is
 * requested, or the next verb runs. When the call has ended before, the action is sent and its answer is not
 * run.
 */
import { withAbort } from '../../../platform/async/abort.js'
import { LegEndedError } from '../../telephony/port.js'
import type { ConnectVerb } from '../parse/connect.js'
import type { StreamNoun } from '../parse/stream.js'
import { resolveUrl } from './resolve-url.js'
import { startStream } from './start-stream.js'
import { CONTINUE, isCallerGone, type VerbContext, type VerbOutcome } from './verb-run.js'

export async function runConnect(verb: ConnectVerb, context: VerbContext): Promise<VerbOutcome> {
  const { host, documentUrl } = context
  // An invalid action URL is an error before anybody is connected.
  const action = verb.action === undefined ? undefined : resolveUrl(verb.action, documentUrl)
  const [noun] = verb.nouns
  if (noun?.type === 'stream') await connectStream(noun, context)
  else if (noun !== undefined) {
    const message = `<${noun.element.name}> is not supported in <Connect>`
    host.log({ type: 'error', code: 13750, message })
  }
  const request =
    action === undefined ? undefined : { url: action, method: verb.method, params: {} }
  // The end of a call also ends its stream; either may be noticed first.
  if (!isCallerGone(context)) {
    if (request === undefined) return CONTINUE
    return { type: 'fetch', request: { ...request, delivery: 'owed' } }
  }
  if (request !== undefined) await host.tell(request)
  throw new LegEndedError('the call is over')
}

/**
 * Resolves when the stream returns the call, or the call has ended. Rejects when another document replaced
 * this one.
 */
async function connectStream(noun: StreamNoun, context: VerbContext): Promise<void> {
  const { host, signal } = context
  if (noun.track !== 'inbound_track') {
    const message = `Connect: a Stream hears the inbound_track only, not the ${noun.track}`
    host.log({ type: 'warning', code: 31941, message })
  }
  const stream = await startStream(noun, { kind: 'two-way', track: 'inbound_track' }, context)
  if (stream === undefined) return
  try {
    await withAbort(stream.ended, signal)
  } catch (error) {
    stream.stop()
    if (isCallerGone(context)) return
    // The stream must end first, since the next document may start its own.
    await stream.ended
    throw error
  }
}
