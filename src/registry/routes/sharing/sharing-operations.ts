import { z } from '@hono/zod-openapi'
import { DAY_MS } from '../../rules/calendar.js'
import type { ListedShare, Sharings } from '../../services/sharing/sharings.js'
import type { Share, ShareFilter } from '../../storage/shares.js'
import { operationsToWire } from '../campaigns/campaign-operations.js'
import {
  campaignResource,
  mnoMetadataMap,
  operationStatusMap,
} from '../campaigns/campaign-schemas.js'
import { campaignToWire } from '../campaigns/campaign-wire.js'
import { described } from '../dialect/field-descriptions.js'
import { list, operation, type RegistryOperation } from '../dialect/operation.js'
import {
  isoTime,
  queryChoices,
  queryDate,
  queryFlag,
  queryText,
  timestamp,
} from '../dialect/schemas.js'

const migrationQuery = z.object(described({ cnpMigration: queryFlag() }))

const share = z.object(
  described({
    downstreamCnpId: z.string(),
    upstreamCnpId: z.string(),
    sharingStatus: z.enum(['PENDING', 'ACCEPTED', 'DECLINED']),
    rejectionCategory: z.array(z.string()),
    explanation: z.string().nullable(),
    sharedDate: timestamp(),
    statusDate: timestamp(),
    cnpMigration: z.boolean(),
  }),
)
const sharing = z
  .object(described({ sharedWithMe: share.nullable(), sharedByMe: share.nullable() }))
  .openapi('SharingStatus')
const sharedCampaign = share.extend(
  described({
    campaignId: z.string(),
    status: z.enum(['ACTIVE', 'EXPIRED']),
    createDate: timestamp(),
    brandId: z.string(),
    usecase: z.string(),
  }),
)

export function sharingOperations(sharings: Sharings): RegistryOperation[] {
  return [
    ...ownerOperations(sharings),
    ...migrationOperations(sharings),
    ...partnerLists(sharings),
    ...partnerViews(sharings),
    ...partnerDecisions(sharings),
  ]
}

function ownerOperations(sharings: Sharings): RegistryOperation[] {
  return [
    operation({
      id: 'getCampaignSharing',
      summary: 'Get the sharing status of a campaign',
      method: 'get',
      path: '/campaign/{campaignId}/sharing',
      row: 'Sharing status',
      query: migrationQuery,
      response: sharing,
      run: async ({ caller: csp, params, query }) =>
        pair(await sharings.of(csp.cspId, params.campaignId, query.cnpMigration ?? false)),
    }),
    operation({
      id: 'shareCampaign',
      summary: 'Share a campaign with a partner',
      method: 'put',
      path: '/campaign/{campaignId}/sharing/{upstreamCnpId}',
      body: z.object({}),
      response: share,
      run: async ({ caller: csp, params }) =>
        shareToWire(await sharings.share(csp.cspId, params.campaignId, params.upstreamCnpId)),
    }),
    operation({
      id: 'nudgeCampaign',
      summary: 'Ask the partner to look at a campaign',
      method: 'post',
      path: '/campaign/{campaignId}/nudge',
      row: 'Nudge',
      body: z.object(
        described({
          nudgeIntent: z.string().min(1).max(50),
          description: z.string().max(1024).nullish(),
        }),
      ),
      response: z.object(described({ message: z.string() })),
      run: async ({ caller: csp, params, body }) => {
        const { nudgeIntent } = body
        const nudge = { nudgeIntent, description: body.description ?? '' }
        await sharings.nudge(csp.cspId, params.campaignId, nudge)
        return { message: 'Nudge successful' }
      },
    }),
    operation({
      id: 'getMnosWithDcaElected',
      summary: 'List the operators that a shared campaign has an aggregator for',
      method: 'get',
      path: '/campaign/{campaignId}/mnoIdsWithDcaElected',
      row: 'MNOs with elected DCA',
      query: migrationQuery,
      response: z.array(z.number().int()),
      run: ({ caller: csp, params, query }) =>
        sharings.mnosWithDca(csp.cspId, params.campaignId, query.cnpMigration ?? false),
    }),
  ]
}

function migrationOperations(sharings: Sharings): RegistryOperation[] {
  const path = '/campaign/{campaignId}/migrateCnp'
  return [
    operation({
      id: 'getCnpMigration',
      summary: 'Get the migration of a campaign to another partner',
      method: 'get',
      path,
      response: z.object(
        described({
          campaignId: z.string(),
          upstreamCnpId: z.string(),
          status: z.enum(['ACTIVE', 'COMPLETED', 'CANCELLED']),
          startDate: timestamp(),
          statusDate: timestamp(),
        }),
      ),
      run: async ({ caller: csp, params }) => {
        const found = await sharings.migration(csp.cspId, params.campaignId)
        const { campaignId, upstreamCnpId, status, startedAt, statusAt } = found
        const dates = { startDate: isoTime(startedAt), statusDate: isoTime(statusAt) }
        return { campaignId, upstreamCnpId, status, ...dates }
      },
    }),
    operation({
      id: 'startCnpMigration',
      summary: 'Begin the migration of a campaign to another partner',
      method: 'post',
      path: `${path}/{upstreamCnpId}`,
      run: ({ caller: csp, params }) =>
        sharings.startMigration(csp.cspId, params.campaignId, params.upstreamCnpId),
    }),
    operation({
      id: 'completeCnpMigration',
      summary: 'Complete the migration of a campaign',
      method: 'post',
      path,
      run: ({ caller: csp, params }) => sharings.completeMigration(csp.cspId, params.campaignId),
    }),
    operation({
      id: 'cancelCnpMigration',
      summary: 'Cancel the migration of a campaign',
      method: 'delete',
      path,
      run: ({ caller: csp, params }) => sharings.cancelMigration(csp.cspId, params.campaignId),
    }),
  ]
}

/** The query of a list of shared campaigns. */
const sharedQuery = z.object(
  described({
    downstreamCnpId: queryText(8),
    upstreamCnpId: queryText(8),
    brandId: queryText(8),
    sharingStatus: queryChoices(['PENDING', 'ACCEPTED', 'DECLINED']),
    startDate: queryDate(),
    endDate: queryDate(),
  }),
)

/** The filter of a query. Dates are UTC days; the first and the last day are included. */
function shareFilter(query: z.infer<typeof sharedQuery>): ShareFilter {
  const { sharingStatus, startDate, endDate, ...filter } = query
  return {
    ...filter,
    statuses: sharingStatus,
    from: startDate === undefined ? undefined : Date.parse(startDate),
    before: endDate === undefined ? undefined : Date.parse(endDate) + DAY_MS,
  }
}

function partnerLists(sharings: Sharings): RegistryOperation[] {
  const lists = [
    ['sharedWithMe', 'upstreamCnp', 'List the campaigns that others share with the CSP'],
    ['sharedByMe', 'downstreamCnp', 'List the campaigns that the CSP shares'],
  ] as const
  return lists.map(([name, side, summary]) =>
    list({
      id: `listCampaigns_${name}`,
      summary,
      path: `/partnerCampaign/${name}`,
      aliases: [`/partnerCampaign/${name}/search`],
      name: 'campaigns',
      record: sharedCampaign,
      query: sharedQuery,
      run: async ({ caller: csp, query }, page) => {
        const { items, total } = await sharings.list(side, csp.cspId, shareFilter(query), page)
        return { items: items.map(listedToWire), total }
      },
    }),
  )
}

function partnerViews(sharings: Sharings): RegistryOperation[] {
  const path = '/partnerCampaign/{campaignId}'
  return [
    operation({
      id: 'getPartnerCampaign',
      summary: 'Get a campaign that is shared with the CSP',
      method: 'get',
      path,
      response: campaignResource,
      run: async ({ caller: csp, params }) =>
        campaignToWire({
          campaign: await sharings.partnerCampaign(csp.cspId, params.campaignId),
          tags: [],
        }),
    }),
    operation({
      id: 'getPartnerCampaignOperationStatus',
      summary: 'Get the status of a shared campaign at each operator',
      method: 'get',
      path: `${path}/operationStatus`,
      row: 'Shared campaign operational status, per MNO',
      response: operationStatusMap,
      run: async ({ caller: csp, params }) =>
        operationsToWire(await sharings.livePartnerCampaign(csp.cspId, params.campaignId)),
    }),
    operation({
      id: 'getPartnerCampaignMnoMetadata',
      summary: 'Get the terms of a shared campaign at each operator',
      method: 'get',
      path: `${path}/mnoMetadata`,
      response: mnoMetadataMap,
      run: async ({ caller: csp, params }) =>
        (await sharings.partnerCampaign(csp.cspId, params.campaignId)).mnoMetadata,
    }),
    operation({
      id: 'getPartnerCampaignSharing',
      summary: 'Get the sharing status of a campaign that is shared with the CSP',
      method: 'get',
      path: `${path}/sharing`,
      query: migrationQuery,
      response: sharing,
      run: async ({ caller: csp, params, query }) =>
        pair(await sharings.ofPartner(csp.cspId, params.campaignId, query.cnpMigration ?? false)),
    }),
  ]
}

function partnerDecisions(sharings: Sharings): RegistryOperation[] {
  const path = '/partnerCampaign/{campaignId}/sharing'
  const list = z.preprocess(
    (value) => [value ?? []].flat(),
    z.array(z.string().max(60)).min(1).max(20),
  )
  return [
    operation({
      id: 'declineSharing',
      summary: 'Decline a shared campaign',
      method: 'delete',
      path,
      query: z.object(described({ explanation: queryText(2048), rejectionCategory: list })),
      run: ({ caller: csp, params, query }) =>
        sharings.decline(csp.cspId, params.campaignId, query),
    }),
    operation({
      id: 'acceptSharing',
      summary: 'Accept a shared campaign and share it with an aggregator',
      method: 'put',
      path: `${path}/{upstreamCnpId}`,
      body: z.object({}),
      response: share,
      run: async ({ caller: csp, params }) =>
        shareToWire(await sharings.accept(csp.cspId, params.campaignId, params.upstreamCnpId)),
    }),
  ]
}

function shareToWire(each: Share): z.infer<typeof share> {
  return {
    downstreamCnpId: each.downstreamCnpId,
    upstreamCnpId: each.upstreamCnpId,
    sharingStatus: each.status,
    rejectionCategory: [...each.rejectionCategory],
    explanation: each.explanation ?? null,
    sharedDate: isoTime(each.sharedAt),
    statusDate: isoTime(each.statusAt),
    cnpMigration: each.isMigration,
  }
}

function listedToWire({ share: each, campaign }: ListedShare): z.infer<typeof sharedCampaign> {
  return {
    ...shareToWire(each),
    campaignId: campaign.campaignId,
    status: campaign.status,
    createDate: isoTime(campaign.createdAt),
    brandId: campaign.brandId,
    usecase: campaign.details.usecase,
  }
}

const pair = ({ withMe, byMe }: { withMe: Share | undefined; byMe: Share | undefined }) => ({
  sharedWithMe: withMe === undefined ? null : shareToWire(withMe),
  sharedByMe: byMe === undefined ? null : shareToWire(byMe),
})
