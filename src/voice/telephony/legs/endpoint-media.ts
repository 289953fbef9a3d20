import { linkAbort } from '../../../platform/async/abort.js'
import { SerialQueue } from '../../../platform/async/serial-queue.js'
import { pause } from '../../../platform/async/sleep.js'
import { AdapterError } from '../../../platform/errors.js'
import type { Logger } from '../../../platform/log.js'
import type { ForkListener } from '../forks/fork-listener.js'
import { SilenceUnderlay } from '../forks/silence-underlay.js'
import { startFork } from '../forks/start-fork.js'
import { bridge } from '../freeswitch/bridge.js'
import { sendDigitCommand, setVariableCommand } from '../freeswitch/command-builder.js'
import type { MediaConnection } from '../freeswitch/media-connection.js'
import type { MediaEndpoint } from '../freeswitch/media-endpoint.js'
import { play } from '../freeswitch/playback.js'
import { startRecording } from '../freeswitch/record.js'
import { joinRoom } from '../freeswitch/room.js'
import type {
  AudioSource,
  ForkEvents,
  ForkRequest,
  LegFork,
  LegMedia,
  LegRecording,
  RoomSeat,
} from '../leg-media.js'
import type { CountedMedia, MediaFigures } from '../media-figures.js'
import { LegEndedError, UnsafeArgumentError } from '../port.js'
import { bridgeOver, joinRoomOver } from '../servers/connect-servers.js'
import type { RoomPlaces } from '../servers/room-places.js'
import type { TieLine } from '../servers/tie-line.js'

export interface MadeEndpoint {
  readonly endpoint: MediaEndpoint
  readonly server: MediaConnection
  readonly places: RoomPlaces<MediaConnection>
  /** Opens a tie line from the endpoint's server to another. */
  readonly tieLine: (to: MediaConnection) => Promise<TieLine>
  readonly forks: ForkListener
}

const TONE_MS = 100
const GAP_MS = 100
const PAUSES_MS: Readonly<Record<string, number>> = { w: 500, W: 1_000 }
const ROWS = ['123A', '456B', '789C', '*0#D']
const ROWS_HZ = [697, 770, 852, 941]
const COLUMNS_HZ = [1_209, 1_336, 1_477, 1_633]

type PlayTone = (source: AudioSource, signal: AbortSignal) => Promise<void>

/** A leg's audio on FreeSWITCH: its endpoint, once created, and the port's operations on it. */
export class EndpointMedia implements LegMedia {
  readonly #log: Logger
  readonly #underlay: SilenceUnderlay
  #making: Promise<MadeEndpoint> | undefined
  #made: MadeEndpoint | undefined
  #isOver = false
  #hasAudioToSend = false
  /** The channel that represents the leg in a room on another server. */
  #distantVoice: MediaEndpoint | undefined
  /** Starts recordings one after another: a channel variable sets how the next one is made. */
  readonly #recordingStarts = new SerialQueue()

  constructor(log: Logger) {
    this.#log = log
    this.#underlay = new SilenceUnderlay(log)
  }

  /** Resolves with the leg's one endpoint. The first call creates it; later calls share it. */
  make(create: () => Promise<MadeEndpoint>): Promise<MediaEndpoint> {
    this.#making ??= create().then((made) => {
      this.#made = made
      return made
    })
    return this.#making.then((made) => made.endpoint)
  }

  /** The media server of the leg's endpoint; undefined before it is created. */
  get serverName(): string | undefined {
    return this.#made?.server.name
  }

  /**
   * Ends the endpoint, even while it is being created. Operations reject from then on. Resolves with the
   * figures of its audio if `what` says so.
   */
  async release(what: 'figures' | 'nothing'): Promise<MediaFigures | undefined> {
    this.#isOver = true
    if (!this.#making) return undefined
    const [made] = await Promise.allSettled([this.#making])
    return made.status === 'fulfilled'
      ? this.#whole(await made.value.endpoint.release(what))
      : undefined
  }

  async figures(): Promise<MediaFigures | undefined> {
    return this.#isOver ? undefined : this.#whole(await this.#made?.endpoint.figures())
  }

  #whole(counted: CountedMedia | undefined): MediaFigures | undefined {
    return counted && { ...counted, hasAudioToSend: this.#hasAudioToSend }
  }

  async play(source: AudioSource, signal: AbortSignal): Promise<void> {
    const { endpoint } = this.#require()
    this.#hasAudioToSend = true
    if (this.#distantVoice !== undefined) {
      await play(this.#distantVoice, source, signal, this.#log)
      return
    }
    await this.#underlay.beneath(endpoint, () => play(endpoint, source, signal, this.#log))
  }

  async sendDigits(digits: string, signal: AbortSignal): Promise<void> {
    const { endpoint } = this.#require()
    await sendDigits(endpoint, digits, signal, this.play.bind(this))
  }

  async bridge(other: LegMedia, signal: AbortSignal): Promise<void> {
    const { endpoint, server, tieLine } = this.#require()
    if (!(other instanceof EndpointMedia))
      throw new AdapterError('a leg of another adapter cannot be bridged')
    const peer = other.#require()
    const line = server.name === peer.server.name ? undefined : await tieLine(peer.server)
    this.#hasAudioToSend = true
    other.#hasAudioToSend = true
    await this.#underlay.without(endpoint, () =>
      other.#underlay.without(peer.endpoint, () =>
        line === undefined
          ? bridge(endpoint, peer.endpoint, signal, this.#log)
          : bridgeOver(line, endpoint, peer.endpoint, signal, this.#log),
      ),
    )
  }

  async joinRoom(room: string, voice: { readonly speaks: 'yes' | 'no' }): Promise<RoomSeat> {
    const { endpoint, server, places } = this.#require()
    this.#hasAudioToSend = true
    const place = places.enter(room, server)
    const resume = this.#underlay.suspend(endpoint)
    const leave = () => {
      place.leave()
      resume()
    }
    try {
      const seat =
        place.server.name === server.name
          ? await joinRoom(endpoint, room, voice, server.rooms, this.#log)
          : await this.#joinDistantRoom(room, voice, place.server)
      void seat.left.finally(leave)
      return seat
    } catch (err) {
      leave()
      throw err
    }
  }

  /** Joins a room on another server by bridging the leg's channel with a channel there. */
  async #joinDistantRoom(
    room: string,
    voice: { readonly speaks: 'yes' | 'no' },
    server: MediaConnection,
  ): Promise<RoomSeat> {
    const { endpoint, tieLine } = this.#require()
    const line = await tieLine(server)
    const join = (near: MediaEndpoint, signal: AbortSignal) =>
      this.#underlay.without(endpoint, () => bridge(endpoint, near, signal, this.#log))
    const wanted = { room, voice, server: server.rooms }
    const distant = await joinRoomOver(line, wanted, join, this.#log)
    this.#distantVoice = distant.voice
    void distant.seat.left.finally(() => {
      this.#distantVoice = undefined
    })
    return distant.seat
  }

  async record(
    path: string,
    { channels }: { readonly channels: 'mono' | 'stereo' },
  ): Promise<LegRecording> {
    const {
      endpoint,
      server: { bring, whenRecorded },
    } = this.#require()
    return await this.#recordingStarts.run(() =>
      startRecording(endpoint, path, channels, {
        whenRecorded,
        bring,
        log: this.#log,
        holdSilence: () => this.#underlay.hold(endpoint),
      }),
    )
  }

  async fork(request: ForkRequest, events: ForkEvents): Promise<LegFork> {
    const { endpoint, forks } = this.#require()
    const deps = { listener: forks, underlay: this.#underlay, log: this.#log }
    return startFork(endpoint, request, events, deps)
  }

  async setVariable(name: string, value: string): Promise<void> {
    const { endpoint } = this.#require()
    await endpoint.api(setVariableCommand(endpoint.uuid, name, value))
  }

  #require(): MadeEndpoint {
    if (this.#isOver) throw new LegEndedError('the leg is over')
    if (!this.#made) throw new AdapterError('the leg has no audio yet')
    return this.#made
  }
}

/**
 * Sends digits one by one, so that an abort stops the rest; see `LegMedia.sendDigits`. A peer without
 * telephone events gets tones, which are played: FreeSWITCH generates tones only while it sends other audio.
 */
async function sendDigits(
  endpoint: MediaEndpoint,
  digits: string,
  signal: AbortSignal,
  play: PlayTone,
): Promise<void> {
  if (!/^[0-9A-Da-d*#wW]*$/.test(digits)) throw new UnsafeArgumentError('not telephone digits')
  using either = linkAbort([signal, endpoint.over])
  for (const digit of digits) {
    signal.throwIfAborted()
    const pauseMs = PAUSES_MS[digit]
    if (pauseMs === undefined && endpoint.keyWay === 'audio') await play(toneOf(digit), signal)
    else {
      if (pauseMs === undefined) await endpoint.api(sendDigitCommand(endpoint.uuid, digit, TONE_MS))
      await pause(pauseMs ?? TONE_MS + GAP_MS, either.signal)
    }
    signal.throwIfAborted()
    if (endpoint.over.aborted) throw new LegEndedError('the leg is over')
  }
}

/** Returns the two tones of a key (ITU-T Q.23) and the gap after it. */
function toneOf(digit: string): AudioSource {
  const key = digit.toUpperCase()
  const row = ROWS.findIndex((keys) => keys.includes(key))
  const frequencies = [ROWS_HZ[row] ?? 0, COLUMNS_HZ[ROWS[row]?.indexOf(key) ?? 0] ?? 0]
  return { type: 'tone', frequencies, onMs: TONE_MS, offMs: GAP_MS, repeat: 1 }
}
