/** The rules for a brand at its registration and update. Pure. */
import { isPossiblePhoneNumber, parsePhoneNumberFromString } from 'libphonenumber-js/max'
import { readWebUrl } from '../../platform/http/web-url.js'
import type { Tables } from '../data/tables.js'
import { type Problem, problem } from '../model/registry-error.js'
import { attributeOf, type BrandDetails, type BrandField, type EntityType } from './brand.js'
import { isDisposable, isDistribution, isFreeMail, mailDomain } from './mail.js'

const INVISIBLE = /[\p{Cc}\p{Cf}\p{Co}\p{Cn}\u115F\u1160\u3164\uFFA0]/u
const SCRIPTS = [/\p{Script=Latin}/u, /\p{Script=Cyrillic}/u, /\p{Script=Greek}/u]
/** Styled letters of mathematics and enclosed letters, such as 𝐁𝐚𝐧𝐤. */
const STYLED = /[\u{1D400}-\u{1D7FF}\u{1F130}-\u{1F189}\u{24B6}-\u{24E9}]/u

type DataType = Tables['optionalAttributes'][string]['dataType']

/** A value may also be a text, as form-based clients send it. */
const TYPES: Readonly<
  Record<DataType, { readonly expected: string; readonly isValue: (value: unknown) => boolean }>
> = {
  BOOLEAN: {
    expected: 'true or false',
    isValue: (value) => typeof value === 'boolean' || value === 'true' || value === 'false',
  },
  INTEGER: {
    expected: 'an integer',
    isValue: (value) => Number.isSafeInteger(value) || isText(value, /^-?\d{1,15}$/),
  },
  DECIMAL: {
    expected: 'a number',
    isValue: (value) => Number.isFinite(value) || isText(value, /^-?\d{1,15}(\.\d{1,15})?$/),
  },
  STRING: { expected: 'a text', isValue: (value) => typeof value === 'string' },
}

/**
 * True for text that people and filters read differently: invisible or styled characters, or
 * look-alike scripts mixed within a word.
 */
function isObfuscated(text: string): boolean {
  if (INVISIBLE.test(text) || STYLED.test(text)) return true
  return text.split(/\s+/).some((word) => SCRIPTS.filter((script) => script.test(word)).length > 1)
}

const ADDRESS: readonly BrandField[] = ['street', 'city', 'state', 'postalCode']
const ORGANISATION: readonly BrandField[] = [
  'displayName',
  'companyName',
  'ein',
  'phone',
  ...ADDRESS,
  'country',
  'email',
  'brandRelationship',
  'vertical',
]

/** The fields that each entity type requires. */
export const REQUIRED_FIELDS: Readonly<Record<EntityType, readonly BrandField[]>> = {
  PRIVATE_PROFIT: ORGANISATION,
  PUBLIC_PROFIT: [
    ...ORGANISATION,
    'stockSymbol',
    'stockExchange',
    'website',
    'businessContactEmail',
  ],
  NON_PROFIT: ORGANISATION,
  GOVERNMENT: ORGANISATION,
  SOLE_PROPRIETOR: [
    'displayName',
    'firstName',
    'lastName',
    'phone',
    'mobilePhone',
    ...ADDRESS,
    'country',
    'email',
  ],
}

export function checkBrand(brand: BrandDetails, tables: Tables): Problem[] {
  return [
    ...missing(brand),
    ...checkChoices(brand, tables),
    ...checkAttributes(brand, tables),
    ...checkEntity(brand),
    ...checkPhones(brand),
    ...checkMail(brand, tables),
    ...checkAddress(brand, tables),
    ...checkText(brand),
    ...checkWebsite(brand),
  ]
}

/** Checks the optional attributes of a brand against the table of names and types. */
function checkAttributes(brand: BrandDetails, { optionalAttributes }: Tables): Problem[] {
  const wrong = (sentence: string): Problem[] => [problem(501, ['optionalAttributes'], sentence)]
  return Object.keys(brand.optionalAttributes ?? {}).flatMap((name) => {
    if (!Object.hasOwn(optionalAttributes, name)) return wrong(`there is no attribute ${name}`)
    const type = TYPES[optionalAttributes[name]?.dataType ?? 'STRING']
    const value = attributeOf(brand, name) ?? ''
    return value === '' || type.isValue(value) ? [] : wrong(`${name} has to be ${type.expected}`)
  })
}

function isText(value: unknown, form: RegExp): boolean {
  return typeof value === 'string' && form.test(value)
}

function missing(brand: BrandDetails): Problem[] {
  return REQUIRED_FIELDS[brand.entityType]
    .filter((field) => isBlank(brand[field]))
    .map((field) => problem(501, [field], `${field} is required for ${brand.entityType}`))
}

function isBlank(value: unknown): boolean {
  return value === undefined || (typeof value === 'string' && value.trim() === '')
}

function checkChoices(brand: BrandDetails, tables: Tables): Problem[] {
  const { enumerations, verticals, countries } = tables
  const choices: readonly [BrandField, readonly string[]][] = [
    ['brandRelationship', enumerations['brandRelationship'] ?? []],
    ['stockExchange', enumerations['stockExchange'] ?? []],
    ['altBusinessIdType', enumerations['altBusinessIdType'] ?? []],
    ['vertical', Object.keys(verticals)],
    ['country', Object.keys(countries.names)],
    ['einIssuingCountry', Object.keys(countries.names)],
  ]
  const unknown = choices
    .filter(([field, values]) => {
      const value = brand[field]
      return typeof value === 'string' && value !== '' && !values.includes(value)
    })
    .map(([field]) => problem(501, [field], `${field} has a value that is not known`))
  const refused = (['country', 'einIssuingCountry'] as const)
    .filter((field) => countries.notAllowed.includes(brand[field] ?? ''))
    .map((field) => problem(529, [field], `brands of ${brand[field] ?? ''} cannot be registered`))
  return [...unknown, ...refused]
}

function checkEntity(brand: BrandDetails): Problem[] {
  const problems: Problem[] = []
  if (brand.entityType === 'GOVERNMENT' && brand.country !== 'US')
    problems.push(
      problem(
        501,
        ['entityType', 'country'],
        'GOVERNMENT is for US organisations; others register as PRIVATE_PROFIT',
      ),
    )
  const isUsEin = brand.ein !== undefined && (brand.einIssuingCountry ?? 'US') === 'US'
  if (isUsEin && !/^\d{9}$/.test(brand.ein ?? ''))
    problems.push(problem(501, ['ein'], 'a US tax ID has 9 digits'))
  const hasAltId = brand.altBusinessId !== undefined && brand.altBusinessId !== ''
  if (hasAltId && (brand.altBusinessIdType ?? 'NONE') === 'NONE')
    problems.push(problem(501, ['altBusinessIdType'], 'altBusinessId needs its type'))
  return problems
}

function checkPhones(brand: BrandDetails): Problem[] {
  const isPhone = (text: string) => /^\+[1-9]\d{4,14}$/.test(text) && isPossiblePhoneNumber(text)
  const problems: Problem[] = []
  if (!isPhone(brand.phone)) problems.push(problem(551, ['phone'], 'phone is not an E.164 number'))
  if (brand.mobilePhone !== undefined && !isPhone(brand.mobilePhone))
    problems.push(problem(551, ['mobilePhone'], 'mobilePhone is not an E.164 number'))
  return problems
}

/** True for a US or Canadian number; one-time passwords are sent to no other number. */
export function mayReceiveOtp(mobilePhone: string): boolean {
  const country = parsePhoneNumberFromString(mobilePhone)?.country
  return mobilePhone.startsWith('+1') && (country === undefined || ['US', 'CA'].includes(country))
}

function checkMail(brand: BrandDetails, tables: Tables): Problem[] {
  const problems: Problem[] = []
  const fields = ['email', 'businessContactEmail'] as const
  for (const field of fields) {
    const address = brand[field]
    if (address === undefined || address === '') continue
    if (mailDomain(address) === undefined)
      problems.push(problem(501, [field], `${field} is not an e-mail address`))
    else if (isDisposable(address, tables))
      problems.push(problem(553, [field], `${field} is at a disposable mail service`))
  }
  const isContactWrong = problems.some(({ fields }) => fields.includes('businessContactEmail'))
  return isContactWrong ? problems : [...problems, ...checkContact(brand, tables)]
}

/** Checks that a public company's business contact is one person at the company. */
function checkContact(brand: BrandDetails, tables: Tables): Problem[] {
  const { businessContactEmail: contact, entityType } = brand
  if (contact === undefined || entityType !== 'PUBLIC_PROFIT') return []
  const wrong = (why: string) => [problem(553, ['businessContactEmail'], why)]
  if (isFreeMail(contact, tables)) return wrong('a free-mail address is refused')
  if (isDistribution(contact, tables)) return wrong('the address of a distribution list is refused')
  return []
}

const MILITARY = /^(apo|fpo|dpo)$/i

function checkAddress(brand: BrandDetails, tables: Tables): Problem[] {
  const { state, postalCode, city = '', country } = brand
  if (country !== 'US') return []
  if (MILITARY.test(city))
    return [problem(555, ['city'], 'military and diplomatic post is not supported')]
  const isState = state === undefined || Object.hasOwn(tables.usStates, state)
  const isZip = postalCode === undefined || /^\d{5}$/.test(postalCode)
  return [
    ...(isState ? [] : [problem(554, ['state'], 'state is not a 2-letter US state')]),
    ...(isZip ? [] : [problem(554, ['postalCode'], 'a US postal code has 5 digits')]),
    ...(isState && isZip ? checkZipOfPerson(brand, tables) : []),
  ]
}

/** Checks that a sole proprietor's postal code lies in the state; scoring checks an organisation's. */
function checkZipOfPerson(brand: BrandDetails, tables: Tables): Problem[] {
  const { entityType, state, postalCode } = brand
  if (entityType !== 'SOLE_PROPRIETOR' || state === undefined || postalCode === undefined) return []
  return isZipOfState(postalCode, state, tables)
    ? []
    : [problem(554, ['state', 'postalCode'], 'the postal code is not of that state')]
}

/** True when the postal code is in a range of the US state. */
export function isZipOfState(postalCode: string, state: string, tables: Tables): boolean {
  const prefix = postalCode.slice(0, 3)
  const ranges = tables.usStates[state]?.zipPrefixes ?? []
  return ranges.some(([from, to]) => prefix >= from && prefix <= to)
}

const HOST =
  /^(?=.{4,253}$)([\p{L}\p{N}]([\p{L}\p{N}-]{0,61}[\p{L}\p{N}])?\.)+[\p{L}\p{N}-]{2,63}$/u

/** Checks the website: a URL or a host name. */
function checkWebsite({ website = '' }: BrandDetails): Problem[] {
  if (website === '') return []
  const url = readWebUrl(/^[a-z][a-z\d+.-]*:\/\//i.test(website) ? website : `https://${website}`)
  const isWebsite = url !== undefined && HOST.test(url.hostname) && !/\s/.test(website)
  return isWebsite ? [] : [problem(501, ['website'], 'website is not a web address')]
}

const TEXT_FIELDS = [
  'displayName',
  'companyName',
  'firstName',
  'lastName',
  'street',
  'city',
] as const

function checkText(brand: BrandDetails): Problem[] {
  return TEXT_FIELDS.filter((field) => isObfuscated(brand[field] ?? '')).map((field) =>
    problem(556, [field], `${field} has characters that hide what it says`),
  )
}
