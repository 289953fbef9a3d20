import type { Logger } from '../../../platform/log.js'
import { MediaClosedError } from '../../media/model/media-engine.js'
import type { Channel } from '../channel/channel.js'

interface DtmfString {
  /** The digits `0-9 A-D * #` and the pauses `w` and `W`. */
  readonly digits: string
  readonly durationMs: number | undefined
}

/** Maximum number of digits read from one command; the rest is dropped. */
const MAX_DIGITS = 1_000

/** Sends the digits to the channel's peer without waiting. No error is logged if the call ends meanwhile. */
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

/** Parses `12w3@200`: digits, then the duration of each in ms. Other characters are dropped. */
export function readDtmf(text: string): DtmfString {
  const [digits = '', duration] = text.split('@')
  const durationMs = Number.parseInt(duration ?? '', 10)
  return {
    digits: digits.replace(/[^0-9A-Da-d*#wW]/g, '').slice(0, MAX_DIGITS),
    durationMs: durationMs > 0 ? durationMs : undefined,
  }
}
