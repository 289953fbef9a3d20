/** Campaigns in the REST style: what they are, their registration, and the numbers under them. */
import { z } from '@hono/zod-openapi'
import { applyInOrder } from '../../platform/database/in-order.js'
import type { ProvisioningCampaign } from '../../registry/registry.js'
import { ApiFailure } from '../dialect/api-failure.js'
import { type AccountOperation, rest } from '../dialect/rest-operation.js'
import { isoTime, shownText } from '../fields.js'
import {
  campaignId,
  failedNumber,
  MAX_NUMBERS,
  shownNumberField,
  shownTn,
} from '../numbers/number-fields.js'
import { numberOfPath, params } from '../numbers/number-operations.js'
import {
  type AccountCampaigns,
  assignHeld,
  brandFields,
  type CampaignProblem,
  campaignFields,
  refuseProblem,
  restStatus,
} from './account-campaigns.js'
import type { MessagingDeps } from './message-operations.js'
import { listedCampaigns, listedNumbers } from './messaging-fields.js'

const NOT_HELD = 'Number not found on account'

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

export function campaignOperations(deps: MessagingDeps): AccountOperation[] {
  const { campaigns, messages } = deps
  return [
    lookUpOperation(campaigns),
    ...registrationOperations(campaigns),
    ...bulkOperations(campaigns, messages),
    ...numberOperations(deps),
  ]
}

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
  return [
    rest({
      id: 'addMessagingBrand',
      summary: 'Register a brand of the registry for number provisioning',
      method: 'post',
      path: '/messaging/brands',
      status: 201,
      body: z.strictObject(brandFields),
      data: registered,
      errors: [404, 409],
      run: async ({ caller, body }) => {
        const brand = brandOf(body)
        refuseProblem(await campaigns.addBrand(caller.sid, brand), restStatus)
        return DONE
      },
    }),
    rest({
      id: 'addMessagingCampaign',
      summary: 'Register a campaign of the registry for number provisioning',
      method: 'post',
      path: '/messaging/campaigns',
      status: 201,
      body: z.strictObject(campaignFields),
      data: registered,
      errors: [404, 409],
      run: async ({ caller, body }) => {
        const campaign = campaignOf(body)
        refuseProblem(await campaigns.addCampaign(caller.sid, campaign), restStatus)
        return DONE
      },
    }),
  ]
}

export function brandOf(body: {
  readonly messagingBrandId: string
  readonly messagingBrandName: string
  readonly messagingBrandDescription: string
}) {
  return {
    brandId: body.messagingBrandId,
    name: body.messagingBrandName,
    description: body.messagingBrandDescription,
  }
}

export function campaignOf(body: {
  readonly externalCampaignId: string
  readonly messagingBrandId: string
  readonly campaignDescription: string
}) {
  return {
    campaignId: body.externalCampaignId,
    brandId: body.messagingBrandId,
    description: body.campaignDescription,
  }
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
        refuseProblem(problem, restStatus)
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
          restStatus,
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
  /** Only from this campaign; undefined: from whichever it has. */
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
