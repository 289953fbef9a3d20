import type { Playback, PlayEnd } from '../../media/model/media-endpoint.js'
import type { Interrupt } from '../channel/app-frame.js'
import type { AppContext } from '../channel/application.js'
import type { NamedSource } from './play-source.js'

export interface PlayedOne {
  readonly end: Interrupt | 'done' | 'not-found' | 'stopped' | 'timeout'
  /** The samples that were heard, without those that were skipped. */
  readonly samples: number
}

export interface PlayControl {
  readonly onStarted: () => void
  /** Stops the playback from outside, such as when a digit ends the prompt. */
  readonly stop: AbortSignal
  readonly timeoutMs: number | undefined
}

/**
 * Plays one source to its end, or until it is interrupted. It is suspended while another one needs
 * the audio.
 */
export async function playOne(
  { channel, frame }: AppContext,
  source: NamedSource,
  offset: number,
  control: PlayControl,
): Promise<PlayedOne> {
  const { media } = channel.leg
  const run = new PlayRun(() => {
    media.break('current')
  })
  const forget = frame.onInterrupt((why) => {
    run.stop(why)
  })
  const onStop = (): void => {
    run.stop('stopped')
  }
  control.stop.addEventListener('abort', onStop, { once: true })
  const timer =
    control.timeoutMs === undefined
      ? undefined
      : setTimeout(() => {
          run.stop('timeout')
        }, control.timeoutMs)
  frame.onSuspend(run)
  try {
    return await playSegments(run, source, offset, control.onStarted, (from) => media.play(from))
  } finally {
    frame.onSuspend(undefined)
    clearTimeout(timer)
    control.stop.removeEventListener('abort', onStop)
    forget()
  }
}

/** One playback under way: its audio, and whether it was told to stop or wait. */
class PlayRun {
  readonly #breakAudio: () => void
  #reason: PlayedOne['end'] | undefined
  #isPlaying = false
  #resumed: Promise<void> | undefined
  #resume: () => void = () => undefined

  constructor(breakAudio: () => void) {
    this.#breakAudio = breakAudio
  }

  get reason(): PlayedOne['end'] | undefined {
    return this.#reason
  }

  /** Resolves when the audio may play; undefined while it may. */
  get whenResumed(): Promise<void> | undefined {
    return this.#resumed
  }

  set isPlaying(isPlaying: boolean) {
    this.#isPlaying = isPlaying
  }

  stop(reason: PlayedOne['end']): void {
    this.#reason ??= reason
    if (this.#isPlaying) this.#breakAudio()
    this.#resume()
  }

  readonly suspend = (): void => {
    if (this.#resumed !== undefined) return
    this.#resumed = new Promise((resolve) => {
      this.#resume = resolve
    })
    if (this.#isPlaying) this.#breakAudio()
  }

  readonly resume = (): void => {
    this.#resumed = undefined
    this.#resume()
  }
}

async function playSegments(
  run: PlayRun,
  source: NamedSource,
  offset: number,
  onStarted: () => void,
  play: (from: NonNullable<ReturnType<NamedSource['from']>>) => Playback,
): Promise<PlayedOne> {
  let samples = 0
  for (let segment = 0; ; segment++) {
    const before = run.reason
    if (before !== undefined) return { end: before, samples }
    const from = source.from(offset + samples)
    if (from === undefined) return { end: segment === 0 ? 'not-found' : 'done', samples }
    run.isPlaying = true
    const end = await playSegment(play(from), segment === 0 ? onStarted : undefined)
    run.isPlaying = false
    samples += end.playedSamples
    if (end.reason === 'failed') return { end: 'not-found', samples }
    const after: PlayedOne['end'] | undefined = run.reason
    if (after !== undefined) return { end: after, samples }
    // Broken, but not for good: something else had to be heard first.
    if (end.reason !== 'break' || run.whenResumed === undefined) return { end: 'done', samples }
    await run.whenResumed
  }
}

async function playSegment(playback: Playback, onStarted?: () => void): Promise<PlayEnd> {
  const started = playback.started.then(
    () => true,
    () => false,
  )
  const first = await Promise.race([started, playback.ended])
  if (first === true || (typeof first === 'object' && first.reason !== 'failed')) onStarted?.()
  return playback.ended
}
