/** Campaigns in both styles: status, registration, and assigned numbers. */

import { randomInt } from 'node:crypto'
import { z } from '@hono/zod-openapi'
import { applyInOrder } from '../../platform/database/in-order.js'
import type { ProvisioningCampaign } from '../../registry/registry.js'
import { ApiFailure, refuseFailed } from '../dialect/api-failure.js'
import { legacy, legacyOver, message } from '../dialect/legacy-operation.js'
import { type AccountOperation, rest, type Styles } from '../dialect/rest-operation.js'
import { isoTime, shownText } from '../fields.js'
import {
  campaignId,
  failedNumber,
  MAX_NUMBERS,
  number,
  shownNumberField,
  shownTn,
} from '../numbers/number-fields.js'
import { numberOfPath, params } from '../numbers/number-operations.js'
import { tnRequest } from '../numbers/tn-list.js'
import {
  type AccountCampaigns,
  assignHeld,
  brandFields,
  type CampaignProblem,
  campaignFields,
  refuseProblem,
} from './account-campaigns.js'
import type { MessagingDeps } from './message-operations.js'
import { listedCampaigns, listedNumbers } from './messaging-fields.js'
import { NOT_HELD } from './send-message.js'

const shownCampaign = z
  .object({
    id: shownText('The id of the campaign.'),
    status: shownText('Its last event, such as CAMPAIGN_DCA_COMPLETE.'),
    numbers: z.array(z.string()).openapi({ description: 'The numbers that send under it.' }),
    brandId: shownText('Its brand.'),
    description: shownText('What was registered about it for provisioning; empty: nothing.'),
    className: shownText('The class that it was registered with; empty: none.'),
    startDate: shownText('When it was registered for provisioning (ISO 8601); empty: never.'),
  })
  .openapi('ProvisioningCampaign')

const registered = z.object({
  result: z
    .object({
      statusCode: shownText('Always 200.'),
      status: shownText('Always Success.'),
    })
    .openapi({ description: 'What was done.' }),
})
const DONE = { result: { statusCode: '200', status: 'Success' } }

export function campaignOperations(deps: MessagingDeps): Styles {
  const { campaigns, messages } = deps
  const registrations = registrationOperations(campaigns)
  return {
    rest: [
      lookUpOperation(campaigns),
      ...registrations,
      ...bulkOperations(campaigns, messages),
      ...numberOperations(deps),
    ],
    legacy: [legacyLookUpOperation(campaigns)],
    numbering: [...legacyOver(registrations, ...REGISTRATIONS), legacyAssignOperation(deps)],
  }
}

const REGISTRATIONS = [
  {
    id: 'legacyAddMessagingBrand',
    does: 'addMessagingBrand',
    description: 'A name that another brand of the account has is a 470.',
    path: '/numbering/addMessagingBrand/',
    aliases: ['/iNumbering/addMessagingBrand/'],
    row: 'Add messaging brand',
    gives: {},
    errors: [409, 470],
  },
  {
    id: 'legacyAddMessagingCampaign',
    does: 'addMessagingCampaign',
    description: 'The name of its class and its start are set here.',
    path: '/numbering/addMessagingCampaign/',
    aliases: ['/iNumbering/addMessagingCampaign/'],
    row: 'Add messaging campaign',
    gives: {},
    errors: [409],
  },
]

function lookUpOperation(campaigns: AccountCampaigns): AccountOperation {
  return rest({
    id: 'findCampaigns',
    summary: 'Show campaigns of the account with their numbers',
    description: 'A campaign that the account does not have is left out.',
    method: 'get',
    path: '/messaging/campaigns',
    query: z.object({ ids: listedCampaigns }),
    data: z.object({
      campaigns: z.array(shownCampaign).openapi({ description: 'Those of the account.' }),
    }),
    run: async ({ caller, query }) => ({
      campaigns: (await campaigns.find(caller.sid, query.ids)).map(toWire),
    }),
  })
}

function toWire({ registered: about, ...campaign }: ProvisioningCampaign) {
  return {
    id: campaign.campaignId,
    status: campaign.status,
    numbers: campaign.numbers.map(shownTn),
    brandId: campaign.brandId,
    description: about?.description ?? '',
    className: about?.className ?? '',
    startDate: about === undefined ? '' : isoTime(about.startedAt),
  }
}

function registrationOperations(campaigns: AccountCampaigns): AccountOperation[] {
  const common = { method: 'post', status: 201, data: registered, errors: [404, 409] } as const
  return [
    rest({
      ...common,
      id: 'addMessagingBrand',
      summary: 'Register a brand of the registry for number provisioning',
      path: '/messaging/brands',
      body: z.strictObject(brandFields),
      run: async ({ caller, body }) => {
        const brand = {
          brandId: body.messagingBrandId,
          name: body.messagingBrandName,
          description: body.messagingBrandDescription,
        }
        refuseProblem(await campaigns.addBrand(caller.sid, brand))
        return DONE
      },
    }),
    rest({
      ...common,
      id: 'addMessagingCampaign',
      summary: 'Register a campaign of the registry for number provisioning',
      path: '/messaging/campaigns',
      body: z.strictObject(campaignFields),
      run: async ({ caller, body }) => {
        const campaign = {
          campaignId: body.externalCampaignId,
          brandId: body.messagingBrandId,
          description: body.campaignDescription,
        }
        refuseProblem(await campaigns.addCampaign(caller.sid, campaign))
        return DONE
      },
    }),
  ]
}

type Messages = MessagingDeps['messages']

const PATH = '/numbers/{number}/messaging-campaign'

function numberOperations(deps: MessagingDeps): AccountOperation[] {
  const { campaigns, messages } = deps
  const shown = z.object({
    number: shownNumberField,
    campaignId: shownText('Its campaign; empty: none.'),
  })
  return [
    rest({
      id: 'setNumberCampaign',
      summary: 'Put a number under a campaign',
      method: 'put',
      path: PATH,
      params,
      body: z.strictObject({ campaignId }),
      data: shown,
      errors: [404, 409, 502],
      run: async ({ caller, params: path, body }) => {
        const e164 = numberOfPath(path)
        const problem = await assignHeld(deps, caller.sid, body.campaignId, e164)
        if (problem === 'not-held') throw new ApiFailure(404, NOT_HELD)
        refuseProblem(problem)
        return { number: shownTn(e164), campaignId: body.campaignId }
      },
    }),
    rest({
      id: 'removeNumberCampaign',
      summary: 'Take a number from its campaign',
      method: 'delete',
      path: PATH,
      params,
      query: z.object({ campaignId: campaignId.optional() }),
      status: 200,
      data: shown,
      errors: [404, 409],
      run: async ({ caller, params: path, query }) => {
        const e164 = numberOfPath(path)
        refuseProblem(
          await removed(campaigns, messages, { accountSid: caller.sid, e164, ...query }),
        )
        return { number: shownTn(e164), campaignId: '' }
      },
    }),
  ]
}

function bulkOperations(campaigns: AccountCampaigns, messages: Messages): AccountOperation[] {
  return [
    rest({
      id: 'removeNumberCampaigns',
      summary: 'Take numbers from their campaigns',
      description: 'What can be taken is taken, and `failed` names the rest.',
      method: 'delete',
      path: '/numbers/messaging-campaign',
      query: z.object({ numbers: listedNumbers, campaignId: campaignId.optional() }),
      status: 200,
      data: z.object({
        numbers: z
          .array(z.string())
          .openapi({ description: 'The numbers without a campaign now.' }),
        failed: z
          .array(failedNumber)
          .openapi({ description: `The others, of ${MAX_NUMBERS} at most.` }),
      }),
      run: async ({ caller, query }) => {
        const numbers: string[] = []
        const failed: { number: string; reason: string }[] = []
        const changes = await applyInOrder(
          query.numbers,
          (e164) => e164,
          (e164) => {
            const wanted = { accountSid: caller.sid, e164, campaignId: query.campaignId }
            return removed(campaigns, messages, wanted)
          },
        )
        for (const { item: e164, result: problem } of changes)
          if (problem === undefined) numbers.push(shownTn(e164))
          else failed.push({ number: shownTn(e164), reason: problem.reason })
        return { numbers, failed }
      },
    }),
  ]
}

interface Removal {
  readonly accountSid: string
  readonly e164: string
  /** Removes the number from this campaign only; undefined: from any campaign. */
  readonly campaignId?: string | undefined
}

async function removed(
  campaigns: AccountCampaigns,
  messages: Messages,
  wanted: Removal,
): Promise<CampaignProblem | undefined> {
  const { accountSid, e164, campaignId: only } = wanted
  const found = await messages.messagingOf(accountSid, e164)
  if (found === undefined) return { code: 502, reason: NOT_HELD }
  const { permission } = found
  const current = 'campaignId' in permission ? permission.campaignId : undefined
  if (only !== undefined && only !== current)
    return { code: 592, reason: `The number is not under the campaign ${only}` }
  return await campaigns.release(accountSid, e164)
}

/** Status shown for a campaign that the account does not have. */
const INVALID_CAMPAIGN = 'CAMPAIGN_INVALID_ID'

/** A list item: an object with the campaign's id, or the id alone. */
const listedCampaign = z.union([
  z.object({ campaignID: z.string().max(64) }).transform((each) => each.campaignID),
  z.string().max(64),
])

function legacyLookUpOperation(campaigns: AccountCampaigns): AccountOperation {
  return legacy({
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
  })
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

function legacyAssignOperation(deps: MessagingDeps): AccountOperation {
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
      const beside = { orderId, numbers_success: done, numbers_failed: failed }
      refuseFailed('Not every number was changed', failed, beside)
      return { orderId }
    },
  })
}
