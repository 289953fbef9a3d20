import { linkAbort, whenAborted } from '../../../platform/async/abort.js'
import { withLimit } from '../../../platform/async/limit.js'
import { AdapterError } from '../../../platform/errors.js'
import type { Logger } from '../../../platform/log.js'
import { BridgeLimit, type LimitedChannel } from './bridge-limit.js'
import { bridgeCommand, unbridgeCommand } from './command-builder.js'
import type { MediaEndpoint } from './media-endpoint.js'

/**
 * The time that a change may take after FreeSWITCH answered its command: it answers first and acts
 * later.
 */
const CHANGE_LIMIT_MS = 2_000

/** What a bridge needs of a channel. */
export type BridgedChannel = LimitedChannel & Pick<MediaEndpoint, 'serverName' | 'nextEvent'>

/** Bridges two channels until the signal aborts or one of them is gone; see `LegMedia.bridge`. */
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
    // A channel may end while the bridge is made. The other one may then be parked already.
    const parkedMeanwhile = bothParked()
    await join(first, second, log)
    using _limit = new BridgeLimit([first, second], log)
    const parked = bothParked()
    using either = linkAbort([signal, first.over, second.over])
    await whenAborted(either.signal)
    // When one channel is gone, FreeSWITCH parks the other one by itself.
    if (isEitherOver()) {
      await inTime(parkedMeanwhile, 'unbridged', log)
      return
    }
    await first.api(unbridgeCommand(first.uuid))
    await inTime(parked, 'unbridged', log)
  } catch (err) {
    if (!isEitherOver()) throw err
    log.debug({ err }, 'a channel ended while it was bridged or unbridged')
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
    log.warn({ change: what }, 'no event for the change of a bridge')
  })
}
