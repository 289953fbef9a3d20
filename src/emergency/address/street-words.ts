/** The words of US street lines: USPS Publication 28, appendices B, C1 and C2. */

/** The directions, by their short and long form. */
export const DIRECTIONS: ReadonlyMap<string, string> = new Map(
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

/** The types of streets in the forms that people write. */
export const STREET_TYPES: ReadonlySet<string> = new Set(
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

export type UnitPart = 'building' | 'floor' | 'unit' | 'room'

/** The words before a part of a building, by the part that they name. */
export const UNIT_WORDS: ReadonlyMap<string, UnitPart> = new Map(
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
