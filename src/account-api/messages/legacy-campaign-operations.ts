/** Campaigns in the legacy style: what they are, their registration, and their numbers. */

import { randomInt } from 'node:crypto'
import { z } from '@hono/zod-openapi'
import { applyInOrder } from '../../platform/database/in-order.js'
import { ApiFailure } from '../dialect/api-failure.js'
import { legacy } from '../dialect/legacy-operation.js'
import type { AccountOperation } from '../dialect/rest-operation.js'
import { message } from '../numbers/legacy-number-operations.js'
import { campaignId, MAX_NUMBERS, number, shownTn } from '../numbers/number-fields.js'
import { tnRequest } from '../numbers/tn-list.js'
import {
  type AccountCampaigns,
  assignHeld,
  brandFields,
  campaignFields,
  legacyStatus,
  refuseProblem,
} from './account-campaigns.js'
import { brandOf, campaignOf } from './campaign-operations.js'
import type { MessagingDeps } from './message-operations.js'

/** What is shown of a campaign that the account does not have. */
const INVALID_CAMPAIGN = 'CAMPAIGN_INVALID_ID'
const NOT_HELD = 'Number not found on account'

/** A campaign in a list: an object with its id, or the id by itself. */
const listedCampaign = z.union([
  z.object({ campaignID: z.string().max(64) }).transform((each) => each.campaignID),
  z.string().max(64),
])

/** The operation below `/v2.1`. */
export function legacyCampaignOperations({ campaigns }: MessagingDeps): AccountOperation[] {
  return [
    legacy({
      id: 'legacyFindCampaigns',
      summary: 'Show campaigns with their numbers and their last events',
      description: `A campaign that the account does not have is ${INVALID_CAMPAIGN}, without numbers.`,
      path: '/messaging/campaigns/',
      row: 'Query campaign IDs',
      idempotency: 'none',
      body: {
        campaignIDs: z.array(listedCampaign).min(1).max(MAX_NUMBERS).openapi({
          type: 'array',
          description: 'Objects with `campaignID`, or ids; at most 100.',
        }),
      },
      keys: {
        message,
        campaign_numbers: z
          .record(z.string(), z.array(z.string()))
          .openapi({ description: 'The numbers under each campaign, ten digits each.' }),
        campaign_event_status: z
          .record(z.string(), z.string())
          .openapi({ description: 'The last event of each campaign.' }),
      },
      run: async ({ caller, body }) => {
        const found = await campaigns.find(caller.sid, body.campaignIDs)
        const byId = new Map(found.map((each) => [each.campaignId, each]))
        const entries = <Value>(of: (id: string) => Value) =>
          Object.fromEntries(body.campaignIDs.map((id) => [id, of(id)]))
        return {
          message: 'Campaign results',
          campaign_numbers: entries((id) => byId.get(id)?.numbers.map(shownTn) ?? []),
          campaign_event_status: entries((id) => byId.get(id)?.status ?? INVALID_CAMPAIGN),
        }
      },
    }),
  ]
}

/** The operations below `/v2`. */
export function tnCampaignOperations(deps: MessagingDeps): AccountOperation[] {
  return [...registrationOperations(deps.campaigns), assignOperation(deps)]
}

function registrationOperations(campaigns: AccountCampaigns): AccountOperation[] {
  return [
    legacy({
      id: 'legacyAddMessagingBrand',
      summary: 'Register a brand of the registry for number provisioning',
      description: 'A name that another brand of the account has is a 470.',
      path: '/numbering/addMessagingBrand/',
      aliases: ['/iNumbering/addMessagingBrand/'],
      row: 'Add messaging brand',
      body: brandFields,
      keys: {},
      errors: [409, 470],
      run: async ({ caller, body }) => {
        refuseProblem(await campaigns.addBrand(caller.sid, brandOf(body)), legacyStatus)
        return {}
      },
    }),
    legacy({
      id: 'legacyAddMessagingCampaign',
      summary: 'Register a campaign of the registry for number provisioning',
      description: 'The name of its class and its start are set here.',
      path: '/numbering/addMessagingCampaign/',
      aliases: ['/iNumbering/addMessagingCampaign/'],
      row: 'Add messaging campaign',
      body: campaignFields,
      keys: {},
      errors: [409],
      run: async ({ caller, body }) => {
        refuseProblem(await campaigns.addCampaign(caller.sid, campaignOf(body)), legacyStatus)
        return {}
      },
    }),
  ]
}

const tnItem = z
  .object({
    tn: number,
    tnFeature: z
      .object({
        messaging: z
          .object({ tnCampaign: campaignId })
          .openapi({ description: 'What its messages are sent for.' }),
      })
      .openapi({ description: 'What is set on the number.' }),
  })
  .openapi('TnCampaignItem')
const tnCampaign = tnRequest(tnItem, 'request', 'with their campaigns')

function assignOperation(deps: MessagingDeps): AccountOperation {
  const { clock } = deps
  return legacy({
    id: 'tnMessagingCampaign',
    summary: 'Put numbers under campaigns',
    description: 'What can be done is done; with anything else the answer is 409 and names both.',
    path: '/numbering/tnMessagingCampaign/',
    aliases: ['/iNumbering/tnMessagingCampaign/'],
    row: 'Assign campaign to numbers',
    body: { tnCampaign },
    keys: { orderId: z.number().int().openapi({ description: 'The number of the request.' }) },
    errors: [409],
    run: async ({ caller, body }) => {
      const done: { tn: string; tnCampaign: string }[] = []
      const failed: { tn: string; reason: string }[] = []
      const changes = await applyInOrder(
        body.tnCampaign.tnList.tnItem,
        ({ tn }) => tn,
        ({ tn, tnFeature }) => assignHeld(deps, caller.sid, tnFeature.messaging.tnCampaign, tn),
      )
      for (const { item, result: problem } of changes) {
        const { tn, tnFeature } = item
        const wanted = tnFeature.messaging.tnCampaign
        const reason = problem === 'not-held' ? NOT_HELD : problem?.reason
        if (reason === undefined) done.push({ tn: shownTn(tn), tnCampaign: wanted })
        else failed.push({ tn: shownTn(tn), reason })
      }
      const orderId = clock.now() * 1_000 + randomInt(1_000)
      const [first] = failed
      if (first === undefined) return { orderId }
      throw new ApiFailure(409, `Not every number was changed: ${first.tn}: ${first.reason}`, {
        orderId,
        numbers_success: done,
        numbers_failed: failed,
      })
    },
  })
}
