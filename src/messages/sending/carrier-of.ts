import type { MessageCarrier } from '../carrier.js'

export interface Carriers {
  readonly carrier: MessageCarrier
  /** The carriers besides `carrier` that a number may be routed to. */
  readonly otherCarriers?: readonly MessageCarrier[]
}

/** The carrier of that name; the first one when there is none any more. */
export function carrierOf(
  name: string | undefined,
  { carrier, otherCarriers = [] }: Carriers,
): MessageCarrier {
  return otherCarriers.find((each) => each.name === name) ?? carrier
}
