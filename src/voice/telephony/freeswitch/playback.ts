import { stat } from 'node:fs/promises'
import { deferred } from '../../../platform/async/deferred.js'
import { withLimit } from '../../../platform/async/limit.js'
import type { Logger } from '../../../platform/log.js'
import { type AudioSource, PlaybackError } from '../leg-media.js'
import { breakCommand, playCommand } from './command-builder.js'
import type { MediaEndpoint } from './media-endpoint.js'

/** Time beyond its own length after which a playback counts as lost, ms. */
const MARGIN_MS = 10_000
/** Maximum time for a playback to end after a break, ms; it usually takes one or two frames. */
const BREAK_LIMIT_MS = 1_000
/**
 * Bytes per ms of GSM, the speech codec with the lowest bit rate: a file of n bytes lasts at most n / 1.6 ms.
 */
const LEAST_BYTES_PER_MS = 1.6
const UNKNOWN_LENGTH_MS = 4 * 3_600_000

/** Plays a source; see `LegMedia.play`. It is one command, and resolves when its application ends. */
export async function play(
  endpoint: MediaEndpoint,
  source: AudioSource,
  signal: AbortSignal,
  log: Logger,
): Promise<void> {
  signal.throwIfAborted()
  const ended = endpoint.execute(playCommand(source, endpoint.urlOf))
  // It is awaited below, but it may reject before that.
  ended.catch(() => undefined)
  const aborted = breakWhenAborted(endpoint, signal, log)
  try {
    const limitMs = (await longestMs(source)) + MARGIN_MS
    const event = await withLimit(Promise.race([ended, aborted.done]), limitMs, () => {
      throw new PlaybackError('the media server never reported the end of a playback')
    })
    if (signal.aborted) await withLimit(settled(ended), BREAK_LIMIT_MS, () => undefined)
    signal.throwIfAborted()
    const response = event && event.getHeader('Application-Response')
    if (response !== 'FILE PLAYED')
      throw new PlaybackError(`the media server could not play: ${response ?? 'no reason'}`)
  } finally {
    aborted.forget()
  }
}

async function settled(work: Promise<unknown>): Promise<void> {
  await Promise.allSettled([work])
}

/**
 * Breaks the playback when the signal aborts. FreeSWITCH ignores a break before the file is open, which takes
 * 20–40 ms. So a playback that starts after its break is broken again. The start event is only subscribed to
 * then, since few playbacks are broken and each event has 6 kB.
 */
function breakWhenAborted(
  endpoint: MediaEndpoint,
  signal: AbortSignal,
  log: Logger,
): { readonly done: Promise<void>; readonly forget: () => void } {
  const { done, resolve } = deferred()
  const sendBreak = () => {
    endpoint.api(breakCommand(endpoint.uuid)).catch((err: unknown) => {
      log.debug({ err }, 'uuid_break failed')
    })
  }
  let unsubscribe = () => {
    // There is no listener before the abort.
  }
  const onAbort = () => {
    unsubscribe = endpoint.onPlaybackStart(sendBreak)
    sendBreak()
    resolve()
  }
  signal.addEventListener('abort', onAbort, { once: true })
  return {
    done,
    forget: () => {
      unsubscribe()
      signal.removeEventListener('abort', onAbort)
    },
  }
}

/** Returns an upper bound of the source's length, ms. */
async function longestMs(source: AudioSource): Promise<number> {
  switch (source.type) {
    case 'silence':
      return source.durationMs
    case 'tone':
      return (source.onMs + source.offMs) * Math.max(1, source.repeat)
    case 'cadence': {
      const once = source.parts.reduce((sum, { onMs, offMs }) => sum + onMs + offMs, 0)
      return once * Math.max(1, source.repeat)
    }
    case 'file':
      try {
        return (await stat(source.path)).size / LEAST_BYTES_PER_MS
      } catch (err) {
        // The file may exist only on the media server, which reports a missing file itself.
        if (err instanceof Error && 'code' in err) return UNKNOWN_LENGTH_MS
        throw err
      }
  }
}
