import { z } from '@hono/zod-openapi'
import type { Tables } from '../../data/tables.js'
import type { CampaignNumbers } from '../../model/ports.js'
import { demand } from '../../rules/outages.js'
import type { Campaigns } from '../../services/campaigns/campaigns.js'
import type { Campaign } from '../../storage/campaigns.js'
import { described } from '../dialect/field-descriptions.js'
import { list, operation, type RegistryOperation } from '../dialect/operation.js'
import { isoTime, queryFlag, timestamp } from '../dialect/schemas.js'

const provisionedNumber = z
  .object(
    described({
      nnid: z.string(),
      provisionedDate: timestamp(),
      current: z.boolean(),
      campaignUid: z.string(),
      phoneNumber: z.string(),
    }),
  )
  .openapi('ProvisionedNumber')

/** The operation that shows a campaign as it is in the number provisioning registry. */
export function numberOperations(
  campaigns: Campaigns,
  numbers: CampaignNumbers,
  tables: Tables,
): RegistryOperation[] {
  return [
    operation({
      id: 'getRegistryAttributes',
      summary: 'Get a campaign as the number registry shows it',
      method: 'get',
      path: '/campaign/{campaignId}/osr/attributes',
      row: 'Registry attributes',
      response: z.object(
        described({
          msg_class: z.string().nullable(),
          status: z.string(),
          brand_id: z.string(),
        }),
      ),
      run: async ({ caller: csp, params }) => {
        const { campaign } = await campaigns.find(csp.cspId, params.campaignId)
        demand({ tables }, 'NUMBER_REGISTRY')
        const classes = Object.values(campaign.mnoMetadata).map(({ msgClass }) => msgClass)
        return {
          msg_class: classes.find((each) => each !== null) ?? null,
          status: bitmask(isProvisionable(campaign) ? campaign.operations : {}, tables),
          brand_id: campaign.brandId,
        }
      },
    }),
    list({
      id: 'listCampaignNumbers',
      summary: 'List the phone numbers of a campaign',
      path: '/campaign/{campaignId}/osr/phones',
      row: 'Campaign phone numbers',
      name: 'numbers',
      record: provisionedNumber,
      query: z.object(described({ current: queryFlag() })),
      run: async ({ caller: csp, params, query }, page) => {
        const { campaign } = await campaigns.find(csp.cspId, params.campaignId)
        const { items, total } = await numbers.list(campaign.campaignId, query.current, page)
        const records = items.map((item) => ({
          nnid: item.nnid,
          provisionedDate: isoTime(item.provisionedAt),
          current: item.isCurrent,
          campaignUid: item.campaignId,
          phoneNumber: item.phoneNumber,
        }))
        return { items: records, total }
      },
    }),
  ]
}

/**
 * True for a campaign in the number provisioning registry. Mock campaigns never enter it; expired
 * ones are removed.
 */
function isProvisionable({ isMock, status }: Campaign): boolean {
  return !isMock && status === 'ACTIVE'
}

/** A decimal bit mask with one bit for each operator at which the campaign is registered. */
function bitmask(
  operations: Readonly<Record<string, { readonly status: string }>>,
  tables: Tables,
): string {
  const bits = tables.operators.operators
    .filter(({ networkId }) => operations[networkId]?.status === 'REGISTERED')
    .map(({ osrBitmaskIndex }) => 1n << BigInt(osrBitmaskIndex))
  return bits.reduce((mask, bit) => mask | bit, 0n).toString()
}
