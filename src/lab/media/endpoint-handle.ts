/** An endpoint as the main thread holds it: commands go out, reports come back. */
import { createDeferred, type Deferred } from './deferred.js'
import { createForkHandle } from './fork-handle.js'
import type { AudioForkHandle, ForkEvent, ForkRequest } from './model/audio-fork.js'
import {
  type EndpointEvents,
  type EndpointStats,
  type MediaEndpoint,
  type MediaRoom,
  type Playback,
  type PlayEnd,
  type PlaySource,
  type Recording,
  type RecordingEnd,
} from './model/media-endpoint.js'
import { MediaClosedError } from './model/media-engine.js'
import { type RemoteMedia } from './model/remote-media.js'
import type { EndpointCommand, EndpointReport } from './model/thread-messages.js'

/** As a person presses keys, and as every detector takes them. */
const DIGIT_MS = 100
const GAP_MS = 100
const DIGITS = /^[0-9A-Da-d*#wW]*$/

interface Pending<T> {
  readonly started: Deferred<void>
  readonly ended: Deferred<T>
}

interface RunningFork {
  readonly onEvent: (event: ForkEvent) => void
  readonly ended: Deferred<void>
}

interface PendingWork {
  readonly playbacks: Map<number, Pending<PlayEnd>>
  readonly recordings: Map<number, Pending<RecordingEnd>>
  readonly digits: Map<number, Deferred<void>>
  readonly forks: Map<number, RunningFork>
  readonly stats: Map<number, Deferred<EndpointStats>>
}

export interface EndpointHandleDeps {
  readonly id: number
  readonly port: number
  readonly events: EndpointEvents
  readonly send: (command: EndpointCommand) => void
}

export class EndpointHandle implements MediaEndpoint {
  readonly id: string
  readonly port: number
  readonly #deps: EndpointHandleDeps
  readonly #pending: PendingWork = {
    playbacks: new Map(),
    recordings: new Map(),
    digits: new Map(),
    forks: new Map(),
    stats: new Map(),
  }
  readonly #closed = createDeferred<EndpointStats>()
  #state: 'open' | 'closing' | 'closed' = 'open'
  #lastNumber = 0

  constructor(deps: EndpointHandleDeps) {
    this.#deps = deps
    this.id = `endpoint-${deps.id}`
    this.port = deps.port
  }

  /** The number by which the media thread knows it. */
  get number(): number {
    return this.#deps.id
  }

  setRemote(remote: RemoteMedia): void {
    this.#send({ type: 'set-remote', remote })
  }

  play(source: PlaySource): Playback {
    const pending = createPending<PlayEnd>()
    if (this.#state !== 'open') endPending(pending, { reason: 'closed', playedSamples: 0 })
    else {
      const playback = ++this.#lastNumber
      this.#pending.playbacks.set(playback, pending)
      this.#send({ type: 'play', playback, source })
    }
    return { started: pending.started.promise, ended: pending.ended.promise }
  }

  break(which: 'current' | 'all'): void {
    this.#send({ type: 'break', which })
  }

  sendDigits(
    digits: string,
    options: { readonly durationMs?: number; readonly gapMs?: number } = {},
  ): Promise<void> {
    if (this.#state !== 'open') return Promise.reject(closedError())
    if (!DIGITS.test(digits))
      return Promise.reject(new RangeError('digits are 0-9, A-D, *, #, w and W'))
    if (digits === '') return Promise.resolve()
    const sent: Deferred<void> = createDeferred()
    const job = ++this.#lastNumber
    this.#pending.digits.set(job, sent)
    const { durationMs = DIGIT_MS, gapMs = GAP_MS } = options
    this.#send({ type: 'send-digits', job, digits, durationMs, gapMs })
    return sent.promise
  }

  record(path: string, options: Parameters<MediaEndpoint['record']>[1]): Recording {
    const pending = createPending<RecordingEnd>()
    if (this.#state !== 'open') endPending(pending, { samples: 0, reason: 'closed' })
    else {
      const recording = ++this.#lastNumber
      this.#pending.recordings.set(recording, pending)
      this.#send({ type: 'record', recording, request: { path, ...options } })
    }
    return { started: pending.started.promise, ended: pending.ended.promise }
  }

  stopRecording(path: string): void {
    this.#send({ type: 'stop-recording', path })
  }

  maskRecording(path: string, isMasked: boolean): void {
    this.#send({ type: 'mask-recording', path, isMasked })
  }

  fork(request: ForkRequest, onEvent: (event: ForkEvent) => void): AudioForkHandle {
    const fork = ++this.#lastNumber
    const ended: Deferred<void> = createDeferred()
    if (this.#state === 'open') {
      this.#pending.forks.set(fork, { onEvent, ended })
      this.#send({ type: 'fork', fork, request })
    } else ended.resolve()
    return createForkHandle(ended.promise, (control) => {
      this.#send({ type: 'control-fork', fork, control })
    })
  }

  bridge(other: MediaEndpoint): void {
    if (!(other instanceof EndpointHandle)) throw new TypeError('an endpoint of another engine')
    this.#send({ type: 'bridge', other: other.number })
  }

  unbridge(): void {
    this.#send({ type: 'unbridge' })
  }

  joinRoom(room: MediaRoom): void {
    if (!(room instanceof EndpointHandle)) throw new TypeError('a room of another engine')
    this.#send({ type: 'join-room', room: room.number })
  }

  leaveRoom(): void {
    this.#send({ type: 'leave-room' })
  }

  setRoomVoice(voice: { readonly speaks: boolean; readonly hears: boolean }): void {
    this.#send({ type: 'set-room-voice', ...voice })
  }

  setDeafTo(other: MediaEndpoint, isDeaf: boolean): void {
    if (!(other instanceof EndpointHandle)) throw new TypeError('an endpoint of another engine')
    this.#send({ type: 'set-deaf-to', other: other.number, isDeaf })
  }

  setDigitDetection(isOn: boolean): void {
    this.#send({ type: 'detect-digits', isOn })
  }

  setEcho(isOn: boolean): void {
    this.#send({ type: 'set-echo', isOn })
  }

  setMute(direction: 'read' | 'write', isMuted: boolean): void {
    this.#send({ type: 'set-mute', direction, isMuted })
  }

  watchLevel(options: { readonly hangoverMs: number }): void {
    this.#send({ type: 'watch-level', hangoverMs: options.hangoverMs })
  }

  watchSilence(timeoutMs: number): void {
    this.#send({ type: 'watch-silence', timeoutMs })
  }

  stats(): Promise<EndpointStats> {
    if (this.#state !== 'open') return this.#closed.promise
    const request = ++this.#lastNumber
    const answer = createDeferred<EndpointStats>()
    this.#pending.stats.set(request, answer)
    this.#send({ type: 'report-stats', request })
    return answer.promise
  }

  close(): Promise<EndpointStats> {
    if (this.#state === 'open') {
      this.#send({ type: 'close' })
      this.#state = 'closing'
    }
    return this.#closed.promise
  }

  onReport(report: Exclude<EndpointReport, { type: 'opened' | 'open-failed' }>): void {
    const { events } = this.#deps
    switch (report.type) {
      case 'digit':
        events.onDigit?.(report.digit, report.durationMs, report.source)
        return
      case 'first-packet':
        events.onFirstPacket?.()
        return
      case 'talking':
        events.onTalking?.(report.isTalking)
        return
      case 'media-timeout':
        events.onMediaTimeout?.()
        return
      case 'fork-event':
      case 'fork-ended':
        this.#onForkReport(report)
        return
      case 'closed':
        this.settle(report.stats, report.error)
        return
      default:
        this.#settleOne(report)
    }
  }

  /** Ends all that is pending; with an error when the engine gave the endpoint up. */
  settle(stats: EndpointStats, error?: string): void {
    if (this.#state === 'closed') return
    this.#state = 'closed'
    const { playbacks, recordings, digits, stats: requests } = this.#pending
    const recordingEnd: RecordingEnd =
      error === undefined
        ? { samples: 0, reason: 'closed' }
        : { samples: 0, reason: 'failed', error }
    for (const one of playbacks.values()) endPending(one, { reason: 'closed', playedSamples: 0 })
    for (const one of recordings.values()) endPending(one, recordingEnd)
    for (const one of digits.values()) one.reject(closedError())
    for (const one of requests.values()) one.resolve(stats)
    for (const one of this.#pending.forks.values()) one.ended.resolve()
    this.#closed.resolve(stats)
    if (error !== undefined) this.#deps.events.onFailed?.(new Error(error))
  }

  #onForkReport(report: Extract<EndpointReport, { type: 'fork-event' | 'fork-ended' }>): void {
    const { forks } = this.#pending
    if (report.type === 'fork-event') forks.get(report.fork)?.onEvent(report.event)
    else take(forks, report.fork)?.ended.resolve()
  }

  #settleOne(
    report: Extract<
      EndpointReport,
      {
        type:
          | 'play-started'
          | 'play-ended'
          | 'digits-sent'
          | 'recording-started'
          | 'recording-ended'
          | 'stats'
      }
    >,
  ): void {
    const { playbacks, recordings, digits, stats } = this.#pending
    switch (report.type) {
      case 'play-started':
        playbacks.get(report.playback)?.started.resolve()
        return
      case 'play-ended':
        endPending(take(playbacks, report.playback), report.end)
        return
      case 'recording-started':
        recordings.get(report.recording)?.started.resolve()
        return
      case 'recording-ended':
        endPending(take(recordings, report.recording), report.end)
        return
      case 'digits-sent':
        take(digits, report.job)?.resolve()
        return
      case 'stats':
        take(stats, report.request)?.resolve(report.stats)
    }
  }

  #send(command: EndpointCommand): void {
    if (this.#state === 'open') this.#deps.send(command)
  }
}

function createPending<T>(): Pending<T> {
  return { started: createDeferred(), ended: createDeferred() }
}

function endPending<T>(pending: Pending<T> | undefined, end: T): void {
  pending?.started.resolve()
  pending?.ended.resolve(end)
}

function take<T>(from: Map<number, T>, key: number): T | undefined {
  const found = from.get(key)
  from.delete(key)
  return found
}

function closedError(): MediaClosedError {
  return new MediaClosedError('the media endpoint is closed')
}
