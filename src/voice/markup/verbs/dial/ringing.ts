/** The audio for a caller until a party is connected: ringing, or early media. */
import { linkAbort, whenAborted } from '../../../../platform/async/abort.js'
import { AdapterError } from '../../../../platform/errors.js'
import { PlaybackError } from '../../../telephony/leg-media.js'
import { type Leg, LegEndedError } from '../../../telephony/port.js'
import type { DialVerb } from '../../parse/dial.js'
import { DEFAULT_RING_TONE } from '../../parse/dial-ring-tones.js'
import type { VerbContext } from '../verb-run.js'

/** Early media of a called party: audio from its network before the answer, until the signal aborts. */
export interface EarlyAudio {
  readonly leg: Leg
  readonly signal: AbortSignal
  /** The audio between the early media and the connection. */
  readonly then: 'ringing' | 'silence'
}

export interface Ringing {
  /** Restarts the ringing after early media. */
  ring(): void
  /** Plays early media instead of the ringing; resolves when it has ended. */
  hear(early: EarlyAudio): Promise<void>
  /** Stops the audio. Resolves when the leg is silent and free. May be called repeatedly. */
  stop(): Promise<void>
}

class SoundOver extends Error {
  override readonly name = 'SoundOver'
}

type Sound =
  | { readonly type: 'ringing' | 'silence' }
  | { readonly type: 'early'; readonly audio: EarlyAudio; readonly over: () => void }

/** Repetitions of one cadence; together they last longer than any Dial rings. */
const REPEAT = 200

/**
 * Rings until stopped. An unanswered caller hears its own network's ringing, unless the document sets a tone
 * or the called party's network sends audio: that is sent as early media (183, RFC 3960).
 */
export function startRinging({ ringTone }: DialVerb, context: VerbContext): Ringing {
  const stopping = new AbortController()
  let sound: Sound = { type: 'ringing' }
  let changing = new AbortController()
  const change = (next: Sound) => {
    if (sound.type === 'early') sound.over()
    sound = next
    changing.abort(new SoundOver('the caller hears something else'))
  }
  const isOver = () => stopping.signal.aborted || context.signal.aborted
  const playSounds = async () => {
    while (!isOver()) {
      changing = new AbortController()
      const now: Sound = sound
      using link = linkAbort([context.signal, stopping.signal, changing.signal])
      const around = { ...context, signal: link.signal }
      if (now.type === 'ringing') await ring(ringTone, around)
      if (now.type !== 'early') {
        await whenAborted(link.signal)
        continue
      }
      await hearEarly(now.audio, around)
      if (sound === now) change({ type: now.audio.then })
      else now.over()
    }
  }
  const done = playSounds().finally(() => {
    stopping.abort(new SoundOver('the ringing is over'))
    if (sound.type === 'early') sound.over()
  })
  // `stop` rejects with a failure of the loop.
  done.catch(() => undefined)
  return {
    ring: () => {
      if (!isOver() && sound.type === 'silence') change({ type: 'ringing' })
    },
    hear: async (audio) => {
      if (isOver() || !hearsEarly(context, ringTone)) return
      await new Promise<void>((over) => {
        change({ type: 'early', audio, over })
      })
    },
    stop: async () => {
      stopping.abort(new SoundOver('the ringing is over'))
      await done
    },
  }
}

/**
 * True when early media is played. For an answered caller, a `ringTone` of the document has priority. For an
 * unanswered one, early media replaces every tone.
 */
function hearsEarly({ host }: VerbContext, ringTone: DialVerb['ringTone']): boolean {
  return host.leg.state !== 'answered' || ringTone === undefined
}

async function ring(wanted: DialVerb['ringTone'], { host, signal }: VerbContext): Promise<void> {
  const { leg } = host
  if (leg.state !== 'answered' && wanted === undefined) return
  const { parts } = wanted ?? DEFAULT_RING_TONE
  try {
    if (leg.state !== 'answered') await leg.ring({ withMedia: true })
    for (;;) {
      signal.throwIfAborted()
      await leg.media.play({ type: 'cadence', parts, repeat: REPEAT }, signal)
    }
  } catch (error) {
    // A leg that has ended ends the document; after any other failure the call continues without a tone.
    if (signal.aborted || error instanceof LegEndedError) return
    if (!(error instanceof PlaybackError || error instanceof AdapterError)) throw error
    host.log({ type: 'warning', code: 13220, message: 'Dial: the ringing could not be played' })
  }
}

async function hearEarly(early: EarlyAudio, { host, signal }: VerbContext): Promise<void> {
  using either = linkAbort([signal, early.signal])
  try {
    if (host.leg.state !== 'answered') await host.leg.ring({ withMedia: true })
    either.signal.throwIfAborted()
    await host.leg.media.bridge(early.leg.media, either.signal)
  } catch (error) {
    // The party has answered, one leg has ended, or the legs are on different media servers: the call
    // continues without early media.
    if (
      !either.signal.aborted &&
      !(error instanceof LegEndedError || error instanceof AdapterError)
    )
      throw error
  }
}
