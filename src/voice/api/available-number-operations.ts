/** The AvailablePhoneNumbers resource: searches in the operator's number inventory. */
import { z } from '@hono/zod-openapi'
import { isSupportedCountry } from 'libphonenumber-js/max'
import { isContainsPattern } from '../../numbers/contains-pattern.js'
import type { Inventory, InventorySearch, StockOfCountry } from '../../numbers/inventory.js'
import type { InventoryKind, InventoryNumber, Place } from '../../numbers/inventory-number.js'
import type { Listed, ListPage, Position } from '../../platform/api/list-operation.js'
import { displayAddress } from '../model/address.js'
import { API_VERSION } from '../model/callback-params.js'
import { ApiError, notFound } from './dialect/errors.js'
import { flag, oneOf, optionalText } from './dialect/form.js'
import { list, operation, said, type VoiceOperation } from './dialect/operation.js'
import { oldestFirst, pageOfAll } from './dialect/voice-paging.js'
import { E164 } from './incoming-number-form.js'

const COUNTRIES = '/Accounts/{AccountSid}/AvailablePhoneNumbers'
const COUNTRY = `${COUNTRIES}/{CountryCode}`
const params = {
  CountryCode: z.string().openapi({ description: 'The ISO code of a country: US.' }),
}

const SEGMENTS = { local: 'Local', 'toll-free': 'TollFree', mobile: 'Mobile' } as const
const DEFAULT_MILES = 25
const MAX_MILES = 500
const MAX_TEXT = 100

const countryResource = z
  .object({
    country_code: said('The ISO code of the country.'),
    country: said('The name of the country.'),
    uri: said('Its path.'),
    beta: z.literal(false).openapi({ description: 'Always false.' }),
    subresource_uris: z
      .record(z.string(), z.string())
      .openapi({ description: 'The paths of the searches for its kinds of numbers.' }),
  })
  .openapi('AvailablePhoneNumberCountry')

const can = (description: string) => z.boolean().openapi({ description })
const known = (description: string) => said(description).nullable()
const degrees = (of: string) =>
  z
    .number()
    .nullable()
    .openapi({ description: `The ${of} of the number's place, in degrees.` })

const availableResource = z
  .object({
    friendly_name: said('The number for people to read.'),
    phone_number: said('The number in E.164.'),
    lata: known('Its local access and transport area.'),
    locality: known('Its city.'),
    rate_center: known('Its rate centre.'),
    latitude: degrees('latitude'),
    longitude: degrees('longitude'),
    region: known('Its state or province.'),
    postal_code: known('Its postal code.'),
    iso_country: said('The ISO code of its country.'),
    address_requirements: z.literal('none').openapi({ description: 'Always the same.' }),
    beta: z.literal(false).openapi({ description: 'Always false.' }),
    capabilities: z
      .object({
        voice: can('Whether it takes calls.'),
        sms: can('Whether it takes text messages.'),
        mms: can('Whether it takes messages with media.'),
        fax: can('Whether it takes faxes.'),
      })
      .openapi({ description: 'What the number can be used for.' }),
  })
  .openapi('AvailablePhoneNumber')

const NO_CONTROLS = /^[^\p{Cc}]*$/u
const text = (description: string) =>
  optionalText(NO_CONTROLS, undefined, MAX_TEXT).openapi({ type: 'string', description })
const ability = (description: string) => flag().openapi({ type: 'string', description })

const searchQuery = z.object({
  AreaCode: optionalText(/^[2-9]\d{2}$/, 'must be three digits').openapi({
    type: 'string',
    description: 'Only North American numbers of this area code.',
  }),
  Contains: text('Only numbers with these digits or letters; * is any digit, % any digits.'),
  VoiceEnabled: ability('Only numbers that take calls, or that do not.'),
  SmsEnabled: ability('Only numbers that take text messages, or that do not.'),
  MmsEnabled: ability('Only numbers that take messages with media, or that do not.'),
  FaxEnabled: ability('Only numbers that take faxes, or that do not.'),
  ExcludeAllAddressRequired: ability('Without effect: no number needs an address.'),
  ExcludeLocalAddressRequired: ability('Without effect: no number needs an address.'),
  ExcludeForeignAddressRequired: ability('Without effect: no number needs an address.'),
  Beta: oneOf(['true', 'false']).openapi({ type: 'string', description: 'Without effect.' }),
  NearNumber: text('Only numbers near this one, the nearest first.'),
  NearLatLong: text('Only numbers near this latitude and longitude: 37.84,-122.23.'),
  Distance: text('The miles that count as near: up to 500, else 25.'),
  InPostalCode: text('Only numbers of this postal code.'),
  InRegion: text('Only numbers of this state or province: CA.'),
  InRateCenter: text('Only numbers of this rate centre; with InLata.'),
  InLata: text('Only numbers of this local access and transport area.'),
  InLocality: text('Only numbers of this city.'),
})

export function availableNumberOperations(inventory: Inventory): VoiceOperation[] {
  return [
    list({
      id: 'listAvailablePhoneNumberCountries',
      summary: 'List the countries that numbers can be claimed in',
      path: COUNTRIES,
      name: 'countries',
      record: countryResource,
      run: async ({ caller }, page) => {
        const all = await inventory.countries()
        const where = ({ country }: StockOfCountry) => ({
          at: 0,
          sid: `${country}${'0'.repeat(32)}`,
        })
        const { items, ...rest } = pageOfAll(all, page, where, oldestFirst)
        const path = pathOf(caller.sid)
        return { ...rest, items: items.map((each) => countryToWire(caller.sid, each)), path }
      },
    }),
    operation({
      id: 'fetchAvailablePhoneNumberCountry',
      summary: 'Get the kinds of numbers of a country that can be claimed',
      method: 'get',
      path: COUNTRY,
      params,
      response: countryResource,
      errors: [404],
      run: async ({ caller, params: { CountryCode }, http }) => {
        const code = CountryCode.toUpperCase()
        const found = (await inventory.countries()).find(({ country }) => country === code)
        if (found === undefined) throw notFound(http.path)
        return countryToWire(caller.sid, found)
      },
    }),
    searchOf(inventory, 'local', 'Search for local numbers to claim'),
    searchOf(inventory, 'toll-free', 'Search for toll-free numbers to claim'),
    searchOf(inventory, 'mobile', 'Search for mobile numbers to claim'),
  ]
}

function searchOf(inventory: Inventory, kind: InventoryKind, summary: string): VoiceOperation {
  const segment = SEGMENTS[kind]
  return list({
    id: `list${segment}AvailablePhoneNumbers`,
    summary,
    path: `${COUNTRY}/${segment}`,
    params,
    name: 'available_phone_numbers',
    record: availableResource,
    query: searchQuery,
    errors: [404],
    run: async ({ caller, params: { CountryCode }, query, http }, page) => {
      const country = CountryCode.toUpperCase()
      if (!isSupportedCountry(country)) throw notFound(http.path)
      const path = `${pathOf(caller.sid)}/${country}/${segment}`
      const search = await searchFor(country, kind, query, inventory)
      if (search === undefined) return { items: [], total: 0, path }
      return { ...(await foundOn(page, search, inventory)), path }
    },
  })
}

async function foundOn(
  { cursor, limit, offset }: ListPage,
  search: InventorySearch,
  inventory: Inventory,
): Promise<Listed<z.infer<typeof availableResource>>> {
  const isByNumber = search.near === undefined
  const { items, total, totalIs, hasMore } = await inventory.search(search, {
    limit,
    offset,
    cursor: cursor && { e164: `+${cursor.at}`, side: cursor.side },
  })
  const [first, last] = [items[0], items.at(-1)]
  return {
    items: items.map(availableToWire),
    total,
    totalIs,
    first: isByNumber ? first && positionOf(first) : undefined,
    nextAfter: hasMore && last !== undefined ? positionOf(last) : undefined,
  }
}

/** The list position of a number. Numbers are sorted by their digits. */
function positionOf({ e164 }: InventoryNumber): Position {
  const digits = e164.slice(1)
  return { at: Number(digits), sid: `PN${digits.padStart(32, '0')}` }
}

/** Returns the inventory search for a query; undefined when no number can match. */
async function searchFor(
  country: string,
  kind: InventoryKind,
  query: z.infer<typeof searchQuery>,
  inventory: Inventory,
): Promise<InventorySearch | undefined> {
  const { Contains: contains, InRateCenter: rateCenter, InLata: lata } = query
  if (contains !== undefined && !isContainsPattern(contains))
    throw invalid(
      'Contains',
      'must have 2 to 16 characters of 0-9 A-Z * % + $, two of them no signs',
    )
  if (rateCenter !== undefined && lata === undefined)
    throw invalid('InRateCenter', 'InLata must be given with it')
  const near = await nearOf(query, inventory)
  if (near === 'nowhere') return undefined
  return {
    country,
    kind,
    areaCode: query.AreaCode,
    contains,
    region: query.InRegion?.toUpperCase(),
    locality: query.InLocality,
    postalCode: query.InPostalCode,
    rateCenter,
    lata,
    can: {
      voice: query.VoiceEnabled,
      sms: query.SmsEnabled,
      mms: query.MmsEnabled,
      fax: query.FaxEnabled,
    },
    near,
  }
}

/** Returns the centre and radius of a search; `nowhere` for a number whose location is unknown. */
async function nearOf(
  { NearNumber: number, NearLatLong: point, Distance: distance }: z.infer<typeof searchQuery>,
  inventory: Inventory,
): Promise<InventorySearch['near'] | 'nowhere'> {
  const miles = readMiles(distance)
  if (point !== undefined) return { place: readPoint(point), miles }
  if (number === undefined) return undefined
  const e164 = number.replace(/^ /, '+')
  if (!E164.test(e164)) throw invalid('NearNumber', 'must be + and the digits of an E.164 number')
  const place = await inventory.placeOf(e164)
  return place === undefined ? 'nowhere' : { place, miles }
}

function readMiles(distance: string | undefined): number {
  if (distance === undefined) return DEFAULT_MILES
  const miles = /^\d{1,3}$/.test(distance) ? Number(distance) : Number.NaN
  if (miles >= 1 && miles <= MAX_MILES) return miles
  throw invalid('Distance', `must be 1 to ${MAX_MILES}`)
}

function readPoint(text: string): Place {
  const [, latitude, longitude] =
    /^\s*(-?\d{1,2}(?:\.\d{1,15})?)\s*,\s*(-?\d{1,3}(?:\.\d{1,15})?)\s*$/.exec(text) ?? []
  const place = { latitude: Number(latitude), longitude: Number(longitude) }
  if (Math.abs(place.latitude) <= 90 && Math.abs(place.longitude) <= 180) return place
  throw invalid('NearLatLong', 'must be a latitude and a longitude such as 37.84,-122.23')
}

function invalid(name: string, problem: string): ApiError {
  return new ApiError(400, 20422, `'${name}' is not valid: ${problem}`)
}

const NAMES = new Intl.DisplayNames('en', { type: 'region' })

function countryToWire(
  accountSid: string,
  { country, kinds }: StockOfCountry,
): z.infer<typeof countryResource> {
  const path = `${pathOf(accountSid)}/${country}`
  const uris = kinds.map((kind) => [kind.replace('-', '_'), `${path}/${SEGMENTS[kind]}.json`])
  return {
    country_code: country,
    country: NAMES.of(country) ?? country,
    uri: `${path}.json`,
    beta: false,
    subresource_uris: Object.fromEntries(uris) as Record<string, string>, // pairs of strings
  }
}

function availableToWire(number: InventoryNumber): z.infer<typeof availableResource> {
  return {
    friendly_name: displayAddress(number.e164),
    phone_number: number.e164,
    lata: number.lata ?? null,
    locality: number.locality ?? null,
    rate_center: number.rateCenter ?? null,
    latitude: number.place?.latitude ?? null,
    longitude: number.place?.longitude ?? null,
    region: number.region ?? null,
    postal_code: number.postalCode ?? null,
    iso_country: number.country,
    address_requirements: 'none',
    beta: false,
    capabilities: number.capabilities,
  }
}

function pathOf(accountSid: string): string {
  return `/${API_VERSION}/Accounts/${accountSid}/AvailablePhoneNumbers`
}
