import { z } from '@hono/zod-openapi'
import type { ListedShare } from '../../services/sharing/sharings.js'
import type { Share } from '../../storage/shares.js'
import { described } from '../dialect/field-descriptions.js'
import { isoTime, timestamp } from '../dialect/schemas.js'

export const share = z.object(
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
export const sharing = z
  .object(described({ sharedWithMe: share.nullable(), sharedByMe: share.nullable() }))
  .openapi('SharingStatus')
export const sharedCampaign = share.extend(
  described({
    campaignId: z.string(),
    status: z.enum(['ACTIVE', 'EXPIRED']),
    createDate: timestamp(),
    brandId: z.string(),
    usecase: z.string(),
  }),
)

export function shareToWire(each: Share): z.infer<typeof share> {
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

export function listedToWire({
  share: each,
  campaign,
}: ListedShare): z.infer<typeof sharedCampaign> {
  return {
    ...shareToWire(each),
    campaignId: campaign.campaignId,
    status: campaign.status,
    createDate: isoTime(campaign.createdAt),
    brandId: campaign.brandId,
    usecase: campaign.details.usecase,
  }
}

export const pair = ({ withMe, byMe }: { withMe: Share | undefined; byMe: Share | undefined }) => ({
  sharedWithMe: withMe === undefined ? null : shareToWire(withMe),
  sharedByMe: byMe === undefined ? null : shareToWire(byMe),
})
