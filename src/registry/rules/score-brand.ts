/**
 * The embedded registry's scoring of a brand: fixed rules instead of a government database, the
 * same result for the same brand, each with its reason. Pure.
 */
import type { Tables } from '../data/tables.js'
import { attributeOf, type BrandDetails, isTrueAttribute } from './brand.js'
import { isZipOfState } from './check-brand.js'
import { isDisposable, isFreeMail, isSameOrganisation, websiteHost } from './mail.js'

export interface Finding {
  /** A code of data/feedback-codes.json. */
  readonly code: string
  /** The finding as a text for people. */
  readonly reason: string
}

export interface BrandScore {
  readonly identityStatus: 'VERIFIED' | 'UNVERIFIED'
  readonly universalEin: string | undefined
  readonly findings: readonly Finding[]
}

export const TAX_EXEMPT = ['501c3', '501c4', '501c5', '501c6'] as const

export function taxExemptStatus(brand: BrandDetails): string | undefined {
  const value = attributeOf(brand, 'taxExemptStatus')
  const plain = typeof value === 'string' ? value.toLowerCase().replaceAll(/[^0-9c]/g, '') : ''
  return TAX_EXEMPT.find((each) => each === plain)
}

export function scoreBrand(brand: BrandDetails, tables: Tables): BrandScore {
  const findings = [
    ...taxFindings(brand, tables),
    ...addressFindings(brand, tables),
    ...entityFindings(brand, tables),
    ...webFindings(brand, tables),
  ]
  const digits = (brand.ein ?? '').replaceAll(/[^0-9A-Za-z]/g, '')
  return {
    identityStatus: findings.length === 0 ? 'VERIFIED' : 'UNVERIFIED',
    universalEin: digits === '' ? undefined : `${brand.einIssuingCountry ?? 'US'}_${digits}`,
    findings,
  }
}

/** Names that no company with a tax ID uses. */
const NO_COMPANY = /^(p\.?\s*o\.?\s*box\b|none$|n\/?a$|test$|unknown$|[\d\W]+$)/i

function taxFindings(brand: BrandDetails, tables: Tables): Finding[] {
  const findings: Finding[] = []
  const { ein = '', companyName = '' } = brand
  if ((brand.einIssuingCountry ?? 'US') === 'US') {
    const digits = ein.replaceAll('-', '')
    if (!/^\d{9}$/.test(digits)) findings.push({ code: 'TFTI01', reason: 'not 9 digits' })
    else if (!tables.einPrefixes.includes(digits.slice(0, 2)))
      findings.push({ code: 'TFTI01', reason: `prefix ${digits.slice(0, 2)} is not in use` })
    else if (/^(\d)\1{8}$/.test(digits))
      findings.push({ code: 'TFTI01', reason: 'one digit nine times' })
  } else if (!/[0-9A-Za-z]{3,}/.test(ein)) {
    findings.push({ code: 'TFTI01', reason: 'shorter than 3 characters' })
  }
  if (NO_COMPANY.test(companyName.trim()))
    findings.push({ code: 'TFTI02', reason: `"${companyName}" is no company's name` })
  return findings
}

function addressFindings(brand: BrandDetails, tables: Tables): Finding[] {
  const { state = '', postalCode = '', country } = brand
  if (country !== 'US' || isZipOfState(postalCode, state, tables)) return []
  return [{ code: 'TFTI03', reason: `${postalCode} is not in ${state}` }]
}

function entityFindings(brand: BrandDetails, tables: Tables): Finding[] {
  if (brand.entityType === 'PUBLIC_PROFIT') return stockFindings(brand, tables)
  if (brand.entityType === 'GOVERNMENT') return governmentFindings(brand)
  const isExemptClaimed =
    brand.entityType === 'NON_PROFIT' && attributeOf(brand, 'taxExemptStatus') !== undefined
  return isExemptClaimed && taxExemptStatus(brand) === undefined
    ? [{ code: 'TFNP01', reason: 'taxExemptStatus is not one of 501c3 to 501c6' }]
    : []
}

function stockFindings(brand: BrandDetails, tables: Tables): Finding[] {
  const { stockSymbol = '', companyName = '', stockExchange = '' } = brand
  if (stockExchange === 'NONE' || !/^[A-Z0-9.-]{1,10}$/.test(stockSymbol))
    return [{ code: 'TFSS01', reason: `${stockSymbol} at ${stockExchange}` }]
  const known = tables.publicCompanies.find(
    (each) => each.stockSymbol === stockSymbol && each.stockExchange === stockExchange,
  )
  const isOther = known !== undefined && simple(known.companyName) !== simple(companyName)
  return isOther ? [{ code: 'TFSS01', reason: 'the symbol is that of another company' }] : []
}

const GOVERNMENT_NAME =
  /\b(city|county|town|township|village|borough|state|department|dept|agency|authority|district|commission|bureau|office|police|sheriff|fire|court|municipal|federal|united states|board|school)\b/i

function governmentFindings(brand: BrandDetails): Finding[] {
  const isGovHost = /\.(gov|mil|us)$/.test(websiteHost(brand.website ?? '') ?? '')
  const isNamed = GOVERNMENT_NAME.test(brand.companyName ?? '')
  if (isGovHost || isNamed || isTrueAttribute(brand, 'governmentEntity')) return []
  return [{ code: 'TFGE01', reason: 'neither name nor website is a government’s' }]
}

function webFindings(brand: BrandDetails, tables: Tables): Finding[] {
  const findings: Finding[] = []
  const { website, email } = brand
  if (website !== undefined && website !== '' && websiteHost(website) === undefined)
    findings.push({ code: 'TFWD01', reason: `${website} names no public host` })
  const isPublic = brand.entityType === 'PUBLIC_PROFIT'
  const isBorrowed = isDisposable(email, tables) || (isPublic && isFreeMail(email, tables))
  if (isBorrowed) findings.push({ code: 'TFWD02', reason: email })
  return findings
}

/**
 * The score of an external vetting, 0 to 100: points for each public fact of the brand, with the
 * sum written out.
 */
export function vettingScore(
  brand: BrandDetails,
  tables: Tables,
): { readonly score: number; readonly reasons: readonly string[] } {
  const { findings } = scoreBrand(brand, tables)
  const website = brand.website ?? ''
  const parts: readonly [number, boolean, string][] = [
    [30, findings.length === 0, 'tax ID, address and entity agree'],
    [15, websiteHost(website) !== undefined, 'has a website'],
    [15, isSameOrganisation(brand.email, website), 'e-mail belongs to the website'],
    [10, !isFreeMail(brand.email, tables), 'e-mail is not free-mail'],
    [10, brand.entityType !== 'PRIVATE_PROFIT', 'public, non-profit or government'],
    [10, (brand.altBusinessIdType ?? 'NONE') !== 'NONE', 'has another business ID'],
    [10, isTrueAttribute(brand, 'russell3000'), 'in the Russell 3000'],
  ]
  const earned = parts.filter(([, isEarned]) => isEarned)
  return {
    score: earned.reduce((sum, [points]) => sum + points, 0),
    reasons: earned.map(([points, , reason]) => `+${points} ${reason}`),
  }
}

function simple(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z0-9]/g, '')
}
