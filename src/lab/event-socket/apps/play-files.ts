import type { Playback, PlayEnd } from '../../media/model/media-endpoint.js'
import type { Digit, Interrupt } from '../channel/app-frame.js'
import type { AppContext } from '../channel/application.js'
import { separate } from '../protocol/separate.js'
import { type NamedSource, readPlaySource } from './play-source.js'

/** The result of a playback: played to its end, stopped by a break or a digit, or failed. */
export type PlayResult = 'done' | 'break' | 'not-found' | 'error'

export interface PlayOptions {
  /** Number of samples to skip in the first source. */
  readonly offsetSamples?: number
  /** Receives the digits; return true to end the playback. Without it, digits stay queued. */
  readonly onDigit?: (digit: Digit) => boolean
}

/** The position in a list of sources; as in FreeSWITCH, it increases across all of them. */
interface ListPosition {
  samples: number
}

/** Default pause between two sources of a list, ms. */
const DEFAULT_PAUSE_MS = 250
/** The block size in which FreeSWITCH reads files; its counters count samples read, not samples played. */
const READ_BLOCK_SAMPLES = 16_384

interface PlayedOne {
  readonly end: Interrupt | 'done' | 'not-found' | 'stopped' | 'timeout'
  /** Number of samples played, without the skipped ones. */
  readonly samples: number
}

interface PlayControl {
  readonly onStarted: () => void
  /** Aborts the playback, for example when a digit ends the prompt. */
  readonly stop: AbortSignal
  readonly timeoutMs: number | undefined
}

/** Plays one source, or several when `playback_delimiter` is set. */
export async function playFiles(
  context: AppContext,
  text: string,
  options: PlayOptions = {},
): Promise<PlayResult> {
  const { variables } = context.channel
  const delimiter = variables.get('playback_delimiter')?.[0]
  const names = delimiter === undefined ? [text] : separate(text, delimiter)
  const stop = new AbortController()
  takeDigits(context, options, stop)
  let result: PlayResult = 'done'
  const position = { samples: options.offsetSamples ?? 0 }
  for (const [index, name] of names.entries()) {
    if (index > 0 && !(await pause(context, stop.signal))) break
    const end = await playNamed(context, name, index === 0 ? position.samples : 0, {
      position,
      stop: stop.signal,
    })
    result = resultOf(end)
    if (end !== 'done' && end !== 'break' && end !== 'not-found') break
  }
  context.frame.takeDigits(undefined)
  return result
}

function takeDigits({ frame }: AppContext, { onDigit }: PlayOptions, stop: AbortController): void {
  if (onDigit === undefined) return
  frame.takeDigits({
    take(digit) {
      if (!onDigit(digit)) return
      // Further digits stay queued for the next application.
      frame.takeDigits(undefined)
      stop.abort()
    },
  })
}

async function playNamed(
  context: AppContext,
  name: string,
  offset: number,
  list: { readonly position: ListPosition; readonly stop: AbortSignal },
): Promise<PlayedOne['end']> {
  const { channel, log } = context
  const source = readPlaySource(name, channel.variables.get('sound_prefix'))
  if (source === undefined) {
    log.error({ name, channel: channel.uuid }, 'refused a source of unknown kind')
    return 'not-found'
  }
  const seconds = Number(channel.variables.get('playback_timeout_sec') ?? 0)
  const { end, samples } = await playOne(context, source, offset, {
    stop: list.stop,
    timeoutMs: seconds > 1 ? seconds * 1000 : undefined,
    onStarted: () => {
      channel.fire('PLAYBACK_START', playbackHeaders(source))
    },
  })
  if (end === 'not-found') return end
  list.position.samples += samples
  tellStopped(context, source, { end, samples, position: list.position.samples })
  return end
}

function tellStopped(
  { channel }: AppContext,
  source: NamedSource,
  heard: PlayedOne & { readonly position: number },
): void {
  const { position, samples, end } = heard
  const read =
    end !== 'done' ? Math.ceil(samples / READ_BLOCK_SAMPLES) * READ_BLOCK_SAMPLES : samples
  channel.variables.setAll({
    playback_last_offset_pos: String(position),
    playback_seconds: String(Math.floor(read / 8000)),
    playback_ms: String(Math.floor(read / 8)),
    playback_samples: String(read),
  })
  const isBroken = end === 'break' || end === 'stopped'
  channel.fire('PLAYBACK_STOP', [
    ...playbackHeaders(source).slice(0, source.type === undefined ? 1 : 2),
    ['Playback-Status', isBroken ? 'break' : 'done'],
    ...source.params,
  ])
}

function playbackHeaders({ name, type, params }: NamedSource): (readonly [string, string])[] {
  return [
    ...(type === undefined ? [] : ([['Playback-File-Type', type]] as const)),
    ['Playback-File-Path', name],
    ...params,
  ]
}

/** Pauses between two sources. Resolves with false when the playback was interrupted. */
async function pause({ channel, frame }: AppContext, stop: AbortSignal): Promise<boolean> {
  const ms = Number(channel.variables.get('playback_sleep_val') ?? DEFAULT_PAUSE_MS)
  if (stop.aborted) return false
  return (await frame.delay(ms)) === undefined && !stop.aborted
}

function resultOf(end: PlayedOne['end']): PlayResult {
  switch (end) {
    case 'done':
    case 'not-found':
      return end
    case 'break':
    case 'stopped':
      return 'break'
    // A hangup by command takes effect between two frames; a BYE or a bridge makes the reading of frames
    // fail.
    case 'hangup':
      return 'done'
    default:
      return 'error'
  }
}

/** Plays one source until it ends or is interrupted; suspended while another application needs the audio. */
async function playOne(
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

/** A playback in progress: whether it plays, and whether it was stopped or suspended. */
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

  /** Resolves when the playback is resumed; undefined while it is not suspended. */
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
    // The audio was interrupted by a suspension, not by a stop: wait, then continue.
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
