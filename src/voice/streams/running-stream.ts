import type { Socket } from 'node:net'
import { whenAborted } from '../../platform/async/abort.js'
import type { Clock } from '../../platform/clock.js'
import { AdapterError } from '../../platform/errors.js'
import { OutboundError } from '../../platform/http/outbound-error.js'
import { encodeMuLaw } from '../audio/mu-law.js'
import type { ErrorNumber } from '../errors/error-catalogue.js'
import type { LegFork } from '../telephony/leg-media.js'
import { type Leg, LegEndedError } from '../telephony/port.js'
import type { FrameClock } from './media/frame-clock.js'
import { Playout } from './media/playout.js'
import {
  CustomerSocket,
  type CustomerSocketEvents,
  connectFailure,
} from './socket/customer-socket.js'
import { MEDIA_FORMAT, readCustomerMessage } from './socket/messages.js'
import { StreamFailure } from './stream-errors.js'
import type { StreamRecord } from './stream-record.js'
import type { StreamTracks } from './stream-tracks.js'

/**
 * Name of the leg's media fork for the stream; a leg can have other forks, such as the answering-machine
 * detector's.
 */
const FORK_NAME = 'stream'
/** Maximum number of logged warnings per error number and stream. */
const MAX_WARNINGS = 20

/** The call that a stream belongs to. */
export interface StreamTarget {
  readonly callSid: string
  readonly accountSid: string
  readonly leg: Leg
}

export interface RunningStreamDeps {
  readonly clock: Clock
  readonly beat: FrameClock
  /** Opens a socket to the URL's host. Rejects with OutboundError. */
  readonly openSocket: (url: string, signal: AbortSignal) => Promise<Socket>
  /** Makes the headers of the upgrade request. */
  readonly headers: () => Promise<Readonly<Record<string, string>>>
  /** Called once, when audio begins to flow. */
  readonly onStarted: () => void
  /** Called when the customer's server sent an invalid message. The stream continues. */
  readonly onWarning: (number: ErrorNumber, message: string) => void
  /** Called once, when frames are dropped because the customer's server reads too slowly. */
  readonly onSlow: (message: string) => void
}

export interface StreamFacts {
  readonly record: StreamRecord
  readonly tracks: StreamTracks
  readonly parameters: Readonly<Record<string, string>>
}

const FRAME_SAMPLES = 160
const FRAME_MS = 20
const SAMPLE_BYTES = 2

/** One media stream from connect to close; owns the socket, the fork and the playout. */
export class RunningStream {
  readonly #facts: StreamFacts
  readonly #target: StreamTarget
  readonly #deps: RunningStreamDeps
  readonly #stopping = new AbortController()
  #failure: StreamFailure | undefined
  readonly #warnings = new Map<number, number>()

  constructor(facts: StreamFacts, target: StreamTarget, deps: RunningStreamDeps) {
    this.#facts = facts
    this.#target = target
    this.#deps = deps
  }

  /**
   * Runs the stream. Resolves once the socket and the fork are closed, with the failure that ended the
   * stream, if any.
   */
  async run(): Promise<StreamFailure | undefined> {
    try {
      await this.#connectAndFlow()
    } catch (error) {
      if (error instanceof StreamFailure) return error
      if (error instanceof LegEndedError || this.#stopping.signal.aborted) return this.#failure
      if (!(error instanceof AdapterError)) throw error
      return new StreamFailure(31900, 'the audio of the call is not available', { cause: error })
    }
    return this.#failure
  }

  /** True once the stream is being stopped, for whatever reason. */
  get isStopping(): boolean {
    return this.#stopping.signal.aborted
  }

  stop(): void {
    this.#stopping.abort(new LegEndedError('the stream was stopped'))
  }

  async #connectAndFlow(): Promise<void> {
    const { accountSid, callSid } = this.#facts.record
    // A message before `start` cannot name the stream and is dropped.
    let onText = (_text: string): void => undefined
    const customer = await this.#connect({
      onText: (text) => {
        onText(text)
      },
      onBinary: () => {
        this.#warn(31950, 'a message was not text')
      },
      onSlow: () => {
        this.#deps.onSlow('the far end reads too slowly; the oldest audio is thrown away')
      },
      onClosed: (failure) => {
        this.#end(failure)
      },
    })
    try {
      await this.#flow(customer, (listener) => {
        onText = listener
      })
    } finally {
      await customer.close({ event: 'stop', stop: { accountSid, callSid } })
    }
  }

  async #connect(events: CustomerSocketEvents): Promise<CustomerSocket> {
    const { url, sid: streamSid } = this.#facts.record
    const { signal } = this.#stopping
    const headers = await this.#deps.headers()
    try {
      const socket = await this.#deps.openSocket(url, signal)
      return await CustomerSocket.open({ url, streamSid, headers, socket }, events, signal)
    } catch (error) {
      throw error instanceof OutboundError && !signal.aborted ? connectFailure(error) : error
    }
  }

  /** Carries audio both ways until the stream ends. */
  async #flow(
    customer: CustomerSocket,
    listen: (listener: (text: string) => void) => void,
  ): Promise<void> {
    const { record, tracks } = this.#facts
    const { clock, onStarted } = this.#deps
    const isTwoWay = record.kind === 'two-way'
    const speech: { playout?: Playout | undefined; sender?: FrameSender } = {}
    const fork = await this.#target.leg.media.fork(
      {
        name: FORK_NAME,
        hears: tracks.length === 1 && tracks[0] === 'inbound' ? 'far-end' : 'both',
        speaks: isTwoWay ? 'yes' : 'no',
      },
      {
        onAudio: (audio) => {
          speech.sender?.send(audio) // undefined until `start` was sent
        },
        onMark: (id) => {
          speech.playout?.markReturned(id)
        },
        onEnded: (why) => {
          this.#end(
            why === 'lost' ? new StreamFailure(31900, 'the call’s audio was lost') : undefined,
          )
        },
      },
    )
    const undo = isTwoWay ? this.#takeSpeech(fork, customer) : undefined
    speech.playout = undo?.playout
    listen((text) => {
      if (speech.playout === undefined) this.#warn(31951, 'this stream takes no messages')
      else this.#take(text, speech.playout)
    })
    this.#greet(customer)
    speech.sender = new FrameSender(tracks, clock, customer)
    onStarted()
    try {
      await whenAborted(this.#stopping.signal)
    } finally {
      undo?.release()
      await fork.stop()
    }
  }

  #greet(customer: CustomerSocket): void {
    const { record, tracks, parameters: customParameters } = this.#facts
    const { accountSid, callSid, sid: streamSid } = record
    const mediaFormat = MEDIA_FORMAT
    customer.greet()
    customer.send({
      event: 'start',
      start: { accountSid, streamSid, callSid, tracks, mediaFormat, customParameters },
    })
  }

  #takeSpeech(fork: LegFork, customer: CustomerSocket) {
    const playout = new Playout(fork, (name) => {
      customer.send({ event: 'mark', mark: { name } })
    })
    const offTick = this.#deps.beat.onTick((now) => {
      playout.tick(now)
    })
    const offDigit = this.#target.leg.digits.subscribe(({ digit }) => {
      customer.send({ event: 'dtmf', dtmf: { track: 'inbound_track', digit } })
    })
    const release = (): void => {
      offTick()
      offDigit()
    }
    return { playout, release }
  }

  #take(text: string, playout: Playout): void {
    const message = readCustomerMessage(text, this.#facts.record.sid)
    const now = this.#deps.clock.monotonic()
    switch (message.type) {
      case 'media':
        if (!playout.push(message.audio, now))
          this.#warn(31931, 'more than 10 minutes of audio is buffered; media was thrown away')
        return
      case 'mark':
        if (!playout.mark(message.name, now)) this.#warn(31951, 'too many marks wait')
        return
      case 'clear':
        playout.clear()
        return
      case 'malformed':
        this.#warn(31950, message.problem)
        return
      case 'invalid':
        this.#warn(31951, message.problem)
    }
  }

  #warn(number: ErrorNumber, message: string): void {
    const count = (this.#warnings.get(number) ?? 0) + 1
    this.#warnings.set(number, count)
    if (count <= MAX_WARNINGS) this.#deps.onWarning(number, message)
  }

  #end(failure: StreamFailure | undefined): void {
    if (!this.#stopping.signal.aborted) this.#failure = failure
    this.stop()
  }
}

/** Sends the audio of a fork as the `media` messages of a stream's tracks. */
class FrameSender {
  readonly #tracks: readonly ('inbound' | 'outbound')[]
  readonly #customer: CustomerSocket
  readonly #clock: Clock
  /**
   * Number of channels of the fork's audio: two (far end first) when the outbound track is sent, else one.
   */
  readonly #channels: 1 | 2
  readonly #payload = Buffer.alloc(FRAME_SAMPLES)
  readonly #startedAt: number
  #frames = 0
  /** Milliseconds from the stream's start to its first frame. */
  #offsetMs: number | undefined

  constructor(tracks: readonly ('inbound' | 'outbound')[], clock: Clock, customer: CustomerSocket) {
    this.#tracks = tracks
    this.#customer = customer
    this.#clock = clock
    this.#channels = tracks.includes('outbound') ? 2 : 1
    this.#startedAt = clock.monotonic()
  }

  /** Sends audio of 20 ms or a multiple of it, as one `media` message per track and frame. */
  send(audio: Buffer): void {
    const frameBytes = FRAME_SAMPLES * SAMPLE_BYTES * this.#channels
    for (let at = 0; at + frameBytes <= audio.length; at += frameBytes)
      this.#sendFrame(audio.subarray(at, at + frameBytes))
  }

  #sendFrame(frame: Buffer): void {
    this.#offsetMs ??= Math.round(this.#clock.monotonic() - this.#startedAt)
    const timestamp = String(this.#offsetMs + this.#frames * FRAME_MS)
    this.#frames += 1
    for (const track of this.#tracks) {
      const offset = track === 'outbound' ? SAMPLE_BYTES : 0
      encodeMuLaw(frame, { offset, stride: SAMPLE_BYTES * this.#channels }, this.#payload)
      const payload = this.#payload.toString('base64')
      this.#customer.send({
        event: 'media',
        media: { track, chunk: String(this.#frames), timestamp, payload },
      })
    }
  }
}
