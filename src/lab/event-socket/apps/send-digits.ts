import type { Logger } from '../../../platform/log.js'
import { MediaClosedError } from '../../media/model/media-engine.js'
import type { Channel } from '../channel/channel.js'

interface DtmfString {
  /** The digits `0-9 A-D * #` and the pauses `w` and `W`. */
  readonly digits: string
  readonly durationMs: number | undefined
}

/** The most digits that are read, which is more than one command can ask for. */
const MAX_DIGITS = 1_000

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

/**
 * Reads `12w3@200`: digits and, behind the at sign, how long each is. Anything else is left out.
 */
export function readDtmf(text: string): DtmfString {
  const [digits = '', duration] = text.split('@')
  const durationMs = Number.parseInt(duration ?? '', 10)
  return {
    digits: digits.replace(/[^0-9A-Da-d*#wW]/g, '').slice(0, MAX_DIGITS),
    durationMs: durationMs > 0 ? durationMs : undefined,
  }
}
