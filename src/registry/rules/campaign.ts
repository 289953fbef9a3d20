/** The parts of a campaign, and the rules for its fields. Pure. */
import { isWebUrl } from '../../platform/http/web-url.js'
import type { Tables } from '../data/tables.js'
import { type Problem, problem } from '../model/registry-error.js'
import type { EntityType } from './brand.js'

export interface CampaignDetails {
  readonly usecase: string
  readonly subUsecases: readonly string[]
  readonly resellerId: string
  readonly description: string
  readonly messageFlow: string
  readonly embeddedLink: boolean
  readonly embeddedPhone: boolean
  readonly termsAndConditions: boolean
  readonly numberPool: boolean
  readonly ageGated: boolean
  readonly directLending: boolean
  readonly subscriberOptin: boolean
  readonly subscriberOptout: boolean
  readonly subscriberHelp: boolean
  readonly sample1?: string | undefined
  readonly sample2?: string | undefined
  readonly sample3?: string | undefined
  readonly sample4?: string | undefined
  readonly sample5?: string | undefined
  readonly helpMessage?: string | undefined
  readonly optinMessage?: string | undefined
  readonly optoutMessage?: string | undefined
  readonly optinKeywords?: string | undefined
  readonly optoutKeywords?: string | undefined
  readonly helpKeywords?: string | undefined
  readonly mnoIds?: readonly number[] | undefined
  readonly referenceId?: string | undefined
  readonly autoRenewal: boolean
  readonly privacyPolicyLink?: string | undefined
  readonly termsAndConditionsLink?: string | undefined
  readonly embeddedLinkSample?: string | undefined
}

export type CampaignField = keyof CampaignDetails

export const NO_RESELLER = 'R000000'

export const SAMPLES = ['sample1', 'sample2', 'sample3', 'sample4', 'sample5'] as const

/** The fields that a PUT may change; all others keep their value from creation. */
export const UPDATABLE_FIELDS: readonly CampaignField[] = [
  'resellerId',
  'description',
  'messageFlow',
  'embeddedLink',
  'embeddedPhone',
  'numberPool',
  'ageGated',
  'directLending',
  ...SAMPLES,
  'helpMessage',
  'optinMessage',
  'optoutMessage',
  'optinKeywords',
  'optoutKeywords',
  'helpKeywords',
  'autoRenewal',
  'privacyPolicyLink',
  'termsAndConditionsLink',
  'embeddedLinkSample',
]

export function checkCampaign(campaign: CampaignDetails, tables: Tables): Problem[] {
  return [
    ...checkUsecase(campaign, tables),
    ...checkMechanisms(campaign),
    ...checkBlank(campaign),
    ...checkLinks(campaign, tables),
  ]
}

function checkUsecase({ usecase, subUsecases }: CampaignDetails, tables: Tables): Problem[] {
  const known = tables.usecases[usecase]
  if (known === undefined) return [problem(501, ['usecase'], `there is no use case ${usecase}`)]
  const { minSubUsecases: min, maxSubUsecases: max } = known
  const unknown = subUsecases.filter((each) => tables.usecases[each]?.validSubUsecase !== true)
  if (unknown.length > 0)
    return [problem(501, ['subUsecases'], `not a sub-use-case: ${unknown.join(', ')}`)]
  const distinct = new Set(subUsecases).size
  if (distinct !== subUsecases.length)
    return [problem(501, ['subUsecases'], 'a sub-use-case is named twice')]
  return distinct < min || distinct > max
    ? [problem(501, ['subUsecases'], `${usecase} takes ${min} to ${max} sub-use-cases`)]
    : []
}

const KEYWORDS = /^[^\s,]+(,[^\s,]+)*$/

function checkMechanisms(campaign: CampaignDetails): Problem[] {
  const needed: readonly [boolean, CampaignField][] = [
    [campaign.subscriberOptin, 'optinMessage'],
    [campaign.subscriberOptout, 'optoutMessage'],
    [campaign.subscriberOptout, 'optoutKeywords'],
    [campaign.subscriberHelp, 'helpMessage'],
    [campaign.subscriberHelp, 'helpKeywords'],
  ]
  const isMissing = (field: CampaignField) => (campaign[field] ?? '') === ''
  const missing = needed
    .filter(([isNeeded, field]) => isNeeded && isMissing(field))
    .map(([, field]) => problem(501, [field], `${field} is required with this mechanism`))
  const keywords = (['optinKeywords', 'optoutKeywords', 'helpKeywords'] as const)
    .filter((field) => !isMissing(field) && !KEYWORDS.test(campaign[field] ?? ''))
    .map((field) => problem(501, [field], `${field}: keywords, commas between, no spaces`))
  const terms = campaign.termsAndConditions
    ? []
    : [problem(501, ['termsAndConditions'], 'the terms and conditions must be accepted')]
  return [...missing, ...keywords, ...terms]
}

const TEXTS: readonly CampaignField[] = [
  'description',
  'messageFlow',
  ...SAMPLES,
  'helpMessage',
  'optinMessage',
  'optoutMessage',
  'embeddedLinkSample',
]

/** Reports texts that contain only spaces, whatever their length. */
function checkBlank(campaign: CampaignDetails): Problem[] {
  return TEXTS.filter((field) => {
    const text = campaign[field]
    return typeof text === 'string' && text !== '' && text.trim() === ''
  }).map((field) => problem(501, [field], `${field} is blank`))
}

const LINKS = ['privacyPolicyLink', 'termsAndConditionsLink'] as const

/** Reports shortened links, which are refused in every field. */
function checkLinks(campaign: CampaignDetails, tables: Tables): Problem[] {
  const shortened = [...TEXTS, ...LINKS]
    .filter((field) => {
      const text = campaign[field]
      return typeof text === 'string' && hasShortLink(text, tables)
    })
    .map((field) => problem(501, [field], `${field} has a link of a URL shortener`))
  const links = LINKS.filter(
    (field) => (campaign[field] ?? '') !== '' && !isWebUrl(campaign[field] ?? ''),
  ).map((field) => problem(501, [field], `${field} is not an http or https link`))
  return [...shortened, ...links]
}

function hasShortLink(text: string, tables: Tables): boolean {
  // The dot at the end of a sentence may also end a host name (RFC 3986 §3.2.2).
  const hosts =
    text.toLowerCase().match(/(?<![\w.@-])(?:[a-z0-9-]+\.)+[a-z]{2,}(?!\.?[\w-])/g) ?? []
  // A URL's user part hides the host (RFC 3986 §3.2.1); before a bare domain it is a mail address.
  const behindUsers = [...text.toLowerCase().matchAll(/:\/\/[^\s/?#]*@([a-z0-9.-]+)/g)]
  const all = [...hosts, ...behindUsers.map(([, host = '']) => host.replace(/\.$/, ''))]
  return all.some((host) => tables.urlShorteners.includes(host.replace(/^www\./, '')))
}

export interface UsecaseGates {
  readonly entityType: EntityType
  readonly soleProprietorEnabled: boolean
  readonly ucaasEnabled: boolean
  readonly publicSafetyEnabled: boolean
  readonly isFreeTrialBrand: boolean
  /** True when the brand belongs to another CSP. */
  readonly isGuest: boolean
}

/** Checks whether the CSP and the brand may use this use case. */
export function checkUsecaseGates(usecase: string, gates: UsecaseGates): Problem[] {
  const isPerson = gates.entityType === 'SOLE_PROPRIETOR'
  if (isPerson !== (usecase === 'SOLE_PROPRIETOR'))
    return [
      problem(501, ['usecase'], 'SOLE_PROPRIETOR brands have SOLE_PROPRIETOR campaigns, only they'),
    ]
  if (isPerson && !gates.soleProprietorEnabled)
    return [problem(534, ['usecase'], 'sole proprietors are not enabled for this CSP')]
  if (gates.isGuest && usecase !== 'TRIAL')
    return [problem(501, ['usecase'], 'the platform free-trial brand is for TRIAL campaigns only')]
  if (usecase === 'TRIAL' && !gates.isFreeTrialBrand)
    return [problem(533, ['usecase'], 'TRIAL is for the platform free-trial brand')]
  if (usecase.startsWith('UCAAS_') && !gates.ucaasEnabled)
    return [problem(509, ['usecase'], 'UCaaS campaigns are not enabled for this CSP')]
  if (usecase === 'PUBLIC_SAFETY_RESTRICTED' && !gates.publicSafetyEnabled)
    return [problem(509, ['usecase'], 'public safety campaigns are not enabled for this CSP')]
  return []
}

/** Checks a change of reseller: the only allowed change is to "none". */
export function checkResellerChange(before: string, after: string): Problem[] {
  if (before === after || after === NO_RESELLER) return []
  const why =
    before === NO_RESELLER
      ? 'a campaign without reseller stays without'
      : 'a reseller may be changed only to R000000'
  return [problem(501, ['resellerId'], why)]
}
