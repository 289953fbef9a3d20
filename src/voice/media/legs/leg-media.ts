import { AdapterError } from '../../../platform/errors.js'
import type { Logger } from '../../../platform/log.js'
import { bridge } from '../freeswitch/bridge.js'
import { setVariableCommand } from '../freeswitch/command-builder.js'
import type { MediaEndpoint } from '../freeswitch/media-endpoint.js'
import { play } from '../freeswitch/playback.js'
import { startRecording, type WhenRecorded } from '../freeswitch/record.js'
import { sendDigits } from '../freeswitch/send-digits.js'
import { type AudioSource, type Leg, LegEndedError, type LegRecording } from '../port.js'

export interface MadeEndpoint {
  readonly endpoint: MediaEndpoint
  readonly whenRecorded: WhenRecorded
}

/** A leg's audio: the endpoint, once there is one, and what the port does with it. */
export class LegMedia {
  readonly #log: Logger
  #making: Promise<MadeEndpoint> | undefined
  #made: MadeEndpoint | undefined
  #isOver = false

  constructor(log: Logger) {
    this.#log = log
  }

  /** The leg's one endpoint: made at the first call, shared by the later ones. */
  make(create: () => Promise<MadeEndpoint>): Promise<MediaEndpoint> {
    this.#making ??= create().then((made) => {
      this.#made = made
      return made
    })
    return this.#making.then((made) => made.endpoint)
  }

  /** Ends the endpoint, also one that is still being made. Operations reject from now on. */
  async release(): Promise<void> {
    this.#isOver = true
    if (!this.#making) return
    const [made] = await Promise.allSettled([this.#making])
    if (made.status === 'fulfilled') await made.value.endpoint.release()
  }

  async play(source: AudioSource, signal: AbortSignal): Promise<void> {
    await play(this.#require().endpoint, source, signal, this.#log)
  }

  async sendDigits(digits: string, signal: AbortSignal): Promise<void> {
    await sendDigits(this.#require().endpoint, digits, signal)
  }

  async bridge(other: Leg, signal: AbortSignal): Promise<void> {
    const { endpoint } = this.#require()
    const peer = mediaOf(other)
    await bridge(endpoint, peer.#require().endpoint, signal, this.#log)
  }

  async startRecording(path: string, channels: 'mono' | 'stereo'): Promise<LegRecording> {
    const { endpoint, whenRecorded } = this.#require()
    return startRecording(endpoint, path, channels, { whenRecorded, log: this.#log })
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

function mediaOf(leg: Leg): LegMedia {
  if ('media' in leg && leg.media instanceof LegMedia) return leg.media
  throw new AdapterError('a leg of another adapter cannot be joined')
}
