/** The campaigns and brands of an account, as this API uses them. */
import { z } from '@hono/zod-openapi'
import type { Database } from '../../platform/database/database.js'
import type { MessagingRecords } from '../../registry/registry.js'
import { ApiFailure } from '../dialect/api-failure.js'
import { campaignId } from '../numbers/number-fields.js'
import type { AccountMessages } from './send-message.js'

/** Why the registry refused a change: its public error number and text. */
export interface CampaignProblem {
  readonly code: number
  readonly reason: string
}

type Outcome = Promise<CampaignProblem | undefined>

/** Campaign changes. Each resolves with the reason of a refusal; undefined once stored. */
export interface AccountCampaigns {
  readonly find: MessagingRecords['find']
  addBrand(...brand: Parameters<MessagingRecords['addBrand']>): Outcome
  addCampaign(...campaign: Parameters<MessagingRecords['addCampaign']>): Outcome
  /** Assigns a number of the account to its campaign, and removes it from any other. */
  assign(accountSid: string, campaignId: string, e164: string): Outcome
  /** Removes a number from its campaign. */
  release(accountSid: string, e164: string): Outcome
}

export interface AssignDeps {
  readonly db: Pick<Database, 'inOneCommit'>
  readonly messages: Pick<AccountMessages, 'stateOf'>
  readonly campaigns: Pick<AccountCampaigns, 'assign'>
}

/**
 * Assigns a number to a campaign if the account holds the number. Check and assignment are one commit:
 * otherwise a number released in between would stay assigned.
 */
export function assignHeld(
  { db, messages, campaigns }: AssignDeps,
  accountSid: string,
  campaignId: string,
  e164: string,
): Promise<CampaignProblem | 'not-held' | undefined> {
  return db.inOneCommit(async () =>
    (await messages.stateOf(accountSid, e164)) === 'not-held'
      ? 'not-held'
      : await campaigns.assign(accountSid, campaignId, e164),
  )
}

export const NOT_FOUND = 502

/** Status of each problem in the REST and the legacy style; 409 for all others. */
const STATUSES: Readonly<Record<number, readonly [rest: number, legacy: number]>> = {
  501: [400, 409],
  [NOT_FOUND]: [404, 409],
  503: [409, 470],
  630: [502, 431],
}

export const brandFields = {
  messagingBrandId: z
    .string()
    .regex(/^B[A-Z0-9]{6}$/, 'seven characters that begin with B are expected')
    .openapi({ description: 'The id of a brand of the account in the registry.' }),
  messagingBrandName: named('The name of the brand, which no other brand of the account has.', 255),
  messagingBrandDescription: named('What the brand is.', 4_096),
}

export const campaignFields = {
  externalCampaignId: campaignId,
  campaignDescription: named('What the campaign sends.', 4_096),
  messagingBrandId: brandFields.messagingBrandId,
}

/** Throws the failure of a refused change. */
export function refuseProblem(problem: CampaignProblem | undefined): void {
  if (problem !== undefined) throw new ApiFailure(STATUSES[problem.code] ?? 409, problem.reason)
}

function named(description: string, max: number) {
  return z
    .string()
    .trim()
    .min(1)
    .max(max)
    .regex(/^[^\0]*$/u, 'a text without NUL is expected')
    .openapi({ description })
}
