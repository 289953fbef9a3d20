/**
 * Prefixes whose numbers cost as premium ones do, by the plans of their countries. A number that begins
 * with one is premium whatever its length: carriers ignore the digits that are too many.
 */
export const PREMIUM_PREFIXES: readonly string[] = [
  // North America
  '+1900',
  // Satellite and international networks, the international premium rate service (E.164.1, E.169.2)
  ...['+870', '+881', '+882', '+883', '+979'],
  // The Netherlands, Belgium, France, Spain
  ...['+31900', '+31906', '+31909', '+3290', '+3389', '+34803', '+34806', '+34807'],
  // Finland, Hungary, Italy
  ...['+358600', '+3690', '+39892', '+39894', '+39895', '+39899'],
  // Switzerland, Austria, the United Kingdom, Sweden, Germany
  ...['+41900', '+41901', '+41906', '+43900', '+43901', '+43930', '+43931', '+43939'],
  ...['+4490', '+4491', '+4498', '+46900', '+46939', '+46944', '+49900'],
  // Australia, New Zealand, Japan
  ...['+61190', '+64900', '+81990'],
]

/**
 * Premium numbers that share their beginning with landlines, and are longer than those: `from` is the
 * length of the shortest, with its plus sign. Ireland's 15xx, beside landlines in Dublin.
 */
export const LONG_PREMIUM: readonly { readonly prefix: string; readonly from: number }[] = [
  { prefix: '+35315', from: 14 },
]
