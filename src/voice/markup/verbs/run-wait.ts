/** What a caller hears while it waits: the markup of a URL again and again, music, or silence. */
import type { AudioSource } from '../../media/port.js'
import type { Waiting } from '../host.js'
import type { VerbContext } from './verb-run.js'

const SILENCE: AudioSource = { type: 'silence', durationMs: 600_000 }
/** Between two rounds of markup, so that one that says nothing does not ask its server at once again. */
const PAUSE: AudioSource = { type: 'silence', durationMs: 1_000 }
/** A calm broken chord, up and down, and a rest. */
const MUSIC: AudioSource = {
  type: 'cadence',
  parts: [262, 330, 392, 523, 392, 330].map((frequency, i) => ({
    frequencies: [frequency],
    onMs: 400,
    offMs: i === 5 ? 1_200 : 100,
  })),
  repeat: 200,
}

/** Resolves when `until` aborts; rejects with what ended the leg. */
export async function runWait(
  { url, method }: Waiting,
  context: VerbContext,
  until: AbortSignal,
): Promise<void> {
  const { host } = context
  let fallback = url === '' ? SILENCE : MUSIC
  let request = url === undefined || url === '' ? undefined : { url, method, params: {} }
  const isOver = () => until.aborted
  while (!isOver()) {
    try {
      if (request !== undefined) {
        const end = await context.runInside({ type: 'url', request }, until)
        // Markup that cannot be run has been logged as an error; it would be the same once more.
        if (end.type === 'application-error') request = undefined
        fallback = PAUSE
        if (request === undefined) fallback = SILENCE
      }
      await host.leg.play(fallback, until)
    } catch (error) {
      if (!isOver() || host.leg.state === 'ended') throw error
    }
  }
}
