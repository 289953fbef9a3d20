import type { Logger } from '../../../platform/log.js'
import type { AudioForkHandle, ForkEvent, ForkRequest } from '../../media/model/audio-fork.js'
import type { MediaEndpoint } from '../../media/model/media-endpoint.js'

export interface ForksDeps {
  readonly media: MediaEndpoint
  readonly log: Logger
  /** Fires a `mod_audio_fork::` event; `event` is the part after the prefix. */
  tell(event: string, body?: string): void
  /** Stops the channel's playback; the far end sends `killAudio` for that. */
  breakPlayback(): void
}

/** The far end's message types that become events, with their `data` as the body. */
const TOLD: ReadonlyMap<string, string> = new Map([
  ['transcription', 'transcription'],
  ['transfer', 'transfer'],
  ['disconnect', 'disconnect'],
  ['error', 'error'],
])

/**
 * Audio forks of one channel, by the name of their media bug. A fork that lost its socket still occupies its
 * name.
 */
export class Forks {
  readonly #deps: ForksDeps
  readonly #running = new Map<string, AudioForkHandle>()

  constructor(deps: ForksDeps) {
    this.#deps = deps
  }

  get(name: string): AudioForkHandle | undefined {
    return this.#running.get(name)
  }

  /** Starts a fork. Returns false when the name is in use. */
  start(name: string, request: ForkRequest): boolean {
    if (this.#running.has(name)) return false
    const fork = this.#deps.media.fork(request, (event) => {
      this.#onEvent(event)
    })
    this.#running.set(name, fork)
    return true
  }

  /**
   * Stops a fork. Returns false when there is none. Does not wait until its socket is closed, as the module
   * does not.
   */
  stop(name: string, text?: string): boolean {
    const fork = this.#running.get(name)
    if (fork === undefined) return false
    this.#running.delete(name)
    void fork.stop(text)
    return true
  }

  async stopAll(): Promise<void> {
    const forks = [...this.#running.values()]
    this.#running.clear()
    await Promise.all(forks.map((fork) => fork.stop()))
  }

  #onEvent(event: ForkEvent): void {
    switch (event.type) {
      case 'connected':
        this.#deps.tell('connect')
        return
      case 'connect-failed':
        this.#deps.log.info({ reason: event.reason }, 'a fork could not connect')
        this.#deps.tell('connect_failed', JSON.stringify({ reason: 'Unable to connect' }))
        return
      case 'disconnected':
        this.#deps.tell('disconnect')
        return
      case 'buffer-overrun':
        this.#deps.tell('buffer_overrun')
        return
      case 'message':
        this.#onMessage(event.text)
    }
  }

  #onMessage(text: string): void {
    const message = readMessage(text)
    if (message?.type === 'killAudio') {
      this.#deps.tell('kill_audio')
      this.#deps.breakPlayback()
      return
    }
    if (message?.type === 'json') {
      this.#deps.tell('json', JSON.stringify(message.whole))
      return
    }
    const event = message === undefined ? undefined : TOLD.get(message.type)
    if (event !== undefined) this.#deps.tell(event, JSON.stringify(message?.data ?? null))
    else this.#deps.log.error({ type: message?.type }, 'a fork received a message of unknown type')
  }
}

interface Message {
  readonly type: string
  readonly data: unknown
  readonly whole: object
}

function readMessage(text: string): Message | undefined {
  try {
    const whole: unknown = JSON.parse(text)
    if (typeof whole !== 'object' || whole === null || !('type' in whole)) return undefined
    return { type: String(whole.type), data: 'data' in whole ? whole.data : undefined, whole }
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}
