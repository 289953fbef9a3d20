import { z } from '@hono/zod-openapi'
import type { Tables } from '../data/tables.js'
import type { Campaigns } from '../services/campaigns/campaigns.js'
import type { Campaign } from '../storage/campaigns.js'
import {
  campaignResource,
  createCampaignBody,
  listCampaignsQuery,
  mnoIdList,
  mnoMetadataMap,
  operationStatusMap,
  submissionResource,
  updateCampaignBody,
} from './campaign-schemas.js'
import { campaignChangeOf, campaignDetailsOf, campaignToWire } from './campaign-wire.js'
import { type Operation, operation } from './operation.js'
import { type PageQuery, recordSet, recordSetOf } from './schemas.js'

const TEST = 'campaigns.test.ts'

export function campaignOperations(campaigns: Campaigns, tables: Tables): Operation[] {
  return [
    createOperation(campaigns),
    ...builderOperations(campaigns, tables),
    ...listOperations(campaigns),
    ...changeOperations(campaigns),
    ...operatorOperations(campaigns),
  ]
}

function submission({ campaignId, mnoMetadata }: Campaign) {
  return { campaignId, mnoMetadata }
}

function createOperation(campaigns: Campaigns): Operation {
  return operation({
    id: 'createCampaign',
    method: 'post',
    path: '/campaignBuilder',
    row: 'Create campaign',
    test: TEST,
    body: createCampaignBody,
    response: submissionResource,
    run: async ({ csp, body }) => {
      const { brandId, tag } = body
      const details = campaignDetailsOf(body)
      return submission(await campaigns.create(csp, { brandId, details, tags: tag ?? [] }))
    },
  })
}

const SUB_TERMS = ['Messages are sent only to those who asked for them', 'STOP ends them at once']

function builderOperations(campaigns: Campaigns, tables: Tables): Operation[] {
  const metadata = z.object({
    usecase: z.string(),
    monthlyFee: z.number(),
    quarterlyFee: z.number(),
    annualFee: z.number(),
    minSubUsecases: z.number(),
    maxSubUsecases: z.number(),
    greyoutFields: z.array(z.string()),
    mnoMetadata: mnoMetadataMap,
  })
  const qualify = async (cspId: string, brandId: string, usecase: string) => {
    const mnoMetadata = await campaigns.qualifyBrand(cspId, brandId, usecase)
    const known = tables.usecases[usecase]
    const monthlyFee = (known?.monthlyFee ?? 0) / 10_000
    return {
      usecase,
      monthlyFee,
      quarterlyFee: monthlyFee * 3,
      annualFee: monthlyFee * 12,
      minSubUsecases: known?.minSubUsecases ?? 0,
      maxSubUsecases: known?.maxSubUsecases ?? 0,
      greyoutFields: [],
      mnoMetadata,
    }
  }
  return [
    operation({
      id: 'qualifyBrand',
      method: 'get',
      path: '/campaignBuilder/brand/{brandId}',
      test: TEST,
      response: z.array(metadata),
      run: ({ csp, param }) =>
        Promise.all(
          Object.keys(tables.usecases).map((usecase) =>
            qualify(csp.cspId, param('brandId'), usecase),
          ),
        ),
    }),
    operation({
      id: 'qualifyBrandForUsecase',
      method: 'get',
      path: '/campaignBuilder/brand/{brandId}/usecase/{usecase}',
      test: TEST,
      response: metadata,
      run: ({ csp, param }) => qualify(csp.cspId, param('brandId'), param('usecase')),
    }),
    operation({
      id: 'getTermsAndConditions',
      method: 'get',
      path: '/campaignBuilder/termsAndConditions',
      test: TEST,
      response: z.object({ subTerms: z.array(z.string()) }),
      run: () => Promise.resolve({ subTerms: SUB_TERMS }),
    }),
  ]
}

/** The convention's search has smaller pages than everything else. */
const MAX_SEARCH_PAGE = 50

function listOperations(campaigns: Campaigns): Operation[] {
  const list = async (
    cspId: string,
    { page, recordsPerPage, ...filter }: z.infer<typeof listCampaignsQuery>,
  ) => {
    const paging = { offset: (page - 1) * recordsPerPage, limit: recordsPerPage }
    const { items, total } = await campaigns.list(cspId, filter, paging)
    const query: PageQuery = { page, recordsPerPage }
    return recordSetOf(query, { items: items.map(campaignToWire), total })
  }
  return [
    operation({
      id: 'listCampaigns',
      method: 'get',
      path: '/campaign',
      test: TEST,
      query: listCampaignsQuery,
      response: recordSet(campaignResource),
      run: ({ csp, query }) => list(csp.cspId, query),
    }),
    operation({
      id: 'searchCampaigns',
      method: 'get',
      path: '/campaign/search',
      test: TEST,
      query: listCampaignsQuery,
      response: recordSet(campaignResource),
      run: ({ csp, query }) =>
        list(csp.cspId, {
          ...query,
          recordsPerPage: Math.min(query.recordsPerPage, MAX_SEARCH_PAGE),
        }),
    }),
    operation({
      id: 'listMockCampaigns',
      method: 'get',
      path: '/campaign/mock',
      test: TEST,
      query: listCampaignsQuery,
      response: recordSet(campaignResource),
      run: ({ csp, query }) => list(csp.cspId, { ...query, mock: true }),
    }),
    operation({
      id: 'getCampaign',
      method: 'get',
      path: '/campaign/{campaignId}',
      test: TEST,
      response: campaignResource,
      run: async ({ csp, param }) =>
        campaignToWire(await campaigns.find(csp.cspId, param('campaignId'))),
    }),
  ]
}

function changeOperations(campaigns: Campaigns): Operation[] {
  return [
    operation({
      id: 'updateCampaign',
      method: 'put',
      path: '/campaign/{campaignId}',
      test: TEST,
      body: updateCampaignBody,
      response: campaignResource,
      run: async ({ csp, param, body }) =>
        campaignToWire(await campaigns.update(csp, param('campaignId'), campaignChangeOf(body))),
    }),
    operation({
      id: 'deactivateCampaign',
      method: 'delete',
      path: '/campaign/{campaignId}',
      row: 'Deactivate campaign',
      test: TEST,
      run: ({ csp, param }) => campaigns.deactivate(csp.cspId, param('campaignId')),
    }),
    operation({
      id: 'resubmitCampaign',
      method: 'put',
      path: '/campaign/{campaignId}/resubmit',
      row: 'Resubmit campaign to MNOs',
      test: TEST,
      body: z.object({ mnoIds: mnoIdList.nullish() }),
      response: submissionResource,
      run: async ({ csp, param, body }) =>
        submission(await campaigns.resubmit(csp, param('campaignId'), body.mnoIds ?? undefined)),
    }),
  ]
}

function operatorOperations(campaigns: Campaigns): Operation[] {
  const one = async (cspId: string, campaignId: string) =>
    (await campaigns.find(cspId, campaignId)).campaign
  return [
    operation({
      id: 'getCampaignOperationStatus',
      method: 'get',
      path: '/campaign/{campaignId}/operationStatus',
      row: 'Campaign operational status',
      test: TEST,
      response: operationStatusMap,
      run: async ({ csp, param }) =>
        operationsToWire(await campaigns.live(csp.cspId, param('campaignId'))),
    }),
    operation({
      id: 'withdrawFromMno',
      method: 'delete',
      path: '/campaign/{campaignId}/operationStatus/{mnoId}',
      test: TEST,
      body: z.object({ explanation: z.string().min(1).max(2048) }),
      run: ({ csp, param, body: { explanation } }) =>
        campaigns.withdraw(csp.cspId, param('campaignId'), Number(param('mnoId')), explanation),
    }),
    operation({
      id: 'getExcludedMnos',
      method: 'get',
      path: '/campaign/{campaignId}/excludedMno',
      row: 'MNOs excluding a campaign',
      test: TEST,
      response: z.array(z.number().int()),
      run: async ({ csp, param }) => {
        const campaign = await one(csp.cspId, param('campaignId'))
        return Object.keys(campaign.mnoMetadata)
          .map(Number)
          .filter((id) => !campaign.qualifiedMnoIds.includes(id))
      },
    }),
    operation({
      id: 'getCampaignMnoMetadata',
      method: 'get',
      path: '/campaign/{campaignId}/mnoMetadata',
      row: 'Campaign MNO metadata',
      test: TEST,
      response: mnoMetadataMap,
      run: async ({ csp, param }) => (await one(csp.cspId, param('campaignId'))).mnoMetadata,
    }),
  ]
}

export function operationsToWire({ operations }: Campaign): Record<string, string> {
  return Object.fromEntries(Object.entries(operations).map(([id, { status }]) => [id, status]))
}
