/** The Warning headers of a 488 (RFC 3261 §20.43): 304 for the media type, 305 for its format. */
import { lacksCodec } from './sdp.js'

export const NO_USABLE_AUDIO = '304 trunkline "no usable audio in the offer"'
export const NO_COMMON_CODEC =
  '305 trunkline "no codec in the offer that the media servers speak: all of them speak PCMU and PCMA"'

/** What is wrong with an offer that `audioOf` cannot use. */
export function offerWarning(offer: string): string {
  return lacksCodec(offer) ? NO_COMMON_CODEC : NO_USABLE_AUDIO
}
