/** Runs one fork: collects frames, sends them and handles what the far end sends back. */
import { ArrivalClock } from '../dsp/arrival-clock.js'
import { clip16, FRAME_SAMPLES, SAMPLE_RATE } from '../dsp/frame.js'
import { Resampler } from '../dsp/resampler.js'
import type { Arrival, Dub, Tap } from '../model/audio-flow.js'
import type { ForkEvent, ForkRequest } from '../model/audio-fork.js'
import type { ForkControl } from '../model/thread-messages.js'
import { ForkSocket } from './fork-socket.js'

const SAMPLE_BYTES = 2
const MAX_BUFFERED_SECONDS = 2

export interface ForkOwner {
  onEvent(event: ForkEvent): void
  /** Called once, when its socket is closed because a caller asked for it. */
  onEnded(): void
}

/**
 * Size of the ring in samples, a power of two, about 65 s. Further audio is dropped: the far end sends faster
 * than real time.
 */
const RING = 1 << 19
const FIRST_GATHER = 1_280
const GATHER = 640
const MAX_MARKS = 30

interface PlayoutEvents {
  onMark(name: string, event: 'playout' | 'cleared'): void
}

interface Mark {
  readonly name: string
  /** The sample that the mark stands before; undefined until more audio follows it. */
  at: number | undefined
}

export class AudioFork implements Tap, Arrival, Dub {
  readonly request: ForkRequest
  readonly #events: ForkOwner
  readonly #socket: ForkSocket
  readonly #playout: ForkPlayout | undefined
  readonly #clock = new ArrivalClock()
  /** The samples of the frame that is being filled. */
  readonly #samples: Int16Array
  /** The frame's bytes as they are sent. */
  readonly #bytes: Buffer
  #filled = 0
  #flow: 'sending' | 'paused' | 'ending' = 'sending'
  #isOverrun = false
  #closing: Promise<void> | undefined

  constructor(request: ForkRequest, events: ForkOwner) {
    this.request = request
    this.#events = events
    const channels = request.mix === 'stereo' ? 2 : 1
    const bytesPerSecond = request.sampleRate * channels * SAMPLE_BYTES
    this.#samples = new Int16Array(FRAME_SAMPLES * channels)
    this.#bytes = Buffer.alloc(bytesPerSecond / 50)
    this.#playout =
      request.playout === undefined
        ? undefined
        : new ForkPlayout(request.playout.sampleRate, {
            onMark: (name, event) => {
              this.sendText(JSON.stringify({ type: 'mark', data: { name, event } }))
            },
          })
    this.#socket = new ForkSocket(request.url, bytesPerSecond * MAX_BUFFERED_SECONDS, {
      onOpen: () => {
        events.onEvent({ type: 'connected' })
        if (request.metadata !== '') this.sendText(request.metadata)
      },
      onText: (text) => {
        this.#onText(text)
      },
      onBinary: (bytes) => {
        this.#playout?.push(bytes)
      },
      onLost: (reason) => {
        events.onEvent(
          reason === undefined ? { type: 'disconnected' } : { type: 'connect-failed', reason },
        )
      },
    })
  }

  sendText(text: string): void {
    this.#socket.sendText(text)
  }

  setPaused(isPaused: boolean): void {
    if (this.#flow !== 'ending') this.#flow = isPaused ? 'paused' : 'sending'
  }

  shutDownGracefully(): void {
    this.#flow = 'ending'
    this.#socket.sendAudio(Buffer.alloc(0))
  }

  clearPlayout(): void {
    this.#playout?.clear()
  }

  onAudio(samples: Int16Array, count: number, at: number): void {
    this.#clock.place(at, count)
    for (let i = 0; i < this.#clock.gap; i++) this.#gather(0)
    for (let i = this.#clock.late; i < count; i++) this.#gather(samples[i] ?? 0)
  }

  write(heard: Int16Array, said: Int16Array, hasSound: boolean): void {
    if (this.request.mix === 'mono') {
      if (this.#clock.isFrameDue()) for (let i = 0; i < FRAME_SAMPLES; i++) this.#gather(0)
      return
    }
    // As with mod_audio_fork, whose media bug is driven by what is written to the channel.
    if (!hasSound) return
    const isStereo = this.request.mix === 'stereo'
    for (let i = 0; i < FRAME_SAMPLES; i++) {
      if (isStereo) {
        this.#gather(heard[i] ?? 0)
        this.#gather(said[i] ?? 0)
      } else this.#gather(clip16((heard[i] ?? 0) + (said[i] ?? 0)))
    }
  }

  mixInto(said: Int16Array): void {
    this.#playout?.mixInto(said)
  }

  close(text?: string): Promise<void> {
    this.#closing ??= this.#end(text)
    return this.#closing
  }

  async #end(text: string | undefined): Promise<void> {
    if (text !== undefined) this.sendText(text)
    await this.#socket.close()
    this.#events.onEnded()
  }

  #onText(text: string): void {
    const message = readMessage(text)
    if (message?.type === 'mark') {
      if (message.name !== undefined) this.#playout?.mark(message.name)
      return
    }
    if (message?.type === 'clearMarks') this.#playout?.clearMarks()
    else {
      if (message?.type === 'killAudio') this.#playout?.clear()
      this.#events.onEvent({ type: 'message', text })
    }
  }

  #gather(sample: number): void {
    this.#samples[this.#filled++] = sample
    if (this.#filled < this.#samples.length) return
    this.#filled = 0
    if (this.#flow !== 'sending' || !this.#socket.isOpen) return
    this.#writeBytes()
    if (this.#socket.sendAudio(this.#bytes) || this.#isOverrun) return
    this.#isOverrun = true
    this.#events.onEvent({ type: 'buffer-overrun' })
  }

  /**
   * Writes the frame as bytes. At a higher rate than ours each sample is held, which adds nothing
   * above 4 kHz that matters.
   */
  #writeBytes(): void {
    const samples = this.#samples
    const bytes = this.#bytes
    const channels = this.request.mix === 'stereo' ? 2 : 1
    const repeat = this.request.sampleRate / SAMPLE_RATE
    let at = 0
    for (let i = 0; i < samples.length; i += channels)
      for (let n = 0; n < repeat; n++)
        for (let channel = 0; channel < channels; channel++)
          at = bytes.writeInt16LE(samples[i + channel] ?? 0, at)
  }
}

/**
 * Plays to the peer what the far end of a fork sends back. As in mod_audio_fork, audio is gathered
 * before it plays (160 ms at first, then 80 ms at a time), mixed into what plays, and heard only
 * while something plays. Marks stand between the samples.
 */
class ForkPlayout {
  readonly #events: PlayoutEvents
  readonly #resampler: Resampler | undefined
  readonly #ring = new Int16Array(RING)
  /** Number of samples received since the start. */
  #written = 0
  /** Number of samples released for playback since the start. */
  #released = 0
  /** Number of samples played since the start. */
  #played = 0
  /** Number of samples to buffer before more are released. */
  #gather = FIRST_GATHER
  readonly #marks: Mark[] = []
  #oddByte: number | undefined

  constructor(sampleRate: number, events: PlayoutEvents) {
    this.#events = events
    this.#resampler = sampleRate === SAMPLE_RATE ? undefined : new Resampler(sampleRate)
  }

  /** Receives any number of bytes; an odd byte is kept until the next call. */
  push(bytes: Uint8Array): void {
    for (const mark of this.#marks) mark.at ??= this.#written
    let low = this.#oddByte
    for (const byte of bytes) {
      if (low === undefined) low = byte
      else {
        this.#pushSample(((low | (byte << 8)) << 16) >> 16)
        low = undefined
      }
    }
    this.#oddByte = low
    if (this.#written - this.#released < this.#gather) return
    this.#released = this.#written
    this.#gather = GATHER
  }

  mark(name: string): void {
    if (this.#marks.length < MAX_MARKS) this.#marks.push({ name, at: undefined })
  }

  /** Mixes the next frame of playback into `said`. */
  mixInto(said: Int16Array): void {
    const available = Math.min(said.length, this.#released - this.#played)
    for (let i = 0; i < available; i++)
      said[i] = clip16((said[i] ?? 0) + (this.#ring[(this.#played + i) % RING] ?? 0))
    this.#played += available
    const [first] = this.#marks
    if (first === undefined) return
    if (first.at === undefined ? available === 0 : first.at <= this.#played && available > 0) {
      this.#marks.shift()
      this.#events.onMark(first.name, 'playout')
    }
  }

  clear(): void {
    this.#played = this.#written
    this.#released = this.#written
    this.clearMarks('cleared')
  }

  /** Drops all marks; with an event, reports each first. */
  clearMarks(event?: 'cleared'): void {
    const marks = this.#marks.splice(0)
    if (event !== undefined) for (const { name } of marks) this.#events.onMark(name, event)
  }

  #pushSample(sample: number): void {
    if (this.#resampler === undefined) {
      this.#write(sample)
      return
    }
    this.#resampler.push(sample)
    while (!this.#resampler.isHungry) this.#write(this.#resampler.pull())
  }

  #write(sample: number): void {
    if (this.#written - this.#played >= RING) return
    this.#ring[this.#written % RING] = sample
    this.#written++
  }
}

interface Message {
  readonly type: string
  readonly name: string | undefined
}

/** Parses a text frame; undefined when it is not one of the module's messages. */
function readMessage(text: string): Message | undefined {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value !== 'object' || value === null || !('type' in value)) return undefined
    const data: unknown = 'data' in value ? value.data : undefined
    const name = typeof data === 'object' && data !== null && 'name' in data ? data.name : undefined
    return { type: String(value.type), name: typeof name === 'string' ? name : undefined }
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

export function controlFork(fork: AudioFork, control: ForkControl): void {
  switch (control.type) {
    case 'send-text':
      fork.sendText(control.text)
      return
    case 'pause':
    case 'resume':
      fork.setPaused(control.type === 'pause')
      return
    case 'shut-down':
      fork.shutDownGracefully()
      return
    case 'clear-playout':
      fork.clearPlayout()
      return
    case 'stop':
      void fork.close(control.text)
  }
}
