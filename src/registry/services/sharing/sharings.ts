import type { Reader } from '../../../platform/database/database.js'
import type { Core } from '../../model/core.js'
import { refuse } from '../../model/registry-error.js'
import { findMigration, type Migration, saveMigration } from '../../storage/campaign-migrations.js'
import { type Campaign, findCampaign } from '../../storage/campaigns.js'
import { findCsp } from '../../storage/csps.js'
import {
  listShares,
  type Share,
  type ShareFilter,
  saveShare,
  sharesOf,
} from '../../storage/shares.js'
import { liveCampaign, ownCampaign, refuseExpired } from '../campaigns/campaign-facts.js'
import { leaveUpstream } from '../upstream/carry-up.js'
import { completeMigration } from './migrations.js'
import {
  acceptedEnd,
  acceptShare,
  declineShare,
  type Nudge,
  nudgeUp,
  type Rejection,
  sharedWith,
  shareFrom,
  shareTo,
  shareUp,
} from './share-chain.js'

export interface SharePair {
  readonly withMe: Share | undefined
  readonly byMe: Share | undefined
}

/** A share in a list, with its campaign. */
export interface ListedShare {
  readonly share: Share
  readonly campaign: Campaign
}

/** Sharing of campaigns, for the owner and for its upstream partners. */
export interface Sharings {
  of(cspId: string, campaignId: string, isMigration: boolean): Promise<SharePair>
  /** Shares a campaign; resolves with the new share. */
  share(cspId: string, campaignId: string, upstreamCnpId: string): Promise<Share>
  nudge(cspId: string, campaignId: string, nudge: Nudge): Promise<void>
  mnosWithDca(cspId: string, campaignId: string, isMigration: boolean): Promise<number[]>
  migration(cspId: string, campaignId: string): Promise<Migration>
  startMigration(cspId: string, campaignId: string, upstreamCnpId: string): Promise<void>
  completeMigration(cspId: string, campaignId: string): Promise<void>
  cancelMigration(cspId: string, campaignId: string): Promise<void>
  list(
    side: 'upstreamCnp' | 'downstreamCnp',
    cspId: string,
    filter: ShareFilter,
    page: { readonly offset: number; readonly limit: number },
  ): Promise<{ items: ListedShare[]; total: number }>
  partnerCampaign(cspId: string, campaignId: string): Promise<Campaign>
  /** Resolves with a campaign that was shared with this CNP; RegistryError 518 when it has expired. */
  livePartnerCampaign(cspId: string, campaignId: string): Promise<Campaign>
  ofPartner(cspId: string, campaignId: string, isMigration: boolean): Promise<SharePair>
  /** Accepts a share by sharing the campaign further; resolves with the new share. */
  accept(cspId: string, campaignId: string, upstreamCnpId: string): Promise<Share>
  decline(cspId: string, campaignId: string, rejection: Rejection): Promise<void>
}

export function createSharings(core: Core): Sharings {
  const { db } = core
  return {
    of: async (cspId, campaignId, isMigration) => {
      await ownCampaign(db.read, cspId, campaignId)
      return pairOf(db.read, cspId, campaignId, isMigration)
    },
    share: (cspId, campaignId, to) =>
      core.commit(async (tx) => {
        const campaign = await ownCampaign(tx, cspId, campaignId)
        return shareUp(core, tx, { campaign, from: cspId, to, isMigration: false })
      }),
    nudge: (cspId, campaignId, nudge) =>
      core.commit(async (tx) => {
        if (core.tables.enumerations['nudgeIntent']?.includes(nudge.nudgeIntent) !== true)
          throw refuse(501, ['nudgeIntent'], 'one of /enum/nudgeIntent')
        const campaign = await findCampaign(tx, campaignId)
        const isOwn = campaign?.cspId === cspId
        const nudged = isOwn ? campaign : (await sharedWith(tx, cspId, campaignId)).campaign
        await nudgeUp(core, tx, nudged, cspId, nudge)
      }),
    mnosWithDca: async (cspId, campaignId, isMigration) => {
      const campaign = await ownCampaign(db.read, cspId, campaignId)
      // A withdrawn operator keeps its aggregator only for a later resubmission.
      if (!isMigration)
        return Object.keys(campaign.dcaByMno)
          .map(Number)
          .filter((id) => campaign.operations[id] !== undefined)
      const end = await acceptedEnd(core, db.read, await sharesOf(db.read, campaignId), true)
      return end === undefined ? [] : [...campaign.qualifiedMnoIds]
    },
    ...partnerOf(core),
    ...migrationsOf(core),
  }
}

type PartnerPart = Pick<
  Sharings,
  'list' | 'partnerCampaign' | 'livePartnerCampaign' | 'ofPartner' | 'accept' | 'decline'
>

function partnerOf(core: Core): PartnerPart {
  const { db } = core
  return {
    list: async (side, cspId, filter, page) => {
      const { items, total } = await listShares(db.read, side, cspId, filter, page)
      const found: ListedShare[] = []
      for (const share of items) {
        const campaign = await findCampaign(db.read, share.campaignId)
        if (campaign !== undefined) found.push({ share, campaign })
      }
      return { items: found, total }
    },
    partnerCampaign: async (cspId, campaignId) =>
      (await sharedWith(db.read, cspId, campaignId)).campaign,
    livePartnerCampaign: async (cspId, campaignId) => {
      const { campaign } = await sharedWith(db.read, cspId, campaignId)
      refuseExpired(campaign)
      return campaign
    },
    ofPartner: async (cspId, campaignId, isMigration) => {
      await sharedWith(db.read, cspId, campaignId)
      return pairOf(db.read, cspId, campaignId, isMigration)
    },
    accept: (cspId, campaignId, to) =>
      core.commit(async (tx) => {
        const { campaign, share } = await sharedWith(tx, cspId, campaignId)
        if (share.status === 'DECLINED') throw refuse(592, ['campaignId'], 'you have declined it')
        const { isMigration } = share
        const further = await shareUp(core, tx, { campaign, from: cspId, to, isMigration })
        await acceptShare(core, tx, share)
        return further
      }),
    decline: (cspId, campaignId, rejection) =>
      core.commit(async (tx) => {
        const { campaign, share } = await sharedWith(tx, cspId, campaignId)
        refuseExpired(campaign)
        await declineShare(core, tx, share, rejection)
      }),
  }
}

async function pairOf(
  db: Reader,
  cspId: string,
  campaignId: string,
  isMigration: boolean,
): Promise<SharePair> {
  const shares = await sharesOf(db, campaignId)
  return {
    withMe: shareTo(shares, cspId, isMigration),
    byMe: shareFrom(shares, cspId, isMigration),
  }
}

type MigrationPart = Pick<
  Sharings,
  'migration' | 'startMigration' | 'completeMigration' | 'cancelMigration'
>

function migrationsOf(core: Core): MigrationPart {
  const migrationOf = async (db: Reader, cspId: string, campaignId: string) => {
    await ownCampaign(db, cspId, campaignId)
    const migration = await findMigration(db, campaignId)
    if (migration === undefined)
      throw refuse(502, ['campaignId'], `campaign ${campaignId} is not migrated`)
    return migration
  }
  return {
    migration: (cspId, campaignId) => migrationOf(core.db.read, cspId, campaignId),
    startMigration: (cspId, campaignId, to) =>
      core.commit(async (tx) => {
        const campaign = await liveCampaign(tx, cspId, campaignId)
        const present = shareFrom(await sharesOf(tx, campaignId), cspId)
        if (present?.status !== 'ACCEPTED')
          throw refuse(592, ['campaignId'], 'only an accepted campaign is migrated')
        if (present.upstreamCnpId === to)
          throw refuse(592, ['upstreamCnpId'], `${to} carries it already`)
        if ((await findMigration(tx, campaignId))?.status === 'ACTIVE')
          throw refuse(592, ['campaignId'], 'a migration is under way')
        if ((await findCsp(tx, to))?.migrationSupported === false)
          throw refuse(592, ['upstreamCnpId'], `${to} does not support migrations`)
        const now = core.clock.now()
        await saveMigration(tx, {
          campaignId,
          upstreamCnpId: to,
          status: 'ACTIVE',
          startedAt: now,
          statusAt: now,
        })
        await shareUp(core, tx, { campaign, from: cspId, to, isMigration: true })
      }),
    completeMigration: (cspId, campaignId) =>
      core.commit(async (tx) => {
        await liveCampaign(tx, cspId, campaignId)
        const migration = await migrationOf(tx, cspId, campaignId)
        if (migration.status !== 'ACTIVE')
          throw refuse(592, ['campaignId'], `the migration is ${migration.status}`)
        const end = await acceptedEnd(core, tx, await sharesOf(tx, campaignId), true)
        if (end === undefined)
          throw refuse(592, ['campaignId'], 'no aggregator has accepted the campaign yet')
        await completeMigration(core, tx, migration, end)
      }),
    cancelMigration: (cspId, campaignId) =>
      core.commit(async (tx) => {
        await checkCanceller(tx, cspId, campaignId)
        const migration = await migrationOf(tx, cspId, campaignId)
        if (migration.status !== 'ACTIVE')
          throw refuse(592, ['campaignId'], `the migration is ${migration.status}`)
        const now = core.clock.now()
        await saveMigration(tx, { ...migration, status: 'CANCELLED', statusAt: now })
        for (const share of await sharesOf(tx, campaignId)) {
          if (share.isMigration) await saveShare(tx, { ...share, isCurrent: false })
        }
        const campaign = await findCampaign(tx, campaignId)
        if (campaign?.status === 'ACTIVE') await leaveUpstream(core, tx, campaign)
      }),
  }
}

/** Checks who may cancel: only the owner. Partners see the campaign; for others it does not exist. */
async function checkCanceller(tx: Reader, cspId: string, campaignId: string): Promise<void> {
  const campaign = await findCampaign(tx, campaignId)
  if (campaign === undefined || campaign.cspId === cspId) return
  const isPartner = shareTo(await sharesOf(tx, campaignId), cspId) !== undefined
  if (isPartner) throw refuse(500, ['campaignId'], 'only its owner cancels a migration')
}
