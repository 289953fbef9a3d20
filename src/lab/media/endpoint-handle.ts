/** The main thread's handle of an endpoint: sends commands to the media thread and receives its reports. */
import { deferred } from '../../platform/async/deferred.js'
import type { AudioForkHandle, ForkEvent, ForkRequest } from './model/audio-fork.js'
import type {
  EndpointEvents,
  EndpointStats,
  MediaEndpoint,
  MediaRoom,
  Playback,
  PlayEnd,
  PlaySource,
  Recording,
  RecordingEnd,
} from './model/media-endpoint.js'
import type { RemoteMedia } from './model/remote-media.js'
import type { EndpointCommand, EndpointReport, ForkControl } from './model/thread-messages.js'
import { closedError, PendingReports } from './pending-reports.js'

/** Default DTMF tone and gap, ms. */
const DIGIT_MS = 100
const GAP_MS = 100
const DIGITS = /^[0-9A-Da-d*#wW]*$/

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
  readonly #pending = new PendingReports()
  readonly #closed = deferred<EndpointStats>()
  #state: 'open' | 'closing' | 'closed' = 'open'
  #lastNumber = 0

  constructor(deps: EndpointHandleDeps) {
    this.#deps = deps
    this.id = `endpoint-${deps.id}`
    this.port = deps.port
  }

  /** The endpoint's number in the media thread. */
  get number(): number {
    return this.#deps.id
  }

  setRemote(remote: RemoteMedia): void {
    this.#send({ type: 'set-remote', remote })
  }

  play(source: PlaySource): Playback {
    if (this.#state !== 'open') {
      const end: PlayEnd = { reason: 'closed', playedSamples: 0 }
      return { started: Promise.resolve(), ended: Promise.resolve(end) }
    }
    const playback = ++this.#lastNumber
    const pending = this.#pending.playback(playback)
    this.#send({ type: 'play', playback, source })
    return pending
  }

  break(which: 'current' | 'all'): void {
    this.#send({ type: 'break', which })
  }

  sendDigits(
    digits: string,
    options: { readonly durationMs?: number | undefined; readonly gapMs?: number } = {},
  ): Promise<void> {
    if (this.#state !== 'open') return Promise.reject(closedError())
    if (!DIGITS.test(digits))
      return Promise.reject(new RangeError('digits are 0-9, A-D, *, #, w and W'))
    if (digits === '') return Promise.resolve()
    const job = ++this.#lastNumber
    const sent = this.#pending.digits(job)
    const { durationMs = DIGIT_MS, gapMs = GAP_MS } = options
    this.#send({ type: 'send-digits', job, digits, durationMs, gapMs })
    return sent
  }

  record(path: string, options: Parameters<MediaEndpoint['record']>[1]): Recording {
    if (this.#state !== 'open') {
      const end: RecordingEnd = { samples: 0, reason: 'closed' }
      return { started: Promise.resolve(), ended: Promise.resolve(end) }
    }
    const recording = ++this.#lastNumber
    const pending = this.#pending.recording(recording)
    this.#send({ type: 'record', recording, request: { path, ...options } })
    return pending
  }

  stopRecording(path: string): void {
    this.#send({ type: 'stop-recording', path })
  }

  maskRecording(path: string, isMasked: boolean): void {
    this.#send({ type: 'mask-recording', path, isMasked })
  }

  fork(request: ForkRequest, onEvent: (event: ForkEvent) => void): AudioForkHandle {
    const fork = ++this.#lastNumber
    const isOpen = this.#state === 'open'
    const ended = isOpen ? this.#pending.fork(fork, onEvent) : Promise.resolve()
    this.#send({ type: 'fork', fork, request })
    return createForkHandle(ended, (control) => {
      this.#send({ type: 'control-fork', fork, control })
    })
  }

  bridge(other: MediaEndpoint): void {
    if (!(other instanceof EndpointHandle))
      throw new TypeError('the endpoint belongs to another engine')
    this.#send({ type: 'bridge', other: other.number })
  }

  unbridge(): void {
    this.#send({ type: 'unbridge' })
  }

  joinRoom(room: MediaRoom): void {
    if (!(room instanceof EndpointHandle)) throw new TypeError('the room belongs to another engine')
    this.#send({ type: 'join-room', room: room.number })
  }

  leaveRoom(): void {
    this.#send({ type: 'leave-room' })
  }

  setRoomVoice(voice: { readonly speaks: boolean; readonly hears: boolean }): void {
    this.#send({ type: 'set-room-voice', ...voice })
  }

  setDeafTo(other: MediaEndpoint, isDeaf: boolean): void {
    if (!(other instanceof EndpointHandle))
      throw new TypeError('the endpoint belongs to another engine')
    this.#send({ type: 'set-deaf-to', other: other.number, isDeaf })
  }

  setDigitTones(isOn: boolean): void {
    this.#send({ type: 'generate-digits', isOn })
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
    if (this.#state !== 'open') return this.#closed.done
    const request = ++this.#lastNumber
    const answer = this.#pending.stats(request)
    this.#send({ type: 'report-stats', request })
    return answer
  }

  close(): Promise<EndpointStats> {
    if (this.#state === 'open') {
      this.#send({ type: 'close' })
      this.#state = 'closing'
    }
    return this.#closed.done
  }

  onReport(report: Exclude<EndpointReport, { type: 'opened' | 'open-failed' }>): void {
    const { events } = this.#deps
    switch (report.type) {
      case 'digit':
        events.onDigit?.(report.digit, report.durationMs, report.source)
        return
      case 'first-packet':
      case 'forged-packet':
      case 'media-timeout':
        this.#tell(report.type)
        return
      case 'talking':
        events.onTalking?.(report.isTalking)
        return
      case 'fork-event':
      case 'fork-ended':
        this.#pending.settleFork(report)
        return
      case 'closed':
        this.settle(report.stats, report.error)
        return
      default:
        this.#pending.settle(report)
    }
  }

  #tell(what: 'first-packet' | 'forged-packet' | 'media-timeout'): void {
    const { events } = this.#deps
    if (what === 'first-packet') events.onFirstPacket?.()
    else if (what === 'forged-packet') events.onForgedPacket?.()
    else events.onMediaTimeout?.()
  }

  /** Settles all pending work, with an error when the engine has failed. */
  settle(stats: EndpointStats, error?: string): void {
    if (this.#state === 'closed') return
    this.#state = 'closed'
    this.#pending.endAll(stats, error)
    this.#closed.resolve(stats)
    if (error !== undefined) this.#deps.events.onFailed?.(new Error(error))
  }

  #send(command: EndpointCommand): void {
    if (this.#state === 'open') this.#deps.send(command)
  }
}

/** Creates the main thread's handle of a fork. */
function createForkHandle(
  ended: Promise<void>,
  send: (control: ForkControl) => void,
): AudioForkHandle {
  return {
    sendText: (text) => {
      send({ type: 'send-text', text })
    },
    setPaused: (isPaused) => {
      send({ type: isPaused ? 'pause' : 'resume' })
    },
    shutDownGracefully: () => {
      send({ type: 'shut-down' })
    },
    clearPlayout: () => {
      send({ type: 'clear-playout' })
    },
    stop: (text) => {
      send({ type: 'stop', text })
      return ended
    },
  }
}
