import type {
  AudioForkHandle,
  ForkEvent,
  ForkRequest,
} from '../../../src/lab/media/model/audio-fork.js'
import {
  type EndpointEvents,
  type EndpointStats,
  type MediaEndpoint,
  type MediaRoom,
  NO_STATS,
  type Playback,
  type PlayEnd,
  type PlaySource,
  type Recording,
  type RecordingEnd,
} from '../../../src/lab/media/model/media-endpoint.js'
import type { MediaEngine } from '../../../src/lab/media/model/media-engine.js'
import type { RemoteMedia } from '../../../src/lab/media/model/remote-media.js'

const STATS: EndpointStats = { ...NO_STATS, packetsSent: 10, packetsReceived: 20 }

interface Playing {
  readonly source: PlaySource
  readonly startedAt: number
  readonly end: (reason: PlayEnd['reason']) => void
}

/** An endpoint without audio. Playbacks last as long as real ones, and every request is recorded. */
export class FakeEndpoint implements MediaEndpoint {
  readonly id: string
  readonly port: number
  /** All requests, in order. */
  readonly calls: string[] = []
  readonly played: PlaySource[] = []
  remote: RemoteMedia | undefined
  isClosed = false
  readonly #events: EndpointEvents
  readonly #files: ReadonlyMap<string, number>
  readonly #recordings = new Map<string, (reason: RecordingEnd['reason']) => void>()
  #playing: Playing | undefined

  constructor(port: number, events: EndpointEvents, files: ReadonlyMap<string, number>) {
    this.id = `fake-${port}`
    this.port = port
    this.#events = events
    this.#files = files
  }

  press(digit: string, durationMs = 100): void {
    this.#events.onDigit?.(digit, durationMs, 'rfc4733')
  }

  talk(isTalking: boolean): void {
    this.#events.onTalking?.(isTalking)
  }

  setRemote(remote: RemoteMedia): void {
    this.remote = remote
  }

  play(source: PlaySource): Playback {
    this.played.push(source)
    const durationMs = this.#durationOf(source)
    if (durationMs === undefined) {
      const error = new Error('no such file')
      const started = Promise.reject(error)
      started.catch(() => undefined)
      return {
        started,
        ended: Promise.resolve({ reason: 'failed', playedSamples: 0, error: String(error) }),
      }
    }
    const startedAt = performance.now()
    const ended = new Promise<PlayEnd>((resolve) => {
      const timer =
        durationMs < 0
          ? undefined
          : setTimeout(() => {
              this.#playing?.end('done')
            }, durationMs)
      const end = (reason: PlayEnd['reason']): void => {
        clearTimeout(timer)
        this.#playing = undefined
        const heardMs = reason === 'done' ? durationMs : performance.now() - startedAt
        if (reason !== 'failed') resolve({ reason, playedSamples: Math.round(heardMs / 20) * 160 })
      }
      this.#playing = { source, startedAt, end }
    })
    return { started: Promise.resolve(), ended }
  }

  break(which: 'current' | 'all'): void {
    this.calls.push(`break ${which}`)
    this.#playing?.end('break')
  }

  sendDigits(
    digits: string,
    options: { readonly durationMs?: number | undefined } = {},
  ): Promise<void> {
    this.calls.push(`sendDigits ${digits} ${options.durationMs ?? ''}`.trim())
    return Promise.resolve()
  }

  /** The last fork request, and the function that sends its events. */
  forked: { readonly request: ForkRequest; readonly tell: (event: ForkEvent) => void } | undefined

  fork(request: ForkRequest, tell: (event: ForkEvent) => void): AudioForkHandle {
    this.forked = { request, tell }
    const note = (call: string): void => {
      this.calls.push(`fork ${call}`)
    }
    return {
      sendText: (text) => {
        note(`text ${text}`)
      },
      setPaused: (isPaused) => {
        note(isPaused ? 'pause' : 'resume')
      },
      shutDownGracefully: () => {
        note('shut-down')
      },
      clearPlayout: () => {
        note('clear')
      },
      stop: (text) => {
        note(`stop ${text ?? ''}`.trim())
        return Promise.resolve()
      },
    }
  }

  record(
    path: string,
    options: { readonly channels: string; readonly limitMs?: number | undefined },
  ): Recording {
    this.calls.push(`record ${path} ${options.channels}`)
    const startedAt = performance.now()
    const ended = new Promise<RecordingEnd>((resolve) => {
      const timer =
        options.limitMs === undefined
          ? undefined
          : setTimeout(() => this.#recordings.get(path)?.('limit'), options.limitMs)
      this.#recordings.set(path, (reason) => {
        clearTimeout(timer)
        this.#recordings.delete(path)
        resolve({ reason, samples: Math.round((performance.now() - startedAt) * 8) })
      })
    })
    return { started: Promise.resolve(), ended }
  }

  stopRecording(path: string): void {
    this.#recordings.get(path)?.('stopped')
  }

  maskRecording(path: string, isMasked: boolean): void {
    this.calls.push(`mask ${path} ${isMasked}`)
  }

  bridge(other: MediaEndpoint): void {
    this.calls.push(`bridge ${other.id}`)
  }

  unbridge(): void {
    this.calls.push('unbridge')
  }

  joinRoom(room: MediaRoom): void {
    this.calls.push(`join ${room.id}`)
  }

  leaveRoom(): void {
    this.calls.push('leave')
  }

  setRoomVoice({ speaks, hears }: { readonly speaks: boolean; readonly hears: boolean }): void {
    this.calls.push(`voice ${speaks ? 'speaks' : 'mute'} ${hears ? 'hears' : 'deaf'}`)
  }

  setDeafTo(other: MediaEndpoint, isDeaf: boolean): void {
    this.calls.push(`${isDeaf ? 'deaf to' : 'hears'} ${other.id}`)
  }

  setDigitTones(isOn: boolean): void {
    this.calls.push(`digit tones ${isOn}`)
  }

  setDigitDetection(isOn: boolean): void {
    this.calls.push(`detect digits ${isOn}`)
  }

  setEcho(isOn: boolean): void {
    this.calls.push(`echo ${isOn}`)
  }

  setMute(direction: 'read' | 'write', isMuted: boolean): void {
    this.calls.push(`mute ${direction} ${isMuted}`)
  }

  watchLevel(options: { readonly hangoverMs: number }): void {
    this.calls.push(`watchLevel ${options.hangoverMs}`)
  }

  watchSilence(): void {
    this.calls.push('watchSilence')
  }

  stats(): Promise<EndpointStats> {
    return Promise.resolve(STATS)
  }

  close(): Promise<EndpointStats> {
    this.isClosed = true
    this.#playing?.end('closed')
    for (const end of [...this.#recordings.values()]) end('closed')
    return Promise.resolve(STATS)
  }

  #durationOf(source: PlaySource): number | undefined {
    switch (source.type) {
      case 'silence':
        return source.durationMs
      case 'file': {
        const whole = this.#files.get(source.path)
        return whole === undefined ? undefined : whole - (source.offsetSamples ?? 0) / 8
      }
      case 'tone': {
        const [, on = '0', off = '0'] = /%\((\d+),(\d+)/.exec(source.script) ?? []
        return Number(on) + Number(off)
      }
      case 'samples':
        return source.pcm.length / 8
    }
  }
}

/** Opens endpoints without audio; files are known by path, with their length in ms. */
export class FakeEngine implements MediaEngine {
  readonly endpoints: FakeEndpoint[] = []
  readonly files = new Map<string, number>()
  #port = 30_000

  readonly rooms: FakeEndpoint[] = []

  openRoom(): MediaRoom {
    const room = new FakeEndpoint(0, {}, this.files)
    this.rooms.push(room)
    return room
  }

  open(events: EndpointEvents): Promise<FakeEndpoint> {
    this.#port += 2
    const endpoint = new FakeEndpoint(this.#port, events, this.files)
    this.endpoints.push(endpoint)
    return Promise.resolve(endpoint)
  }

  stats(): Promise<never> {
    return Promise.reject(new Error('a fake has no statistics'))
  }

  [Symbol.asyncDispose](): Promise<void> {
    return Promise.resolve()
  }
}
