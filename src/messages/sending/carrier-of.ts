import { isShortCode } from '../../destinations/short-code.js'
import type { MessageCarrier } from '../carrier.js'

export interface Carriers {
  readonly carrier: MessageCarrier
  /** The carriers besides `carrier` that a number may be routed to. */
  readonly otherCarriers?: readonly MessageCarrier[]
}

/** What a message asks of its carrier. */
export interface Carried {
  readonly to: string
  readonly numMedia: number
}

/**
 * The carrier of that name. When there is none, the first one that takes the message; the first of all
 * when none does.
 */
export function carrierOf(
  name: string | undefined,
  { carrier, otherCarriers = [] }: Carriers,
  message: Carried,
): MessageCarrier {
  const all = [carrier, ...otherCarriers]
  const named = all.find((each) => each.name === name)
  return named ?? all.find((each) => uncarried(each, message) === undefined) ?? carrier
}

/** What a carrier does not take of a message; undefined: it takes the message. */
export function uncarried(
  { takesMedia, takesShortCodes }: Pick<MessageCarrier, 'takesMedia' | 'takesShortCodes'>,
  { to, numMedia }: Carried,
): 'media' | 'short-code' | undefined {
  if (isShortCode(to) && !takesShortCodes) return 'short-code'
  return numMedia > 0 && !takesMedia ? 'media' : undefined
}
