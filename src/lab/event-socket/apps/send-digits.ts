import type { Logger } from '../../../platform/log.js'
import { MediaClosedError } from '../../media/model/media-engine.js'
import type { Channel } from '../channel/channel.js'
import type { DtmfString } from './dtmf-string.js'

/** Sends the digits to the peer of the channel, and waits for none. A call may end meanwhile. */
export function sendDigits(
  { leg, uuid }: Channel,
  { digits, durationMs }: DtmfString,
  log: Logger,
): void {
  leg.media.sendDigits(digits, { durationMs }).catch((err: unknown) => {
    if (!(err instanceof MediaClosedError))
      log.error({ err, channel: uuid }, 'could not send digits')
  })
}
