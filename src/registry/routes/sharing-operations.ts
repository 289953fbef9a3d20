import { z } from '@hono/zod-openapi'
import type { Sharings } from '../services/sharing/sharings.js'
import type { Share } from '../storage/shares.js'
import { operationsToWire } from './campaign-operations.js'
import { campaignResource, mnoMetadataMap, operationStatusMap } from './campaign-schemas.js'
import { campaignToWire } from './campaign-wire.js'
import { type Operation, operation } from './operation.js'
import {
  isoTime,
  pageQuery,
  queryChoice,
  queryFlag,
  recordSet,
  recordSetOf,
  timestamp,
} from './schemas.js'

const TEST = 'sharing.test.ts'

const share = z.object({
  downstreamCnpId: z.string(),
  upstreamCnpId: z.string(),
  sharingStatus: z.enum(['PENDING', 'ACCEPTED', 'DECLINED']),
  rejectionCategory: z.array(z.string()),
  explanation: z.string().nullable(),
  sharedDate: timestamp(),
  statusDate: timestamp(),
  cnpMigration: z.boolean(),
})
const sharing = z
  .object({ sharedWithMe: share.nullable(), sharedByMe: share.nullable() })
  .openapi('SharingStatus')
const migrationQuery = z.object({ cnpMigration: queryFlag() })

export function shareToWire(each: Share | undefined): z.infer<typeof share> | null {
  if (each === undefined) return null
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

export function sharingOperations(sharings: Sharings): Operation[] {
  return [
    ...ownerOperations(sharings),
    ...migrationOperations(sharings),
    ...partnerLists(sharings),
    ...partnerViews(sharings),
    ...partnerDecisions(sharings),
  ]
}

const pair = ({ withMe, byMe }: { withMe: Share | undefined; byMe: Share | undefined }) => ({
  sharedWithMe: shareToWire(withMe),
  sharedByMe: shareToWire(byMe),
})

function ownerOperations(sharings: Sharings): Operation[] {
  return [
    operation({
      id: 'getCampaignSharing',
      method: 'get',
      path: '/campaign/{campaignId}/sharing',
      row: 'Sharing status',
      test: TEST,
      query: migrationQuery,
      response: sharing,
      run: async ({ csp, param, query }) =>
        pair(await sharings.of(csp.cspId, param('campaignId'), query.cnpMigration ?? false)),
    }),
    operation({
      id: 'shareCampaign',
      method: 'put',
      path: '/campaign/{campaignId}/sharing/{upstreamCnpId}',
      test: TEST,
      body: z.object({}),
      response: sharing,
      run: async ({ csp, param }) =>
        pair(await sharings.share(csp.cspId, param('campaignId'), param('upstreamCnpId'))),
    }),
    operation({
      id: 'nudgeCampaign',
      method: 'post',
      path: '/campaign/{campaignId}/nudge',
      row: 'Nudge',
      test: TEST,
      body: z.object({
        nudgeIntent: z.string().min(1).max(50),
        description: z.string().max(1024).nullish(),
      }),
      response: z.object({ message: z.string() }),
      run: async ({ csp, param, body }) => {
        const { nudgeIntent } = body
        const nudge = { nudgeIntent, description: body.description ?? '' }
        await sharings.nudge(csp.cspId, param('campaignId'), nudge)
        return { message: 'Nudge successful' }
      },
    }),
    operation({
      id: 'getMnosWithDcaElected',
      method: 'get',
      path: '/campaign/{campaignId}/mnoIdsWithDcaElected',
      row: 'MNOs with elected DCA',
      test: TEST,
      query: migrationQuery,
      response: z.array(z.number().int()),
      run: ({ csp, param, query }) =>
        sharings.mnosWithDca(csp.cspId, param('campaignId'), query.cnpMigration ?? false),
    }),
  ]
}

function migrationOperations(sharings: Sharings): Operation[] {
  const path = '/campaign/{campaignId}/migrateCnp'
  return [
    operation({
      id: 'getCnpMigration',
      method: 'get',
      path,
      test: TEST,
      response: z.object({
        campaignId: z.string(),
        upstreamCnpId: z.string(),
        status: z.enum(['ACTIVE', 'COMPLETED', 'CANCELLED']),
        startDate: timestamp(),
        statusDate: timestamp(),
      }),
      run: async ({ csp, param }) => {
        const found = await sharings.migration(csp.cspId, param('campaignId'))
        const { campaignId, upstreamCnpId, status, startedAt, statusAt } = found
        const dates = { startDate: isoTime(startedAt), statusDate: isoTime(statusAt) }
        return { campaignId, upstreamCnpId, status, ...dates }
      },
    }),
    operation({
      id: 'startCnpMigration',
      method: 'post',
      path: `${path}/{upstreamCnpId}`,
      test: TEST,
      run: ({ csp, param }) =>
        sharings.startMigration(csp.cspId, param('campaignId'), param('upstreamCnpId')),
    }),
    operation({
      id: 'completeCnpMigration',
      method: 'post',
      path,
      test: TEST,
      run: ({ csp, param }) => sharings.completeMigration(csp.cspId, param('campaignId')),
    }),
    operation({
      id: 'cancelCnpMigration',
      method: 'delete',
      path,
      test: TEST,
      run: ({ csp, param }) => sharings.cancelMigration(csp.cspId, param('campaignId')),
    }),
  ]
}

function partnerLists(sharings: Sharings): Operation[] {
  const record = share.extend({ campaignId: z.string() })
  const query = pageQuery.extend({
    sharingStatus: queryChoice(['PENDING', 'ACCEPTED', 'DECLINED']),
  })
  const lists = [
    ['sharedWithMe', 'upstream_cnp'],
    ['sharedByMe', 'downstream_cnp'],
  ] as const
  return lists.map(([name, side]) =>
    operation({
      id: `listCampaigns_${name}`,
      method: 'get',
      path: `/partnerCampaign/${name}`,
      aliases: [`/partnerCampaign/${name}/search`],
      test: TEST,
      query,
      response: recordSet(record),
      run: async ({ csp, query: { sharingStatus, ...page } }) => {
        const { items, total } = await sharings.list(side, csp.cspId, sharingStatus, {
          offset: (page.page - 1) * page.recordsPerPage,
          limit: page.recordsPerPage,
        })
        return recordSetOf(page, {
          items: items.map((each) => ({ campaignId: each.campaignId, ...shareToWire(each) })),
          total,
        })
      },
    }),
  )
}

function partnerViews(sharings: Sharings): Operation[] {
  const path = '/partnerCampaign/{campaignId}'
  return [
    operation({
      id: 'getPartnerCampaign',
      method: 'get',
      path,
      test: TEST,
      response: campaignResource,
      run: async ({ csp, param }) =>
        campaignToWire({
          campaign: await sharings.partnerCampaign(csp.cspId, param('campaignId')),
          tags: [],
        }),
    }),
    operation({
      id: 'getPartnerCampaignOperationStatus',
      method: 'get',
      path: `${path}/operationStatus`,
      row: 'Shared campaign operational status, per MNO',
      test: TEST,
      response: operationStatusMap,
      run: async ({ csp, param }) =>
        operationsToWire(await sharings.livePartnerCampaign(csp.cspId, param('campaignId'))),
    }),
    operation({
      id: 'getPartnerCampaignMnoMetadata',
      method: 'get',
      path: `${path}/mnoMetadata`,
      test: TEST,
      response: mnoMetadataMap,
      run: async ({ csp, param }) =>
        (await sharings.partnerCampaign(csp.cspId, param('campaignId'))).mnoMetadata,
    }),
    operation({
      id: 'getPartnerCampaignSharing',
      method: 'get',
      path: `${path}/sharing`,
      test: TEST,
      query: migrationQuery,
      response: sharing,
      run: async ({ csp, param, query }) =>
        pair(await sharings.ofPartner(csp.cspId, param('campaignId'), query.cnpMigration ?? false)),
    }),
  ]
}

function partnerDecisions(sharings: Sharings): Operation[] {
  const path = '/partnerCampaign/{campaignId}/sharing'
  const list = z.preprocess(
    (value) => [value ?? []].flat(),
    z.array(z.string().max(60)).min(1).max(20),
  )
  return [
    operation({
      id: 'declineSharing',
      method: 'delete',
      path,
      test: TEST,
      query: z.object({ explanation: z.string().min(1).max(2048), rejectionCategory: list }),
      run: ({ csp, param, query }) => sharings.decline(csp.cspId, param('campaignId'), query),
    }),
    operation({
      id: 'acceptSharing',
      method: 'put',
      path: `${path}/{upstreamCnpId}`,
      test: TEST,
      body: z.object({}),
      response: sharing,
      run: async ({ csp, param }) =>
        pair(await sharings.accept(csp.cspId, param('campaignId'), param('upstreamCnpId'))),
    }),
  ]
}
