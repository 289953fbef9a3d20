import { z } from '@hono/zod-openapi'
import type { ListPage } from '../../../platform/api/list-operation.js'
import type { Tables } from '../../data/tables.js'
import type { OperationStatus } from '../../model/ports.js'
import { operatorsOf } from '../../services/campaigns/campaign-facts.js'
import type { Campaigns } from '../../services/campaigns/campaigns.js'
import type { Campaign } from '../../storage/campaigns.js'
import type { Csp } from '../../storage/csps.js'
import { described } from '../dialect/field-descriptions.js'
import { list, operation, type RegistryOperation } from '../dialect/operation.js'
import { mnoIdOf } from '../dialect/schemas.js'
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

export function campaignOperations(campaigns: Campaigns, tables: Tables): RegistryOperation[] {
  return [
    createOperation(campaigns),
    ...builderOperations(campaigns, tables),
    ...listOperations(campaigns),
    ...changeOperations(campaigns),
    ...operatorOperations(campaigns, tables),
  ]
}

function submission({ campaignId, mnoMetadata }: Campaign) {
  return { campaignId, mnoMetadata }
}

function createOperation(campaigns: Campaigns): RegistryOperation {
  return operation({
    id: 'createCampaign',
    summary: 'Create a campaign',
    method: 'post',
    path: '/campaignBuilder',
    row: 'Create campaign',
    body: createCampaignBody,
    response: submissionResource,
    run: async ({ caller: csp, body }) => {
      const { brandId, tag } = body
      const details = campaignDetailsOf(body)
      return submission(await campaigns.create(csp, { brandId, details, tags: tag ?? [] }))
    },
  })
}

const SUB_TERMS = ['Messages are sent only to those who asked for them', 'STOP ends them at once']

const builderMetadata = z.object(
  described({
    usecase: z.string(),
    monthlyFee: z.number(),
    quarterlyFee: z.number(),
    annualFee: z.number(),
    minSubUsecases: z.number(),
    maxSubUsecases: z.number(),
    greyoutFields: z.array(z.string()),
    mnoMetadata: mnoMetadataMap,
  }),
)

function builderOperations(campaigns: Campaigns, tables: Tables): RegistryOperation[] {
  const qualify = async (csp: Csp, brandId: string, usecase: string) => {
    const mnoMetadata = await campaigns.qualifyBrand(csp, brandId, usecase)
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
      summary: 'Get the terms of operators for a brand, by use case',
      method: 'get',
      path: '/campaignBuilder/brand/{brandId}',
      response: z.array(builderMetadata),
      run: ({ caller: csp, params }) =>
        Promise.all(
          Object.keys(tables.usecases).map((usecase) => qualify(csp, params.brandId, usecase)),
        ),
    }),
    operation({
      id: 'qualifyBrandForUsecase',
      summary: 'Get the terms of operators for a brand and one use case',
      method: 'get',
      path: '/campaignBuilder/brand/{brandId}/usecase/{usecase}',
      response: builderMetadata,
      run: ({ caller: csp, params }) => qualify(csp, params.brandId, params.usecase),
    }),
    operation({
      id: 'getTermsAndConditions',
      summary: 'Get the terms that a campaign accepts',
      method: 'get',
      path: '/campaignBuilder/termsAndConditions',
      response: z.object(described({ subTerms: z.array(z.string()) })),
      run: () => Promise.resolve({ subTerms: SUB_TERMS }),
    }),
  ]
}

/** Maximum page size of the search; smaller than in other lists, by the convention. */
const MAX_SEARCH_PAGE = 50

function listOperations(campaigns: Campaigns): RegistryOperation[] {
  const found = async (
    cspId: string,
    filter: z.infer<typeof listCampaignsQuery>,
    page: ListPage,
  ) => {
    const { items, total } = await campaigns.list(cspId, filter, page)
    return { items: items.map(campaignToWire), total }
  }
  const common = {
    name: 'campaigns',
    record: campaignResource,
    query: listCampaignsQuery,
  }
  return [
    list({
      id: 'listCampaigns',
      summary: 'List campaigns',
      path: '/campaign',
      ...common,
      run: ({ caller: csp, query }, page) => found(csp.cspId, query, page),
    }),
    list({
      id: 'searchCampaigns',
      summary: 'List campaigns, at most 50 on a page',
      path: '/campaign/search',
      ...common,
      maxRecords: MAX_SEARCH_PAGE,
      run: ({ caller: csp, query }, page) => found(csp.cspId, query, page),
    }),
    list({
      id: 'listMockCampaigns',
      summary: 'List mock campaigns',
      path: '/campaign/mock',
      ...common,
      run: ({ caller: csp, query }, page) => found(csp.cspId, { ...query, mock: true }, page),
    }),
    operation({
      id: 'getCampaign',
      summary: 'Get a campaign',
      method: 'get',
      path: '/campaign/{campaignId}',
      response: campaignResource,
      run: async ({ caller: csp, params }) =>
        campaignToWire(await campaigns.find(csp.cspId, params.campaignId)),
    }),
  ]
}

function changeOperations(campaigns: Campaigns): RegistryOperation[] {
  return [
    operation({
      id: 'updateCampaign',
      summary: 'Change a campaign',
      method: 'put',
      path: '/campaign/{campaignId}',
      body: updateCampaignBody,
      response: campaignResource,
      run: async ({ caller: csp, params, body }) =>
        campaignToWire(await campaigns.update(csp, params.campaignId, campaignChangeOf(body))),
    }),
    operation({
      id: 'deactivateCampaign',
      summary: 'End a campaign',
      method: 'delete',
      path: '/campaign/{campaignId}',
      row: 'Deactivate campaign',
      run: ({ caller: csp, params }) => campaigns.deactivate(csp.cspId, params.campaignId),
    }),
    operation({
      id: 'resubmitCampaign',
      summary: 'Submit a campaign to operators again',
      method: 'put',
      path: '/campaign/{campaignId}/resubmit',
      row: 'Resubmit campaign to MNOs',
      body: z.object(described({ mnoIds: mnoIdList.nullish() })),
      response: submissionResource,
      run: async ({ caller: csp, params, body }) =>
        submission(await campaigns.resubmit(csp, params.campaignId, body.mnoIds ?? undefined)),
    }),
  ]
}

function operatorOperations(campaigns: Campaigns, tables: Tables): RegistryOperation[] {
  const one = async (cspId: string, campaignId: string) =>
    (await campaigns.find(cspId, campaignId)).campaign
  return [
    operation({
      id: 'getCampaignOperationStatus',
      summary: 'Get the status of a campaign at each operator',
      method: 'get',
      path: '/campaign/{campaignId}/operationStatus',
      row: 'Campaign operational status',
      response: operationStatusMap,
      run: async ({ caller: csp, params }) =>
        operationsToWire(await campaigns.live(csp.cspId, params.campaignId)),
    }),
    operation({
      id: 'withdrawFromMno',
      summary: 'Withdraw a campaign from one operator',
      method: 'delete',
      path: '/campaign/{campaignId}/operationStatus/{mnoId}',
      body: z.object(described({ explanation: z.string().min(1).max(2048) })),
      run: ({ caller: csp, params, body: { explanation } }) =>
        campaigns.withdraw(csp.cspId, params.campaignId, mnoIdOf(params.mnoId), explanation),
    }),
    operation({
      id: 'getExcludedMnos',
      summary: 'List the operators that a campaign is not for, or does not qualify for',
      method: 'get',
      path: '/campaign/{campaignId}/excludedMno',
      row: 'MNOs excluding a campaign',
      response: z.array(z.number().int()),
      run: async ({ caller: csp, params }) => {
        const campaign = await one(csp.cspId, params.campaignId)
        return operatorsOf(campaign, tables).filter((id) => !campaign.qualifiedMnoIds.includes(id))
      },
    }),
    operation({
      id: 'getCampaignMnoMetadata',
      summary: 'Get the terms of a campaign at each operator',
      method: 'get',
      path: '/campaign/{campaignId}/mnoMetadata',
      row: 'Campaign MNO metadata',
      response: mnoMetadataMap,
      run: async ({ caller: csp, params }) => (await one(csp.cspId, params.campaignId)).mnoMetadata,
    }),
  ]
}

export function operationsToWire({ operations }: Campaign): Record<string, OperationStatus> {
  return Object.fromEntries(Object.entries(operations).map(([id, { status }]) => [id, status]))
}
