import type { Logger } from '../../../platform/log.js'
import { type ApiCommand, endLaterCommand, keepCommand } from './command-builder.js'

/** The time that bridged channels go on without us. */
const LIMIT_SECONDS = 600
const RENEWED_EVERY_MS = 200_000

export interface LimitedChannel {
  readonly uuid: string
  readonly over: AbortSignal
  api(command: ApiCommand): Promise<string>
}

/**
 * Ends bridged channels when this process is gone. FreeSWITCH notices that a channel's connection has
 * ended, but not while the channel is bridged: it would stay for ever, also after its party has left. So
 * each bridged channel has a time at which it ends, which is put off as long as the bridge is wanted.
 */
export class BridgeLimit implements Disposable {
  readonly #channels: readonly LimitedChannel[]
  readonly #log: Logger
  readonly #timer: NodeJS.Timeout

  constructor(
    channels: readonly LimitedChannel[],
    log: Logger,
    { limitSeconds = LIMIT_SECONDS, renewedEveryMs = RENEWED_EVERY_MS } = {},
  ) {
    this.#channels = channels
    this.#log = log
    this.#each((uuid) => [endLaterCommand(uuid, limitSeconds)])
    this.#timer = setInterval(() => {
      this.#each((uuid) => [keepCommand(uuid), endLaterCommand(uuid, limitSeconds)])
    }, renewedEveryMs).unref()
  }

  /** Takes the limit back. */
  [Symbol.dispose](): void {
    clearInterval(this.#timer)
    this.#each((uuid) => [keepCommand(uuid)])
  }

  /** The connection of the first channel that is left carries the commands, so that they are obeyed in order. */
  #each(commandsFor: (uuid: string) => readonly ApiCommand[]): void {
    const speaker = this.#channels.find(({ over }) => !over.aborted)
    for (const { uuid } of this.#channels)
      for (const command of commandsFor(uuid))
        speaker?.api(command).catch((err: unknown) => {
          this.#log.debug({ err }, 'could not set the limit of a bridged channel')
        })
  }
}
