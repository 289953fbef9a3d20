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

/** Declares an operation for the operator of this server. */
const operation = operationsOf<unknown>()
type OperatorOperation = Operation<unknown>

const explanation = z
  .string()
  .max(2048)
  .default('')
  .openapi({ description: 'What the CSP is told about the decision.' })
const brandDecision = z
  .strictObject({
    identityStatus: z
      .enum(['UNVERIFIED', 'VERIFIED', 'VETTED_VERIFIED', 'UNSUCCESSFUL'])
      .openapi({ description: 'The identity status that the brand gets.' }),
    explanation,
  })
  .openapi('BrandDecision')
const operationDecision = z
  .strictObject({
    status: z
      .enum(['REGISTERED', 'REVIEW', 'REJECTED', 'SUSPENDED'])
      .openapi({ description: 'The status of the campaign at the operator.' }),
    category: z
      .string()
      .max(60)
      .optional()
      .openapi({ description: 'Why it is suspended: one of /enum/suspensionCategory.' }),
    explanation,
  })
  .openapi('OperationDecision')
const shareDecision = z
  .discriminatedUnion('decision', [
    z.strictObject({ decision: z.literal('ACCEPT') }),
    z.strictObject({
      decision: z.literal('DECLINE'),
      rejectionCategory: z
        .array(z.string())
        .min(1)
        .openapi({ description: 'Why: values of /enum/rejectionCategory.' }),
      explanation,
    }),
  ])
  .openapi('ShareDecision')
const assetDecision = z
  .strictObject({
    status: z.enum(['ACTIVE', 'REJECTED']).openapi({ description: 'The status of the image.' }),
    explanation,
  })
  .openapi('AssetDecision')
const complaintBody = z
  .strictObject({
    mnoId: z.number().int().openapi({ description: 'The number of the operator: /enum/mno.' }),
    explanation,
  })
  .openapi('CampaignComplaint')
const vettingDecision = z
  .strictObject({
    score: z.number().int().min(0).max(100).nullable().openapi({
      description:
        'The score; null: a pending vetting has failed, an active one has lost its score.',
    }),
  })
  .openapi('VettingDecision')
const appealDecision = z
  .strictObject({
    isGranted: z.boolean().openapi({ description: 'True: the appeal succeeds.' }),
    explanation,
  })
  .openapi('AppealDecision')
const flag = (description: string) => z.boolean().openapi({ description })
const cspChange = z
  .strictObject({
    status: z.enum(['ACTIVE', 'SUSPENDED']).openapi({ description: 'A suspended CSP may read.' }),
    platformFreeTrialEnabled: flag('May use the free-trial brand of the platform.'),
    soleProprietorEnabled: flag('May register sole proprietors.'),
    ucaasEnabled: flag('May create campaigns of the use case UCAAS.'),
    publicSafetyEnabled: flag('May create campaigns of public safety.'),
    dpaSigned: flag('Has signed the agreement on data processing.'),
    rcsEnabled: flag('May add images for rich messages.'),
    freeTrialBrandId: z.string().openapi({ description: 'The brand of the free trial.' }),
  })
  .partial()
  .openapi('CspChange')
const contact = (description: string) => z.string().optional().openapi({ description })
const cspResource = z
  .object({
    cspId: z.string().openapi({ description: 'S and six of A–Z and 0–9.' }),
    accountSid: z.string().openapi({ description: 'The account that the CSP belongs to.' }),
    name: z.string().openapi({ description: 'The name of the account.' }),
    status: z.enum(['ACTIVE', 'SUSPENDED']).openapi({ description: 'Whether it may write.' }),
    escalateEmail: contact('The address for what is urgent.'),
    email: contact('The address for everything else.'),
    techEmail: contact('The address for technical matters.'),
    financeEmail: contact('The address for invoices.'),
    platformFreeTrialEnabled: flag('May use the free-trial brand of the platform.'),
    soleProprietorEnabled: flag('May register sole proprietors.'),
    ucaasEnabled: flag('May create campaigns of the use case UCAAS.'),
    publicSafetyEnabled: flag('May create campaigns of public safety.'),
    dpaSigned: flag('Has signed the agreement on data processing.'),
    rcsEnabled: flag('May add images for rich messages.').optional(),
    migrationSupported: flag('Takes campaigns that migrate to it.'),
    migrationAutoComplete: flag('Completes migrations by itself.'),
    freeTrialBrandId: z.string().optional().openapi({ description: 'The free-trial brand.' }),
  })
  .openapi('Csp')
const charge = z
  .object({
    kind: z.string().openapi({ description: 'What was charged.' }),
    subject: z.string().openapi({ description: 'The id of the brand, campaign or vetting.' }),
    amount: z.number().int().openapi({ description: 'In 1/10,000 dollar.' }),
    at: z.number().int().openapi({ description: 'When: milliseconds since 1970.' }),
  })
  .openapi('RegistryCharge')

const message = z
  .object({
    id: z.number().int().openapi({ description: 'The newest message has the highest.' }),
    kind: z.enum(['mail', 'sms']).openapi({ description: 'Mail or SMS.' }),
    recipient: z.string().openapi({ description: 'An e-mail address or phone number.' }),
    subject: z.string().openapi({ description: 'The subject of a mail.' }),
    text: z.string().openapi({ description: 'The text.' }),
    reference: z.string().openapi({ description: 'The id of what it belongs to.' }),
    status: z.string().openapi({ description: 'queued, or how the delivery went.' }),
    createdAt: z.number().int().openapi({ description: 'When: milliseconds since 1970.' }),
  })
  .openapi('RegistryMessage')

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
