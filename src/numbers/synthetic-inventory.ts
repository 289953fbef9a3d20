/**
 * Synthetic inventory for tests until the operator imports real numbers: numbers that nobody can have (555-0100
 * to 555-0199 of each area code), at plausible places. Pure.
 */
import type { InventoryNumber, Place } from './inventory-number.js'

interface SyntheticPlace {
  readonly npa: string
  readonly city: string
  readonly state: string
  readonly postalCode: string
  readonly rateCenter: string
  readonly lata: string
  readonly at: Place
}

const place = (
  npa: string,
  [city, state, postalCode]: readonly [string, string, string],
  [rateCenter, lata]: readonly [string, string],
  [latitude, longitude]: readonly [number, number],
): SyntheticPlace => ({
  npa,
  city,
  state,
  postalCode,
  rateCenter,
  lata,
  at: { latitude, longitude },
})

const PLACES: readonly SyntheticPlace[] = [
  place('201', ['Jersey City', 'NJ', '07302'], ['JERSEYCITY', '224'], [40.72, -74.04]),
  place('202', ['Washington', 'DC', '20001'], ['WASHINGTON', '236'], [38.91, -77.02]),
  place('203', ['New Haven', 'CT', '06510'], ['NEW HAVEN', '920'], [41.31, -72.92]),
  place('206', ['Seattle', 'WA', '98101'], ['SEATTLE', '674'], [47.61, -122.33]),
  place('208', ['Boise', 'ID', '83702'], ['BOISE', '652'], [43.62, -116.2]),
  place('212', ['New York', 'NY', '10001'], ['NWYRCYZN01', '132'], [40.75, -73.99]),
  place('213', ['Los Angeles', 'CA', '90012'], ['LSAN DA 01', '730'], [34.06, -118.24]),
  place('214', ['Dallas', 'TX', '75201'], ['DALLAS', '552'], [32.79, -96.8]),
  place('215', ['Philadelphia', 'PA', '19103'], ['PHLADLPHIA', '228'], [39.95, -75.17]),
  place('216', ['Cleveland', 'OH', '44113'], ['CLEVELAND', '320'], [41.48, -81.7]),
  place('303', ['Denver', 'CO', '80202'], ['DENVER', '656'], [39.75, -105]),
  place('305', ['Miami', 'FL', '33130'], ['MIAMI', '460'], [25.77, -80.2]),
  place('312', ['Chicago', 'IL', '60601'], ['CHICAGOZ01', '358'], [41.89, -87.62]),
  place('313', ['Detroit', 'MI', '48226'], ['DETROITZN1', '340'], [42.33, -83.05]),
  place('314', ['St. Louis', 'MO', '63101'], ['LADUE', '520'], [38.63, -90.19]),
  place('317', ['Indianapolis', 'IN', '46204'], ['INDIANAPLS', '336'], [39.77, -86.16]),
  place('404', ['Atlanta', 'GA', '30303'], ['ATLANTA', '438'], [33.75, -84.39]),
  place('415', ['San Francisco', 'CA', '94105'], ['SNFC CNTRL', '722'], [37.79, -122.39]),
  place('503', ['Portland', 'OR', '97205'], ['PORTLAND', '672'], [45.52, -122.69]),
  place('504', ['New Orleans', 'LA', '70112'], ['NEWORLEANS', '490'], [29.96, -90.08]),
  place('505', ['Albuquerque', 'NM', '87102'], ['ALBUQUERQU', '664'], [35.08, -106.65]),
  place('512', ['Austin', 'TX', '78701'], ['AUSTIN', '558'], [30.27, -97.74]),
  place('602', ['Phoenix', 'AZ', '85004'], ['PHOENIX', '666'], [33.45, -112.07]),
  place('612', ['Minneapolis', 'MN', '55401'], ['TWINCITIES', '628'], [44.98, -93.27]),
  place('615', ['Nashville', 'TN', '37203'], ['NASHVILLE', '470'], [36.15, -86.79]),
  place('617', ['Boston', 'MA', '02108'], ['BOSTON', '128'], [42.36, -71.06]),
  place('702', ['Las Vegas', 'NV', '89101'], ['LAS VEGAS', '721'], [36.17, -115.12]),
  place('704', ['Charlotte', 'NC', '28202'], ['CHARLOTTE', '422'], [35.23, -80.85]),
  place('713', ['Houston', 'TX', '77002'], ['HOUSTON', '560'], [29.76, -95.37]),
  place('801', ['Salt Lake City', 'UT', '84101'], ['SALT LAKE', '660'], [40.76, -111.9]),
  place('804', ['Richmond', 'VA', '23219'], ['RICHMOND', '248'], [37.54, -77.44]),
  place('816', ['Kansas City', 'MO', '64106'], ['KANSASCITY', '524'], [39.11, -94.57]),
  place('901', ['Memphis', 'TN', '38103'], ['MEMPHIS', '468'], [35.15, -90.05]),
  place('907', ['Anchorage', 'AK', '99501'], ['ANCHORAGE', '832'], [61.22, -149.88]),
]
const TOLL_FREE = ['800', '833', '844', '855', '866', '877', '888']

const CAPABILITIES = { voice: true, sms: true, mms: true, fax: true }

/** Every synthetic number, in no order. */
export function syntheticInventory(): readonly InventoryNumber[] {
  return [...PLACES.flatMap(localNumbers), ...TOLL_FREE.flatMap(tollFreeNumbers)]
}

function localNumbers(from: SyntheticPlace): InventoryNumber[] {
  return numbersOf(from.npa).map((e164) => ({
    e164,
    country: 'US',
    kind: 'local',
    region: from.state,
    locality: from.city,
    postalCode: from.postalCode,
    rateCenter: from.rateCenter,
    lata: from.lata,
    place: from.at,
    capabilities: CAPABILITIES,
  }))
}

function tollFreeNumbers(npa: string): InventoryNumber[] {
  return numbersOf(npa).map((e164) => ({
    e164,
    country: 'US',
    kind: 'toll-free',
    region: undefined,
    locality: undefined,
    postalCode: undefined,
    rateCenter: undefined,
    lata: undefined,
    place: undefined,
    capabilities: CAPABILITIES,
  }))
}

function numbersOf(npa: string): string[] {
  return Array.from({ length: 100 }, (_, index) => `+1${npa}5550${String(index + 100)}`)
}
