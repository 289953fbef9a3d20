import { linkAbort, whenAborted } from '../../../platform/async/abort.js'
import { withLimit } from '../../../platform/async/limit.js'
import { AdapterError } from '../../../platform/errors.js'
import type { Logger } from '../../../platform/log.js'
import {
  type ApiCommand,
  bridgeCommand,
  endLaterCommand,
  keepCommand,
  unbridgeCommand,
} from './command-builder.js'
import type { MediaEndpoint } from './media-endpoint.js'

/** Maximum time until a change takes effect, ms: FreeSWITCH answers the command first and acts later. */
const CHANGE_LIMIT_MS = 2_000

/** What a bridge needs from a channel. */
export type BridgedChannel = LimitedChannel & Pick<MediaEndpoint, 'serverName' | 'nextEvent'>

/** Time after which bridged channels end once this process no longer extends it, in seconds. */
const LIMIT_SECONDS = 600
const RENEWED_EVERY_MS = 200_000

export interface LimitedChannel {
  readonly uuid: string
  readonly over: AbortSignal
  api(command: ApiCommand): Promise<string>
}

/** Bridges two channels until the signal aborts or one of them ends; see `LegMedia.bridge`. */
export async function bridge(
  first: BridgedChannel,
  second: BridgedChannel,
  signal: AbortSignal,
  log: Logger,
): Promise<void> {
  if (first.serverName !== second.serverName)
    throw new AdapterError('channels of two media servers cannot be bridged')
  if (signal.aborted) return
  const isEitherOver = () => first.over.aborted || second.over.aborted
  const bothParked = () =>
    Promise.all([first.nextEvent('CHANNEL_PARK'), second.nextEvent('CHANNEL_PARK')])
  try {
    // A channel may end while the bridge is being made. The other one may then be parked already.
    const parkedMeanwhile = bothParked()
    await join(first, second, log)
    using _limit = new BridgeLimit([first, second], log)
    const parked = bothParked()
    using either = linkAbort([signal, first.over, second.over])
    await whenAborted(either.signal)
    // When one channel has ended, FreeSWITCH parks the other.
    if (isEitherOver()) {
      await inTime(parkedMeanwhile, 'unbridged', log)
      return
    }
    await first.api(unbridgeCommand(first.uuid))
    await inTime(parked, 'unbridged', log)
  } catch (err) {
    if (!isEitherOver()) throw err
    log.debug({ err }, 'a channel ended during a change of its bridge')
  }
}

/**
 * Ends bridged channels after this process has died. FreeSWITCH notices the end of a channel's connection,
 * but not while the channel is bridged: it would then stay forever, even after its peer left. So each bridged
 * channel has a scheduled hangup, which is postponed while the bridge is wanted.
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

  /** Cancels the scheduled hangups. */
  [Symbol.dispose](): void {
    clearInterval(this.#timer)
    this.#each((uuid) => [keepCommand(uuid)])
  }

  /** Sends all commands over the connection of the first live channel, so that they run in order. */
  #each(commandsFor: (uuid: string) => readonly ApiCommand[]): void {
    const speaker = this.#channels.find(({ over }) => !over.aborted)
    for (const { uuid } of this.#channels)
      for (const command of commandsFor(uuid))
        speaker?.api(command).catch((err: unknown) => {
          this.#log.debug({ err }, 'could not set the time limit of a bridged channel')
        })
  }
}

/** Bridges the channels. FreeSWITCH chooses which of the two reports the bridge. */
async function join(first: BridgedChannel, second: BridgedChannel, log: Logger): Promise<void> {
  const joined = Promise.race([
    first.nextEvent('CHANNEL_BRIDGE'),
    second.nextEvent('CHANNEL_BRIDGE'),
  ])
  await first.api(bridgeCommand(first.uuid, second.uuid))
  await inTime(joined, 'bridged', log)
}

async function inTime(
  change: Promise<unknown>,
  what: 'bridged' | 'unbridged',
  log: Logger,
): Promise<void> {
  await withLimit<unknown>(change, CHANGE_LIMIT_MS, () => {
    log.warn({ change: what }, 'no event came for the change of a bridge')
  })
}
