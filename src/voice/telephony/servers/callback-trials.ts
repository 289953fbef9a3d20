import type { Logger } from '../../../platform/log.js'
import type { Uac } from '../freeswitch/endpoint-dialog.js'
import type { MediaConnection } from '../freeswitch/media-connection.js'

/** The interval at which a server whose channels do not connect back is tried again. */
const AGAIN_MS = 10_000
const NO_EVENTS = { onDigit: () => undefined, onLost: () => undefined }

export interface CallbackTrialsDeps {
  /** The media servers that are up. */
  readonly connections: () => readonly MediaConnection[]
  /** The way to them; undefined while no drachtio is up. */
  readonly uac: () => Uac | undefined
  /** True to try each server once when it is up, before a call does. */
  readonly isTriedFirst: boolean
  readonly log: Logger
}

/**
 * Makes a channel that nobody hears on a media server, to see whether it connects back: once where an
 * address was set for it, and again for as long as it does not.
 */
export class CallbackTrials implements Disposable {
  readonly #deps: CallbackTrialsDeps
  readonly #tried = new WeakSet<MediaConnection>()
  readonly #timer: NodeJS.Timeout

  constructor(deps: CallbackTrialsDeps) {
    this.#deps = deps
    this.#timer = setInterval(() => {
      this.#tryEach((connection) => connection.fault !== undefined)
    }, AGAIN_MS).unref()
  }

  /** Tries the servers that are up and were not tried yet. */
  look(): void {
    if (this.#deps.isTriedFirst) this.#tryEach((connection) => !this.#tried.has(connection))
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer)
  }

  #tryEach(isWanted: (connection: MediaConnection) => boolean): void {
    const uac = this.#deps.uac()
    if (uac === undefined) return
    for (const connection of this.#deps.connections().filter(isWanted)) {
      this.#tried.add(connection)
      connection
        .createEndpoint({ uac, events: NO_EVENTS })
        .then((endpoint) => endpoint.release())
        .catch((err: unknown) => {
          this.#deps.log.warn({ err, server: connection.name }, 'a media server could not be tried')
        })
    }
  }
}
