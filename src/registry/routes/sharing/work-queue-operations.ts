/**
 * The operations on the operator's work queue: registered records, and records that wait for a
 * decision.
 */
import { z } from '@hono/zod-openapi'
import { listsOf } from '../../../platform/api/list-operation.js'
import type { Operation } from '../../../platform/api/operation.js'
import type { Core } from '../../model/core.js'
import { ENTITY_TYPES, IDENTITY_STATUSES } from '../../rules/brand.js'
import type { Brand } from '../../storage/brands.js'
import type { Campaign } from '../../storage/campaigns.js'
import { listUpstreamRefusals } from '../../storage/upstream-refusals.js'
import type { Appeal, Vetting } from '../../storage/vettings.js'
import {
  queuedAppeals,
  queuedBrands,
  queuedCampaigns,
  queuedVettings,
} from '../../storage/work-queue.js'
import { operationsToWire } from '../campaigns/campaign-operations.js'
import { operationStatusMap } from '../campaigns/campaign-schemas.js'
import { described } from '../dialect/field-descriptions.js'
import { registryPaging } from '../dialect/registry-paging.js'
import { isoTime, queryChoice, queryFlag, queryText, timestamp } from '../dialect/schemas.js'

const list = listsOf<unknown>(registryPaging)

const SCORINGS = ['pending', 'finished', 'unsuccessful'] as const
const VETTING_STATUSES = ['PENDING', 'UNSCORE', 'ACTIVE', 'FAILED', 'EXPIRED'] as const
const APPEAL_STATUSES = ['PENDING', 'COMPLETE'] as const

export function workQueueOperations(core: Core): Operation<unknown>[] {
  return [
    brandQueue(core),
    campaignQueue(core),
    vettingQueue(core),
    appealQueue(core),
    refusalList(core),
  ]
}

const scoring = 'Whether scoring has finished, and could be done.'
const brandRecord = z
  .object(
    described(
      {
        brandId: z.string(),
        cspId: z.string(),
        displayName: z.string(),
        entityType: z.enum(ENTITY_TYPES),
        identityStatus: z.enum(IDENTITY_STATUSES),
        scoring: z.enum(SCORINGS),
        evpVettingFeedback: z.array(z.string()),
        createDate: timestamp(),
      },
      { scoring },
    ),
  )
  .openapi('QueuedBrand')

function brandQueue({ db }: Core): Operation<unknown> {
  return list({
    id: 'listQueuedBrands',
    summary: 'List the brands of all CSPs; `scoring=pending`: those that wait for a decision',
    path: '/brands',
    name: 'brands',
    record: brandRecord,
    query: z.object(
      described(
        {
          cspId: queryText(8),
          scoring: queryChoice(SCORINGS),
          identityStatus: queryChoice(IDENTITY_STATUSES),
        },
        { scoring },
      ),
    ),
    run: async ({ query }, page) => {
      const { items, total } = await queuedBrands(db.read, query, page)
      return { items: items.map(brandToWire), total }
    },
  })
}

function brandToWire(brand: Brand): z.infer<typeof brandRecord> {
  return {
    brandId: brand.brandId,
    cspId: brand.cspId,
    displayName: brand.details.displayName,
    entityType: brand.details.entityType,
    identityStatus: brand.identityStatus,
    scoring: brand.scoring,
    evpVettingFeedback: [...brand.explanation],
    createDate: isoTime(brand.createdAt),
  }
}

const operations = 'What each operator has decided, by its number.'
const campaignRecord = z
  .object(
    described(
      {
        campaignId: z.string(),
        cspId: z.string(),
        brandId: z.string(),
        usecase: z.string(),
        description: z.string(),
        operations: operationStatusMap,
        createDate: timestamp(),
      },
      { operations },
    ),
  )
  .openapi('QueuedCampaign')

function campaignQueue({ db }: Core): Operation<unknown> {
  return list({
    id: 'listQueuedCampaigns',
    summary: 'List the active campaigns of all CSPs; `inReview=true`, `pendingAt`: those that wait',
    path: '/campaigns',
    name: 'campaigns',
    record: campaignRecord,
    query: z.object(
      described(
        {
          cspId: queryText(8),
          brandId: queryText(8),
          inReview: queryFlag(),
          pendingAt: queryText(8),
        },
        {
          inReview: 'True: only campaigns that an operator at least reviews.',
          pendingAt: 'Only campaigns that this partner or aggregator has not decided about.',
        },
      ),
    ),
    run: async ({ query }, page) => {
      const { items, total } = await queuedCampaigns(db.read, query, page)
      return { items: items.map(campaignToWire), total }
    },
  })
}

function campaignToWire(campaign: Campaign): z.infer<typeof campaignRecord> {
  const { campaignId, cspId, brandId, details } = campaign
  return {
    campaignId,
    cspId,
    brandId,
    usecase: details.usecase,
    description: details.description,
    operations: operationsToWire(campaign),
    createDate: isoTime(campaign.createdAt),
  }
}

const vettingRecord = z
  .object(
    described({
      vettingId: z.string(),
      brandId: z.string(),
      evpId: z.string(),
      vettingClass: z.string(),
      vettingStatus: z.enum(VETTING_STATUSES),
      vettingScore: z.number().int().nullable(),
      createDate: timestamp(),
    }),
  )
  .openapi('QueuedVetting')

function vettingQueue({ db }: Core): Operation<unknown> {
  return list({
    id: 'listQueuedVettings',
    summary: 'List the external vettings; `vettingStatus=PENDING`: those that wait for a score',
    path: '/vettings',
    name: 'vettings',
    record: vettingRecord,
    query: z.object(
      described({ brandId: queryText(8), vettingStatus: queryChoice(VETTING_STATUSES) }),
    ),
    run: async ({ query: { brandId, vettingStatus: status } }, page) => {
      const { items, total } = await queuedVettings(db.read, { brandId, status }, page)
      return { items: items.map(vettingToWire), total }
    },
  })
}

function vettingToWire(vetting: Vetting): z.infer<typeof vettingRecord> {
  return {
    vettingId: vetting.vettingId,
    brandId: vetting.brandId,
    evpId: vetting.evpId,
    vettingClass: vetting.vettingClass,
    vettingStatus: vetting.status,
    vettingScore: vetting.score ?? null,
    createDate: isoTime(vetting.createdAt),
  }
}

const appealRecord = z
  .object(
    described({
      appealId: z.string(),
      brandId: z.string(),
      vettingId: z.string().nullable(),
      categoryList: z.array(z.string()),
      explanation: z.string(),
      appealStatus: z.enum(APPEAL_STATUSES),
      requestDate: timestamp(),
    }),
  )
  .openapi('QueuedAppeal')

function appealQueue({ db }: Core): Operation<unknown> {
  return list({
    id: 'listQueuedAppeals',
    summary: 'List the appeals; `appealStatus=PENDING`: those that wait for a decision',
    path: '/appeals',
    name: 'appeals',
    record: appealRecord,
    query: z.object(
      described({ brandId: queryText(8), appealStatus: queryChoice(APPEAL_STATUSES) }),
    ),
    run: async ({ query: { brandId, appealStatus: status } }, page) => {
      const { items, total } = await queuedAppeals(db.read, { brandId, status }, page)
      return { items: items.map(appealToWire), total }
    },
  })
}

function appealToWire(appeal: Appeal): z.infer<typeof appealRecord> {
  return {
    appealId: appeal.appealId,
    brandId: appeal.brandId,
    vettingId: appeal.vettingId ?? null,
    categoryList: [...appeal.appealCategories],
    explanation: appeal.explanation,
    appealStatus: appeal.status,
    requestDate: isoTime(appeal.requestedAt),
  }
}

const refusalRecord = z
  .object(
    described(
      {
        cspId: z.string(),
        brandId: z.string().nullable(),
        campaignId: z.string().nullable(),
        change: z.string(),
        explanation: z.string(),
        date: timestamp(),
      },
      {
        campaignId: 'The campaign; null for a change of the brand.',
        change: 'What the customer had changed, as `UPDATE_BRAND`.',
        explanation: 'The answer of that registry, or what is missing here.',
        date: 'When it was refused.',
      },
    ),
  )
  .openapi('UpstreamRefusal')

function refusalList({ db }: Core): Operation<unknown> {
  return list({
    id: 'listUpstreamRefusals',
    summary: 'List the changes of all CSPs that the registry above has refused for good',
    path: '/upstreamRefusals',
    name: 'refusals',
    record: refusalRecord,
    query: z.object(
      described({ cspId: queryText(8), brandId: queryText(8), campaignId: queryText(8) }),
    ),
    run: async ({ query }, page) => {
      const { items, total } = await listUpstreamRefusals(db.read, query, page)
      return {
        items: items.map(({ at, ...refusal }) => ({ ...refusal, date: isoTime(at) })),
        total,
      }
    },
  })
}
