/** Fields of a port-in order, for both styles. */
import { z } from '@hono/zod-openapi'
import { ONE_LINE } from '../../platform/text.js'
import type { NumberFeatures } from '../../porting/port.js'
import { dateIn } from '../../porting/port-dates.js'
import { tenDigitsOf } from '../fields.js'

const MAX_GATEWAY = 2_147_483_647
/** Maximum number of telephone numbers in one submission. */
export const MAX_NUMBERS = 500
const MAX_NAME = 100
const MAX_SHORT = 20

/** The abbreviations of the USPS (Publication 28, appendix B), with the armed forces. */
const STATES = `AL AK AS AZ AR CA CO CT DE DC FM FL GA GU HI ID IL IN IA KS KY LA ME MH MD MA MI MN MS MO MT NE NV NH NJ
NM NY NC ND MP OH OK OR PW PA PR RI SC SD TN TX UT VT VI VA WA WV WI WY AA AE AP`
/** The abbreviations of Canada Post. */
const PROVINCES = 'AB BC MB NB NL NS NT NU ON PE QC SK YT'

const STATES_AND_PROVINCES: ReadonlySet<string> = new Set(`${STATES} ${PROVINCES}`.split(/\s+/))

/** The abbreviations of street types (USPS Publication 28, appendix C1). */
const STREET_TYPE_ABBREVIATIONS = `ALY ANX ARC AVE BYU BCH BND BLF BLFS BTM BLVD BR BRG BRK BRKS BG BGS BYP CP CYN CPE CSWY CTR
CTRS CIR CIRS CLF CLFS CLB CMN CMNS COR CORS CRSE CT CTS CV CVS CRK CRES CRST XING XRD XRDS CURV DL DM DV DR DRS EST
ESTS EXPY EXT EXTS FALL FLS FRY FLD FLDS FLT FLTS FRD FRDS FRST FRG FRGS FRK FRKS FT FWY GDN GDNS GTWY GLN GLNS GRN
GRNS GRV GRVS HBR HBRS HVN HTS HWY HL HLS HOLW INLT IS ISS ISLE JCT JCTS KY KYS KNL KNLS LK LKS LAND LNDG LN LGT LGTS
LF LCK LCKS LDG LOOP MALL MNR MNRS MDW MDWS MEWS ML MLS MSN MTWY MT MTN MTNS NCK ORCH OVAL OPAS PARK PKWY PASS PSGE
PATH PIKE PNE PNES PL PLN PLNS PLZ PT PTS PRT PRTS PR RADL RAMP RNCH RPD RPDS RST RDG RDGS RIV RD RDS RTE ROW RUE RUN
SHL SHLS SHR SHRS SKWY SPG SPGS SPUR SQ SQS STA STRA STRM ST STS SMT TER TRWY TRCE TRAK TRFY TRL TRLR TUNL TPKE UPAS
UN UNS VLY VLYS VIA VW VWS VLG VLGS VL VIS WALK WALL WAY WAYS WL WLS`

const STREET_TYPES: ReadonlySet<string> = new Set(STREET_TYPE_ABBREVIATIONS.split(/\s+/))

/** Directions before and after a street name. */
const DIRECTIONS = ['N', 'NE', 'E', 'SE', 'S', 'SW', 'W', 'NW'] as const

/** A North American number in E.164; undefined for anything else. */
export function nanpNumber(given: string | number): string | undefined {
  const digits = tenDigitsOf(String(given))
  return digits === undefined ? undefined : `+1${digits}`
}

/** The ten digits of a North American number. */
export function tenDigits(e164: string): string {
  return e164.replace(/^\+1/, '')
}

export const number = z
  .union([z.string(), z.number().int()], 'ten digits of a North American number')
  .transform((given, context) => {
    const e164 = nanpNumber(given)
    if (e164 !== undefined) return e164
    context.addIssue({ code: 'custom', message: 'ten digits of a North American number' })
    return z.NEVER
  })
  .openapi({ type: 'string', description: 'A number: ten digits, or E.164.' })

const clean = z.string().trim().regex(ONE_LINE, 'no control characters')

export const text = (description: string, max = MAX_NAME) =>
  clean.min(1).max(max).openapi({ description })
export const optionalText = (description: string, max = MAX_SHORT) =>
  clean.max(max).optional().openapi({ description })

const direction = (description: string) =>
  clean
    .toUpperCase()
    .pipe(z.enum(['', ...DIRECTIONS], `one of ${DIRECTIONS.join(' ')}, or empty`))
    .optional()
    .openapi({ type: 'string', enum: ['', ...DIRECTIONS], description })

const COUNTRIES: Readonly<Record<string, string>> = {
  US: 'US',
  USA: 'US',
  'UNITED STATES': 'US',
  CA: 'CA',
  CAN: 'CA',
  CANADA: 'CA',
}

function mapped(read: (given: string) => string | undefined, expected: string) {
  return clean.transform((given, context) => {
    const value = read(given)
    if (value !== undefined) return value
    context.addIssue({ code: 'custom', message: expected })
    return z.NEVER
  })
}

/** Fields of the subscriber and the desired date. */
export const subscriberFields = {
  name: text('The name of the subscriber, as on the bill of the losing carrier.'),
  nameType: z
    .enum(['business', 'residential'])
    .openapi({ description: 'Whether the name is that of a business or of a person.' }),
  authPerson: text('The person who may sign the letter of authorisation.'),
  lcBtn: mapped(
    (given) => nanpNumber(given)?.replace(/^\+1/, ''),
    'ten digits of a North American number',
  ).openapi({
    type: 'string',
    description: 'The billing telephone number, from the bill of the losing carrier.',
  }),
  lcAccountNumber: text('The account number, from the bill of the losing carrier.', 64),
  streetNumber: text('The number of the house.', MAX_SHORT),
  street: text('The name of the street, without its type.'),
  streetType: mapped(
    streetTypeIn,
    'an abbreviation of the USPS is expected, such as ST, AVE or BLVD',
  ).openapi({
    type: 'string',
    description: 'The type of the street: an abbreviation of the USPS.',
  }),
  streetPrefix: direction('The direction before the name of the street.'),
  streetSuffix: direction('The direction after the name of the street.'),
  city: text('The city.'),
  state: mapped(stateIn, 'the two letters of a state or province are expected').openapi({
    type: 'string',
    description: 'The state or province, two letters.',
  }),
  zip: clean
    .toUpperCase()
    .regex(
      /^(\d{5}(-?\d{4})?|[A-Z]\d[A-Z] ?\d[A-Z]\d)$/,
      'a ZIP code of five or nine digits, or a Canadian postal code, is expected',
    )
    .openapi({ type: 'string', description: 'The postal code.' }),
  country: mapped((given) => COUNTRIES[given.toUpperCase()], 'US or CA is expected').openapi({
    type: 'string',
    description: 'The country: US or CA.',
  }),
  unitValue: optionalText('The unit or suite.'),
  building: optionalText('The building.'),
  floor: optionalText('The floor.'),
  room: optionalText('The room.'),
  desiredDueDate: mapped(
    (given) => (given === '' ? '' : dateIn(given)),
    'a date YYYY-MM-DD is expected',
  )
    .optional()
    .openapi({ type: 'string', description: 'The wished date; empty: standard processing.' }),
}

/** The abbreviation in upper case, without a full stop; undefined for an unknown one. */
export function streetTypeIn(text: string): string | undefined {
  const type = text.trim().replace(/\.$/, '').toUpperCase()
  return STREET_TYPES.has(type) ? type : undefined
}

/** The abbreviation in upper case; undefined for an unknown one. */
function stateIn(text: string): string | undefined {
  const state = text.toUpperCase()
  return STATES_AND_PROVINCES.has(state) ? state : undefined
}

export const pin = clean
  .regex(/^[A-Za-z0-9]{0,15}$/, 'at most 15 letters and digits')
  .optional()
  .openapi({ description: 'The port-out PIN of the losing carrier, where it asks for one.' })

const feature = z
  .strictObject({
    number,
    routing: z
      .strictObject({
        gatewayId: z
          .union([
            z.number(),
            z
              .string()
              .regex(/^[0-9]{1,10}$/, 'an integer')
              .transform(Number),
          ])
          .pipe(z.number().int().min(1).max(MAX_GATEWAY))
          .openapi({ type: 'integer', description: 'The id of a gateway or system route.' }),
      })
      .optional()
      .openapi({ description: 'Where calls to the number go.' }),
    sms: z
      .strictObject({
        campaignId: z
          .string()
          .regex(/^C[A-Z0-9]{6}$/, 'C and six of A-Z and 0-9')
          .openapi({ description: 'The 10DLC campaign of the number.' }),
      })
      .optional()
      .openapi({ description: 'The messaging of the number.' }),
    lidb: z
      .strictObject({ name: text('The name that calls from the number show.', 15) })
      .optional()
      .openapi({ description: 'The outbound caller name.' }),
  })
  .openapi('PortFeature')

export const features = z
  .array(feature)
  .max(MAX_NUMBERS)
  .optional()
  .openapi({ description: 'What is set on the numbers once the port is complete.' })

export type GivenFeatures = z.infer<typeof features>

/** The features of each number in a request. */
export function featuresByNumber(given: GivenFeatures): ReadonlyMap<string, NumberFeatures> {
  return new Map(
    (given ?? []).map(({ number: e164, routing, sms, lidb }) => [
      e164,
      { gatewayId: routing?.gatewayId, campaignId: sms?.campaignId, callerName: lidb?.name },
    ]),
  )
}

/** Field names that older clients spell differently. */
export const KNOWN_NAMES: readonly string[] = [
  ...Object.keys(subscriberFields),
  'did',
  'pin',
  'features',
  'number',
  'routing',
  'gatewayId',
  'sms',
  'campaignId',
  'lidb',
]
