import type { MessageCarrier } from '../carrier.js'

export interface Carriers {
  readonly carrier: MessageCarrier
  /** The carriers besides `carrier` that a number may be routed to. */
  readonly otherCarriers?: readonly MessageCarrier[]
}

/**
 * The carrier of that name. When there is none, the first one; for a message with media, the first one
 * that takes media.
 */
export function carrierOf(
  name: string | undefined,
  { carrier, otherCarriers = [] }: Carriers,
  kind: 'sms' | 'mms',
): MessageCarrier {
  const all = [carrier, ...otherCarriers]
  const named = all.find((each) => each.name === name)
  if (named !== undefined || kind === 'sms') return named ?? carrier
  return all.find(({ takesMedia }) => takesMedia) ?? carrier
}
