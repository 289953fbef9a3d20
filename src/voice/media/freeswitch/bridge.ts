import { AdapterError } from '../../../platform/errors.js'
import type { Logger } from '../../../platform/log.js'
import { whenAborted } from '../deferred.js'
import { bridgeCommand, unbridgeCommand } from './command-builder.js'
import type { MediaEndpoint } from './media-endpoint.js'

/** See `Leg.bridge`: joined until the signal aborts or one of the channels is gone. */
export async function bridge(
  first: MediaEndpoint,
  second: MediaEndpoint,
  signal: AbortSignal,
  log: Logger,
): Promise<void> {
  if (first.serverName !== second.serverName)
    throw new AdapterError('channels of two media servers cannot be joined')
  if (signal.aborted) return
  const apart = AbortSignal.any([signal, first.over, second.over])
  await first.api(bridgeCommand(first.uuid, second.uuid))
  await whenAborted(apart)
  // The one that is left goes back to being parked by itself.
  if (first.over.aborted || second.over.aborted) return
  try {
    await first.api(unbridgeCommand(first.uuid))
  } catch (err) {
    log.debug({ err }, 'one of two bridged channels ended before they were parted')
  }
}
