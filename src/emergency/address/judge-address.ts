/** Validates a US address by its form alone, without any check that the place exists. Pure. */
import type { CivicAddress, PostalAddress } from '../civic-address.js'
import { parseStreet } from './parse-street.js'

/** The states with the first three digits of their ZIP codes, as ranges. */
export type UsStates = Readonly<
  Record<string, { readonly zipPrefixes: readonly (readonly [string, string])[] }>
>

export type AddressVerdict =
  | {
      readonly type: 'valid'
      /** The normalised address. */
      readonly address: PostalAddress
      readonly location: CivicAddress
    }
  | {
      readonly type: 'rejected'
      readonly field: keyof PostalAddress
      readonly reason: string
      /** The address that was probably meant. */
      readonly suggestion?: Partial<PostalAddress> | undefined
    }

const ZIP = /^(\d{5})(?:[- ]?(\d{4}))?$/
const POST_BOX = /\b(p\.?\s*o\.?\s*box|post office box|box \d+$|pmb \d+)/i
const CITY = /^[\p{L}][\p{L} .'-]*$/u

export function judgeAddress(given: PostalAddress, states: UsStates): AddressVerdict {
  const address = tidied(given)
  const { address1, address2, city, state, zip } = address
  if (!Object.hasOwn(states, state)) return rejected('state', `there is no US state ${state}`)
  if (!ZIP.test(zip)) return rejected('zip', 'five digits are expected, or nine')
  if (!isZipOf(zip, state, states)) return wrongState(address, states)
  if (!CITY.test(city)) return rejected('city', 'the name of a city is expected')
  if (POST_BOX.test(`${address1} ${address2}`))
    return rejected('address1', 'a post office box is no place that help can be sent to')
  const street = parseStreet(address1, address2)
  if (street === undefined)
    return rejected('address1', 'a house number and the name of a street are expected')
  return {
    type: 'valid',
    address,
    location: { country: 'US', state, city, postalCode: zip, ...street },
  }
}

function tidied({ address1, address2, city, state, zip }: PostalAddress): PostalAddress {
  const [, five = '', four] = ZIP.exec(zip.trim()) ?? []
  return {
    address1: oneLine(address1),
    address2: oneLine(address2),
    city: oneLine(city),
    state: state.trim().toUpperCase(),
    zip: five === '' ? zip.trim() : [five, four].filter((part) => part !== undefined).join('-'),
  }
}

const oneLine = (text: string): string => text.replaceAll(/\s+/g, ' ').trim()

function isZipOf(zip: string, state: string, states: UsStates): boolean {
  const prefix = zip.slice(0, 3)
  return (states[state]?.zipPrefixes ?? []).some(([from, to]) => prefix >= from && prefix <= to)
}

function wrongState({ state, zip }: PostalAddress, states: UsStates): AddressVerdict {
  const other = Object.keys(states).find((each) => isZipOf(zip, each, states))
  const reason = `${zip} is no ZIP code of ${state}`
  return other === undefined
    ? rejected('zip', `${reason}, nor of any other state`)
    : { type: 'rejected', field: 'zip', reason, suggestion: { state: other } }
}

function rejected(field: keyof PostalAddress, reason: string): AddressVerdict {
  return { type: 'rejected', field, reason }
}
