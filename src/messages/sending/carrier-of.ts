import { isShortCode } from '../../destinations/short-code.js'
import type { MessageCarrier } from '../carrier.js'

export interface Carriers {
  readonly carrier: MessageCarrier
  /** Further carriers that a number may be routed to. */
  readonly otherCarriers?: readonly MessageCarrier[]
}

/** The properties of a message that a carrier must support. */
export interface Carried {
  readonly to: string
  readonly numMedia: number
}

/**
 * Returns the carrier of that name; without one, the first that supports the message, else the first of all.
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

/** Returns the unsupported property of a message; undefined when the carrier supports it. */
export function uncarried(
  { takesMedia, takesShortCodes }: Pick<MessageCarrier, 'takesMedia' | 'takesShortCodes'>,
  { to, numMedia }: Carried,
): 'media' | 'short-code' | undefined {
  if (isShortCode(to) && !takesShortCodes) return 'short-code'
  return numMedia > 0 && !takesMedia ? 'media' : undefined
}
