/** A civic address with the elements of RFC 5139. */

export interface CivicAddress {
  readonly country: 'US'
  /** A1: the state, two letters. */
  readonly state: string
  /** A3: the city. */
  readonly city: string
  /** PC: five digits, or nine with a hyphen. */
  readonly postalCode: string
  /** HNO: the house number. */
  readonly houseNumber: string
  /** HNS: the house number's suffix, such as A or 1/2. */
  readonly houseNumberSuffix: string | undefined
  /** PRD: the direction before the street's name. */
  readonly preDirection: string | undefined
  /** RD: the name of the street. */
  readonly street: string
  /** STS: the type of the street. */
  readonly streetType: string | undefined
  /** POD: the direction after the street's name. */
  readonly postDirection: string | undefined
  readonly building: string | undefined
  readonly floor: string | undefined
  readonly unit: string | undefined
  readonly room: string | undefined
  /** LOC: additional location information. */
  readonly additional: string | undefined
}

/** A postal address as written by people. */
export interface PostalAddress {
  readonly address1: string
  /** Empty when there is no second line. */
  readonly address2: string
  readonly city: string
  readonly state: string
  readonly zip: string
}

/** The address on one line, for people. */
export function lineOf({ address1, address2, city, state, zip }: PostalAddress): string {
  return [address1, address2, city, `${state} ${zip}`].filter((part) => part !== '').join(', ')
}
