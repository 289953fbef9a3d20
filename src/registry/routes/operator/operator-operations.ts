import { z } from '@hono/zod-openapi'
import { type Operation, operationsOf } from '../../../platform/api/operation.js'
import type { TurnedClock } from '../../../platform/turned-clock/turned-clock.js'
import { listMessages } from '../../jobs/messages.js'
import type { Core } from '../../model/core.js'
import { refuse } from '../../model/registry-error.js'
import type { Services } from '../../services/create-services.js'
import { newestCharges } from '../../storage/charges.js'
import { listCsps } from '../../storage/csps.js'
import { mnoIdOf, timestamp } from '../dialect/schemas.js'
import { workQueueOperations } from '../sharing/work-queue-operations.js'
import {
  appealDecision,
  assetDecision,
  brandDecision,
  charge,
  complaintBody,
  cspChange,
  cspResource,
  message,
  operationDecision,
  shareDecision,
  vettingDecision,
} from './operator-schemas.js'

/** Declares an operation for the operator of this server. */
const operation = operationsOf<unknown>()
type OperatorOperation = Operation<unknown>

/** The operations of the registry's operator, for the private listener. */
export function operatorOperations(
  core: Core,
  services: Services,
  clock: TurnedClock | undefined,
): OperatorOperation[] {
  return [
    ...decisions(services),
    ...campaignDecisions(core, services),
    ...cspOperations(core, services),
    ...numberOperations(services),
    ...workQueueOperations(core),
    messages(core),
    turning(core, clock),
  ]
}

function decisions({ operator, vettings, assets }: Services): OperatorOperation[] {
  return [
    operation({
      id: 'decideBrand',
      summary: 'Set the identity status of a brand',
      method: 'put',
      path: '/brands/{brandId}/identity',
      body: brandDecision,
      run: ({ params, body }) => operator.decideBrand(params.brandId, body),
    }),
    operation({
      id: 'decideVetting',
      summary: 'Decide an external vetting',
      method: 'put',
      path: '/vettings/{vettingId}',
      body: vettingDecision,
      run: ({ params, body }) => vettings.decide(params.vettingId, body.score ?? undefined),
    }),
    operation({
      id: 'noteVettingLetter',
      summary: 'Note that the provider has sent a letter to the brand',
      method: 'post',
      path: '/vettings/{vettingId}/letter',
      run: ({ params }) => vettings.noteLetter(params.vettingId),
    }),
    operation({
      id: 'decideAppeal',
      summary: 'Decide an appeal of a brand or vetting',
      method: 'put',
      path: '/appeals/{appealId}',
      body: appealDecision,
      run: ({ params, body }) => vettings.decideAppeal(params.appealId, body),
    }),
    operation({
      id: 'decideAsset',
      summary: 'Accept or reject an image of a brand',
      method: 'put',
      path: '/assets/{assetId}',
      body: assetDecision,
      run: ({ params, body }) => assets.decide(params.assetId, body),
    }),
  ]
}

function campaignDecisions(core: Core, { operator }: Services): OperatorOperation[] {
  return [
    operation({
      id: 'decideCampaignOperation',
      summary: 'Set the status of a campaign at one operator',
      method: 'put',
      path: '/campaigns/{campaignId}/operations/{mnoId}',
      body: operationDecision,
      run: async ({ params, body: { category, ...decision } }) => {
        const known = core.tables.enumerations['suspensionCategory'] ?? []
        if (category !== undefined && !known.includes(category))
          throw refuse(501, ['category'], 'one of /enum/suspensionCategory')
        const mnoId = mnoIdOf(params.mnoId)
        await operator.decideOperation(params.campaignId, mnoId, { ...decision, category })
      },
    }),
    operation({
      id: 'decideCampaignSharing',
      summary: 'Accept or decline a campaign for a partner',
      method: 'put',
      path: '/campaigns/{campaignId}/sharing/{cnpId}',
      body: shareDecision,
      run: async ({ params, body }) => {
        const { campaignId, cnpId } = params
        if (body.decision === 'ACCEPT') await operator.acceptShare(campaignId, cnpId)
        else await operator.declineShare(campaignId, cnpId, body)
      },
    }),
    operation({
      id: 'complainAboutCampaign',
      summary: 'Pass on the complaint of an operator about a campaign',
      method: 'post',
      path: '/campaigns/{campaignId}/complaints',
      body: complaintBody,
      run: ({ params, body }) => operator.complain(params.campaignId, body.mnoId, body.explanation),
    }),
  ]
}

function cspOperations(core: Core, { csps }: Services): OperatorOperation[] {
  return [
    operation({
      id: 'listCsps',
      summary: 'List the CSPs',
      method: 'get',
      path: '/csps',
      response: z.object({ csps: z.array(cspResource) }),
      run: async () => ({ csps: await listCsps(core.db.read) }),
    }),
    operation({
      id: 'updateCsp',
      summary: 'Change what a CSP may do',
      method: 'patch',
      path: '/csps/{cspId}',
      body: cspChange,
      response: cspResource,
      run: async ({ params: { cspId }, body: { status, ...change } }) => {
        const given = Object.entries(change).filter(([, value]) => value !== undefined)
        const changed = await csps.update(cspId, Object.fromEntries(given))
        return status === undefined ? changed : await csps.setStatus(cspId, status)
      },
    }),
    operation({
      id: 'listCharges',
      summary: 'List the newest 500 charges of a CSP',
      method: 'get',
      path: '/csps/{cspId}/charges',
      response: z.object({ charges: z.array(charge) }),
      run: async ({ params }) => ({
        charges: await newestCharges(core.db.read, params.cspId, 500),
      }),
    }),
  ]
}

function numberOperations({ csps, campaigns, numbers }: Services): OperatorOperation[] {
  return [
    operation({
      id: 'provisionNumber',
      summary: 'Put a phone number under a campaign',
      method: 'put',
      path: '/csps/{cspId}/campaigns/{campaignId}/numbers/{number}',
      run: async ({ params: { cspId, campaignId, number } }) => {
        const csp = await csps.find(cspId)
        await campaigns.find(cspId, campaignId)
        await numbers.provision(csp.accountSid, campaignId, number)
      },
    }),
    operation({
      id: 'releaseNumberOfCsp',
      summary: 'Take a phone number from its campaign',
      method: 'delete',
      path: '/csps/{cspId}/numbers/{number}',
      run: async ({ params: { cspId, number } }) => {
        await numbers.release((await csps.find(cspId)).accountSid, number)
      },
    }),
  ]
}

function messages(core: Core): OperatorOperation {
  return operation({
    id: 'listMessages',
    summary: 'List the mails and SMS that were not sent on',
    method: 'get',
    path: '/messages',
    query: z.strictObject({
      recipient: z
        .union([z.string(), z.array(z.string()).transform((all) => all[0])])
        .optional()
        .openapi({ type: 'string', description: 'Lists the messages to this recipient only.' }),
    }),
    response: z.object({ messages: z.array(message) }),
    run: async ({ query }) => ({ messages: await listMessages(core, query.recipient) }),
  })
}

function turning(core: Core, clock: TurnedClock | undefined): OperatorOperation {
  return operation({
    id: 'turnClock',
    summary: "Turn the registry's clock forward, for good; beside the lab only",
    method: 'post',
    path: '/clock',
    body: z
      .strictObject({
        advanceMs: z.number().int().min(0).openapi({ description: 'By how many milliseconds.' }),
      })
      .openapi('TurnClock'),
    response: z.object({ now: timestamp().openapi({ description: 'The time from now on.' }) }),
    run: async ({ body: { advanceMs } }) => {
      if (clock === undefined) throw refuse(592, [], 'the clock cannot be turned here')
      await clock.turn(advanceMs)
      await core.commit((tx) => core.events.bringForward(tx, advanceMs))
      return { now: new Date(core.clock.now()).toISOString() }
    },
  })
}
