/** Parses the street lines of a US address. Pure. */
import type { CivicAddress } from '../civic-address.js'

export type StreetParts = Omit<CivicAddress, 'country' | 'state' | 'city' | 'postalCode'>

/** `123`, `123A`, `12-34` and `N6W23001`, the forms of house numbers in the United States. */
const HOUSE = /^(\d+(?:-\d+)?|[NSEW]\d+[NSEW]\d+)([A-Za-z]?)$/i
const FRACTION = /^\d\/\d$/

/** Directions by their short and long forms. */
const DIRECTIONS: ReadonlyMap<string, string> = new Map(
  [
    ['N', 'NORTH'],
    ['NE', 'NORTHEAST'],
    ['E', 'EAST'],
    ['SE', 'SOUTHEAST'],
    ['S', 'SOUTH'],
    ['SW', 'SOUTHWEST'],
    ['W', 'WEST'],
    ['NW', 'NORTHWEST'],
  ].flatMap(([short = '', long = '']) => [
    [short, short],
    [long, short],
  ]),
)

/** Street types and their common abbreviations. */
const STREET_TYPES: ReadonlySet<string> = new Set(
  [
    'ALLEY ALY AVENUE AVE AV BEND BND BOULEVARD BLVD BRANCH BR BRIDGE BRG BYPASS BYP CENTER CTR',
    'CIRCLE CIR COMMON CMN CORNER COR COURT CT COVE CV CREEK CRK CRESCENT CRES CROSSING XING DRIVE DR',
    'ESTATE EST EXPRESSWAY EXPY EXTENSION EXT FREEWAY FWY GARDEN GDN GARDENS GDNS GATEWAY GTWY GLEN GLN',
    'GREEN GRN GROVE GRV HEIGHTS HTS HIGHWAY HWY HILL HL HILLS HLS HOLLOW HOLW ISLAND IS JUNCTION JCT',
    'KNOLL KNL LAKE LK LANDING LNDG LANE LN LOOP MANOR MNR MEADOW MDW MEADOWS MDWS MEWS MILL ML MOUNT MT',
    'OVAL PARK PARKWAY PKWY PASS PATH PIKE PLACE PL PLAIN PLN PLAZA PLZ POINT PT RIDGE RDG ROAD RD',
    'ROUTE RTE ROW RUN SHORE SHR SPRING SPG SPRINGS SPGS SQUARE SQ STATION STA STREET ST SUMMIT SMT',
    'TERRACE TER TRACE TRCE TRAIL TRL TUNNEL TUNL TURNPIKE TPKE VALLEY VLY VIEW VW VILLAGE VLG VISTA VIS',
    'WALK WAY',
  ]
    .join(' ')
    .split(' '),
)

type UnitPart = 'building' | 'floor' | 'unit' | 'room'

/** Words for a part of a building, such as a floor, with the part that each denotes. */
const UNIT_WORDS: ReadonlyMap<string, UnitPart> = new Map(
  (
    [
      ['building', 'BUILDING BLDG'],
      ['floor', 'FLOOR FL'],
      ['room', 'ROOM RM'],
      [
        'unit',
        'APARTMENT APT UNIT SUITE STE LOT SPACE SPC TRAILER TRLR PENTHOUSE PH DEPARTMENT DEPT #',
      ],
    ] as const
  ).flatMap(([part, words]) => words.split(' ').map((word) => [word, part] as const)),
)

/** Parses both lines; undefined when the first one has no house number or no street. */
export function parseStreet(line1: string, line2: string): StreetParts | undefined {
  const words = wordsOf(line1)
  const [, houseNumber, letter] = HOUSE.exec(words.shift() ?? '') ?? []
  if (houseNumber === undefined) return undefined
  const fraction = FRACTION.test(words[0] ?? '') ? words.shift() : undefined
  const at = words.findIndex((word, index) => index > 0 && isUnitWord(word))
  const streetWords = at < 0 ? words : words.slice(0, at)
  const inside = [...(at < 0 ? [] : words.slice(at)), ...wordsOf(line2)]
  const street = streetOf(streetWords)
  if (street === undefined) return undefined
  const suffix = [letter ?? '', fraction ?? ''].filter((part) => part !== '').join(' ')
  return {
    houseNumber,
    houseNumberSuffix: suffix === '' ? undefined : suffix,
    ...street,
    ...insideOf(inside),
  }
}

/** Splits a line into words at spaces and commas; `#4` becomes two words. */
function wordsOf(line: string): string[] {
  return line
    .replaceAll('#', ' # ')
    .split(/[\s,]+/)
    .filter((word) => word !== '')
}

type Street = Pick<StreetParts, 'preDirection' | 'street' | 'streetType' | 'postDirection'>

/** A direction or type belongs to the name when no other word is left for it: `North Street`. */
function streetOf(given: readonly string[]): Street | undefined {
  const words = [...given]
  const postDirection = words.length > 1 ? takeLast(words, directionOf) : undefined
  const streetType = words.length > 1 ? takeLast(words, streetTypeOf) : undefined
  const preDirection = words.length > 1 ? directionOf(words[0] ?? '') : undefined
  if (preDirection !== undefined) words.shift()
  if (words.length === 0) return undefined
  return { preDirection, street: words.join(' '), streetType, postDirection }
}

function takeLast(words: string[], read: (word: string) => string | undefined): string | undefined {
  const found = read(words.at(-1) ?? '')
  if (found !== undefined) words.pop()
  return found
}

const bare = (word: string): string => word.replaceAll('.', '').toUpperCase()
const directionOf = (word: string): string | undefined => DIRECTIONS.get(bare(word))
const streetTypeOf = (word: string): string | undefined =>
  STREET_TYPES.has(bare(word)) ? word.replaceAll('.', '') : undefined
const isUnitWord = (word: string): boolean => UNIT_WORDS.has(bare(word))

type Inside = Record<UnitPart | 'additional', string | undefined>

/** Words that name no part of a building are kept as additional location information. */
function insideOf(words: readonly string[]): Inside {
  const found: Inside = {
    building: undefined,
    floor: undefined,
    unit: undefined,
    room: undefined,
    additional: undefined,
  }
  let part: UnitPart | 'additional' = 'additional'
  for (const word of words) {
    part = UNIT_WORDS.get(bare(word)) ?? part
    found[part] = found[part] === undefined ? word : `${found[part]} ${word}`
  }
  return found
}
