/**
 * A campaign's sharing chain: CSP → partners → direct connect aggregator. Each step is a share,
 * which its upstream accepts (by sharing it further, or as the end of the chain) or declines.
 * PENDING → ACCEPTED | DECLINED; an appeal makes a declined share pending again.
 */
import type { Reader, Writer } from '../../../platform/database/database.js'
import { emit } from '../../events/emit.js'
import { emitToShare } from '../../events/emit-shared.js'
import { schedule } from '../../jobs/jobs.js'
import type { Core } from '../../model/core.js'
import { refuse } from '../../model/registry-error.js'
import { findBrand } from '../../storage/brands.js'
import { type Campaign, findCampaign, saveCampaign } from '../../storage/campaigns.js'
import { findCsp } from '../../storage/csps.js'
import { insertShare, type Share, saveShare, sharesOf } from '../../storage/shares.js'
import { leaveUpstream, orderOf } from '../upstream/carry-up.js'
import { autoCompleteMigration } from './migrations.js'

export interface ShareRequest {
  readonly campaign: Campaign
  readonly from: string
  readonly to: string
  readonly isMigration: boolean
}

/** The share from a CNP to the next one upstream: the current one, or that of a migration. */
export function shareFrom(shares: readonly Share[], cnpId: string, isMigration = false) {
  return shares.find(
    (share) => share.downstreamCnpId === cnpId && share.isMigration === isMigration,
  )
}

export function shareTo(shares: readonly Share[], cnpId: string, isMigration?: boolean) {
  return shares.find(
    (share) =>
      share.upstreamCnpId === cnpId &&
      (isMigration === undefined || share.isMigration === isMigration),
  )
}

/** The current share of a campaign with this CNP; RegistryError 502 when there is none. */
export async function sharedWith(
  db: Reader,
  cnpId: string,
  campaignId: string,
): Promise<{ campaign: Campaign; share: Share; shares: Share[] }> {
  const campaign = await findCampaign(db, campaignId)
  const shares = campaign === undefined ? [] : await sharesOf(db, campaignId)
  const share = shareTo(shares, cnpId)
  if (campaign === undefined || share === undefined)
    throw refuse(502, ['campaignId'], `campaign ${campaignId} is not shared with you`)
  return { campaign, share, shares }
}

/** Shares a campaign with the next CNP upstream. RegistryError 501, 518, 522, 523, 536, 562 or 592. */
export async function shareUp(core: Core, tx: Writer, request: ShareRequest): Promise<Share> {
  const { campaign, from, to, isMigration } = request
  if (campaign.status === 'EXPIRED') throw refuse(518, ['campaignId'], 'the campaign has expired')
  if (campaign.isMock) throw refuse(536, ['campaignId'], 'mock campaigns are not shared')
  const end = await kindOf(core, tx, to)
  if (end === undefined) throw refuse(501, ['upstreamCnpId'], `there is no CNP ${to}`)
  const shares = await sharesOf(tx, campaign.campaignId)
  const chain = shares.filter((share) => share.isMigration === isMigration)
  const below = [campaign.cspId, from, ...chain.map((share) => share.downstreamCnpId)]
  if (below.includes(to))
    throw refuse(523, ['upstreamCnpId'], `${to} is below in the chain already`)
  const present = shareFrom(shares, from, isMigration)
  if (present !== undefined) await replace(core, tx, present, to, from !== campaign.cspId)
  const now = core.clock.now()
  const share = await insertShare(tx, {
    campaignId: campaign.campaignId,
    downstreamCnpId: from,
    upstreamCnpId: to,
    status: 'PENDING',
    rejectionCategory: [],
    sharedAt: now,
    statusAt: now,
    isMigration,
    isCurrent: true,
  })
  // The CNP that declined it may be the upstream registry, where it is registered.
  if (present !== undefined) await leaveUpstream(core, tx, campaign)
  await emitToShare(core, tx, 'CAMPAIGN_SHARE_ADD', share)
  await setOff(core, tx, share, campaign, end)
  return share
}

async function replace(core: Core, tx: Writer, present: Share, to: string, isPartner: boolean) {
  if (present.status === 'DECLINED') {
    if (present.upstreamCnpId === to)
      throw refuse(522, ['upstreamCnpId'], `${to} has declined: correct it and nudge`)
    await saveShare(tx, { ...present, isCurrent: false })
    return
  }
  const isAtDca = present.upstreamCnpId in core.tables.partners.dcas
  if (isPartner && isAtDca && present.status === 'PENDING')
    throw refuse(562, ['upstreamCnpId'], 'a secondary DCA is pending in the chain already')
  throw refuse(592, ['upstreamCnpId'], `it is ${present.status} at ${present.upstreamCnpId}`)
}

type CnpKind = 'dca' | 'csp' | 'upstream'

async function kindOf(core: Core, db: Reader, cnpId: string): Promise<CnpKind | undefined> {
  if (cnpId === core.upstream?.cnpId) return 'upstream'
  if (cnpId in core.tables.partners.dcas) return 'dca'
  return (await findCsp(db, cnpId)) === undefined ? undefined : 'csp'
}

/** Schedules the job that decides a pending share, unless an operator decides it. */
async function setOff(
  core: Core,
  tx: Writer,
  share: Share,
  campaign: Campaign,
  kind: CnpKind | undefined,
): Promise<void> {
  const now = core.clock.now()
  // Other changes of the campaign wait until it is registered there.
  if (kind === 'upstream')
    await schedule(tx, 'share-upstream', String(share.id), now, orderOf(campaign))
  if (kind === 'dca' && core.tables.decisions.shareByDca === 'ACCEPT')
    await schedule(tx, 'accept-share', String(share.id), now)
}

export async function acceptShare(core: Core, tx: Writer, share: Share): Promise<void> {
  if (share.status !== 'PENDING') return
  // A campaign that was deactivated in the meantime is not shared further.
  if ((await findCampaign(tx, share.campaignId))?.status !== 'ACTIVE') return
  const accepted = await saveShare(tx, {
    ...share,
    rejectionCategory: [],
    explanation: undefined,
    status: 'ACCEPTED',
    statusAt: core.clock.now(),
  })
  await emitToShare(core, tx, 'CAMPAIGN_SHARE_ACCEPT', accepted)
  // A partner accepts by sharing further; the aggregator's decision is still pending.
  if ((await kindOf(core, tx, share.upstreamCnpId)) === 'csp') return
  if (share.isMigration) await autoCompleteMigration(core, tx, accepted)
  else await electDca(core, tx, accepted)
}

/**
 * The share at the end of the chain, once the aggregator or upstream registry has accepted it;
 * otherwise undefined.
 */
export async function acceptedEnd(
  core: Core,
  db: Reader,
  shares: readonly Share[],
  isMigration: boolean,
): Promise<Share | undefined> {
  for (const share of shares) {
    if (share.isMigration !== isMigration || share.status !== 'ACCEPTED') continue
    if ((await kindOf(core, db, share.upstreamCnpId)) !== 'csp') return share
  }
  return undefined
}

/** Elects the aggregator at the end of the chain, which carries the campaign to each operator. */
async function electDca(core: Core, tx: Writer, share: Share): Promise<void> {
  const campaign = await findCampaign(tx, share.campaignId)
  if (campaign === undefined) return
  const dcaByMno = Object.fromEntries(
    campaign.qualifiedMnoIds.map((id) => [String(id), share.upstreamCnpId]),
  )
  const elected: Campaign = { ...campaign, dcaByMno }
  await saveCampaign(tx, elected)
  await emit(core, tx, {
    type: 'CAMPAIGN_DCA_COMPLETE',
    cspId: campaign.cspId,
    brand: await findBrand(tx, campaign.brandId),
    campaign: elected,
  })
}

export interface Rejection {
  readonly rejectionCategory: readonly string[]
  readonly explanation?: string | undefined
}

export async function declineShare(
  core: Core,
  tx: Writer,
  share: Share,
  rejection: Rejection,
): Promise<void> {
  if (share.status !== 'PENDING')
    throw refuse(592, ['campaignId'], `the share is ${share.status}, not PENDING`)
  const { explanation } = rejection
  const known = core.tables.enumerations['rejectionCategory'] ?? []
  const unknown = rejection.rejectionCategory.filter((each) => !known.includes(each))
  if (unknown.length > 0 || rejection.rejectionCategory.length === 0)
    throw refuse(501, ['rejectionCategory'], 'at least one of /enum/rejectionCategory')
  const declined = await saveShare(tx, {
    ...share,
    rejectionCategory: rejection.rejectionCategory,
    explanation,
    status: 'DECLINED',
    statusAt: core.clock.now(),
  })
  await emitToShare(core, tx, 'CAMPAIGN_SHARE_DELETE', declined, {
    ...(explanation === undefined ? {} : { explanation }),
    rejectionCategory: rejection.rejectionCategory.join(','),
  })
}

export interface Nudge {
  readonly nudgeIntent: string
  readonly description: string
}

/** Nudges the upstream partner. RegistryError 518 expired; 592 when no partner can be nudged. */
export async function nudgeUp(
  core: Core,
  tx: Writer,
  campaign: Campaign,
  cnpId: string,
  nudge: Nudge,
): Promise<void> {
  if (campaign.status === 'EXPIRED') throw refuse(518, ['campaignId'], 'the campaign has expired')
  const shares = await sharesOf(tx, campaign.campaignId)
  const share = shareFrom(shares, cnpId, true) ?? shareFrom(shares, cnpId)
  const isAppeal = nudge.nudgeIntent === 'APPEAL_REJECTION'
  const operations = Object.values(campaign.operations)
  const isShareMeant = share?.status === (isAppeal ? 'DECLINED' : 'PENDING')
  const isMnoMeant = operations.some(({ status }) => status === (isAppeal ? 'REJECTED' : 'REVIEW'))
  if (!isShareMeant && !isMnoMeant)
    throw refuse(592, ['nudgeIntent'], 'nobody has to decide on that')
  const extra = { nudgeIntent: nudge.nudgeIntent, nudgeDescription: nudge.description }
  if (share === undefined || !isShareMeant) {
    await tellOfOperators(core, tx, campaign, { share, cnpId, extra })
    await nudgeOperatorsAbove(core, tx, campaign, { shares, cnpId, nudge })
    return
  }
  const pending = isAppeal
    ? await saveShare(tx, { ...share, status: 'PENDING', statusAt: core.clock.now() })
    : share
  await emitToShare(core, tx, 'CAMPAIGN_NUDGE', pending, extra)
  const kind = await kindOf(core, tx, share.upstreamCnpId)
  if (kind === 'upstream') await scheduleNudge(core, tx, share, campaign, nudge)
  else if (isAppeal) await setOff(core, tx, pending, campaign, kind)
}

/** Notifies the nudger about a nudge of operators, and every partner of an accepted share. */
async function tellOfOperators(
  core: Core,
  tx: Writer,
  campaign: Campaign,
  by: {
    readonly share: Share | undefined
    readonly cnpId: string
    readonly extra: Readonly<Record<string, string>>
  },
): Promise<void> {
  const { share, cnpId, extra } = by
  if (share?.status === 'ACCEPTED') return emitToShare(core, tx, 'CAMPAIGN_NUDGE', share, extra)
  const brand = await findBrand(tx, campaign.brandId)
  await emit(core, tx, { type: 'CAMPAIGN_NUDGE', cspId: cnpId, brand, campaign, extra })
}

/** Nudges the operators at the upstream registry, when it carries the campaign. */
async function nudgeOperatorsAbove(
  core: Core,
  tx: Writer,
  campaign: Campaign,
  by: { readonly shares: readonly Share[]; readonly cnpId: string; readonly nudge: Nudge },
): Promise<void> {
  const carried = by.shares.find(
    ({ downstreamCnpId, upstreamCnpId, status }) =>
      downstreamCnpId === by.cnpId &&
      upstreamCnpId === core.upstream?.cnpId &&
      status === 'ACCEPTED',
  )
  if (carried !== undefined) await scheduleNudge(core, tx, carried, campaign, by.nudge)
}

async function scheduleNudge(
  core: Core,
  tx: Writer,
  { id }: Share,
  campaign: Campaign,
  nudge: Nudge,
): Promise<void> {
  const subject = JSON.stringify([id, nudge])
  await schedule(tx, 'nudge-upstream', subject, core.clock.now(), orderOf(campaign))
}
