/** The audio for a waiting caller: the markup of a URL repeatedly, music, or silence. */
import type { AudioSource } from '../../telephony/leg-media.js'
import type { Waiting } from '../conference-entry.js'
import type { WaitEnd } from '../queue-entry.js'
import type { Inside, VerbContext } from './verb-run.js'

export interface WaitPlace {
  readonly inside: Inside
  /**
   * The reaction to markup that cannot be run: silence, or the end of the wait. The event log has the error.
   */
  readonly onError: 'silence' | 'end'
}

const SILENCE: AudioSource = { type: 'silence', durationMs: 600_000 }
/**
 * The pause between two rounds of markup, so that silent markup does not request its server in a tight loop.
 */
const PAUSE: AudioSource = { type: 'silence', durationMs: 1_000 }
/** The waiting music: a slow broken chord, up and down, and a rest. */
const MUSIC: AudioSource = {
  type: 'cadence',
  parts: [262, 330, 392, 523, 392, 330].map((frequency, i) => ({
    frequencies: [frequency],
    onMs: 400,
    offMs: i === 5 ? 1_200 : 100,
  })),
  repeat: 200,
}

/**
 * Plays the waiting audio. Resolves when `until` aborts or the markup ends the wait. Rejects with the leg's
 * error.
 */
export async function runWait(
  waiting: Waiting,
  place: WaitPlace,
  context: VerbContext,
  until: AbortSignal,
): Promise<WaitEnd> {
  const { leg } = context.host
  const { url } = waiting
  let fallback = url === '' ? SILENCE : MUSIC
  let hasMarkup = url !== undefined && url !== ''
  const isOver = () => until.aborted
  while (!isOver()) {
    try {
      if (hasMarkup) {
        const end = await runMarkupOnce(waiting, place, context, until)
        if (end !== 'again' && end !== 'silence') return end
        hasMarkup = end === 'again'
        fallback = hasMarkup ? PAUSE : SILENCE
      }
      await leg.media.play(fallback, until)
    } catch (error) {
      if (!isOver() || leg.state === 'ended') throw error
    }
  }
  return 'over'
}

async function runMarkupOnce(
  { url = '', method }: Waiting,
  { inside, onError }: WaitPlace,
  { runInside }: VerbContext,
  until: AbortSignal,
): Promise<Exclude<WaitEnd, 'over'> | 'again' | 'silence'> {
  const request = { url, method, params: {} }
  const { type } = await runInside({ type: 'url', request }, inside, until)
  // Markup that cannot be run would fail again.
  if (type === 'application-error') return onError === 'end' ? 'error' : 'silence'
  return type === 'left-queue' || type === 'hangup' ? type : 'again'
}
