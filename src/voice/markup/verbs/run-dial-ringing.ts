/** What the caller hears until somebody is connected. */
import { AdapterError } from '../../../platform/errors.js'
import { LegEndedError, PlaybackError } from '../../media/port.js'
import type { DialVerb } from '../parse/dial.js'
import { DEFAULT_RING_TONE } from '../parse/dial-ring-tones.js'
import { linkAbort } from './link-abort.js'
import type { VerbContext } from './verb-run.js'

class RingingOver extends Error {
  override readonly name = 'RingingOver'
}

/** More than the longest Dial rings; begun again, should that be too little. */
const REPEAT = 200

/**
 * Rings until stopped, once or often; resolved, the leg is silent. An unanswered caller hears the
 * ringing of their own network, unless the document wants another one: then early audio (183).
 */
export function startRinging(
  { ringTone }: DialVerb,
  context: VerbContext,
): { readonly stop: () => Promise<void> } {
  const link = linkAbort(context.signal)
  const done = ring(ringTone, { ...context, signal: link.signal })
  // A bug's failure is met at the stop.
  done.catch(() => undefined)
  return {
    stop: async () => {
      link.abort(new RingingOver('the ringing is over'))
      link[Symbol.dispose]()
      await done
    },
  }
}

async function ring(wanted: DialVerb['ringTone'], { host, signal }: VerbContext): Promise<void> {
  const { leg } = host
  if (leg.state !== 'answered' && wanted === undefined) return
  const { parts } = wanted ?? DEFAULT_RING_TONE
  try {
    if (leg.state !== 'answered') await leg.ring({ withMedia: true })
    for (;;) {
      signal.throwIfAborted()
      await leg.play({ type: 'cadence', parts, repeat: REPEAT }, signal)
    }
  } catch (error) {
    // A caller who has gone ends the document; the call goes on without a tone otherwise.
    if (signal.aborted || error instanceof LegEndedError) return
    if (!(error instanceof PlaybackError || error instanceof AdapterError)) throw error
    host.log({ type: 'warning', code: 13220, message: 'Dial: the ringing could not be played' })
  }
}
