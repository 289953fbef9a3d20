import { randomUUID } from 'node:crypto'
import type { Writer } from '../../platform/database/database.js'
import { InvariantError } from '../../platform/errors.js'
import type { Core } from '../model/core.js'
import type { Brand } from '../storage/brands.js'
import { type Campaign, saveLastEvent } from '../storage/campaigns.js'
import { type Csp, findCsp } from '../storage/csps.js'
import { insertEvent } from '../storage/events.js'
import { findSubscription } from '../storage/subscriptions.js'
import { UPSTREAM_CHANGE_REFUSED } from '../storage/upstream-refusals.js'
import type { Vetting } from '../storage/vettings.js'

export interface NewEvent {
  readonly type: string
  /** The CSP whose subscription receives the event. */
  readonly cspId: string
  readonly brand?: Brand | undefined
  readonly campaign?: Campaign | undefined
  /** Keys that only this event type has, such as `mnoId`. */
  readonly extra?: Readonly<Record<string, string | number | boolean | null>>
}

/**
 * Writes the event in the transaction of the change that it reports. The history, the campaign's
 * last event and the subscriber's delivery are stored together, or not at all.
 */
export async function emit(core: Core, tx: Writer, event: NewEvent): Promise<void> {
  const { type, cspId, brand, campaign } = event
  const now = core.clock.now()
  const category = categoryOf(core, type)
  const eventId = randomUUID()
  const csp = await findCsp(tx, cspId)
  const subscription = await findSubscription(tx, cspId, category)
  const isDelivered = csp !== undefined && subscription !== undefined
  await insertEvent(tx, {
    eventId,
    cspId,
    category,
    type,
    brandId: brand?.brandId ?? campaign?.brandId ?? null,
    campaignId: campaign?.campaignId ?? null,
    body: JSON.stringify(bodyOf(core, event, csp)),
    deliveryState: isDelivered ? 'pending' : null,
    at: now,
  })
  // An upstream refusal does not change the campaign here.
  if (campaign !== undefined && type !== UPSTREAM_CHANGE_REFUSED)
    await saveLastEvent(tx, campaign.campaignId, type)
  if (!isDelivered) return
  const { accountSid } = csp
  await core.events.enqueue(tx, [{ eventId, type, cspId, category, accountSid }])
}

export function categoryOf(core: Core, type: string): string {
  const known = core.tables.eventTypes[type]
  if (known === undefined) throw new InvariantError(`there is no event type ${type}`)
  return known.eventCategory
}

/** The event as flat JSON, with the keys that subscribers of this convention expect. */
function bodyOf(core: Core, event: NewEvent, csp: Csp | undefined): Record<string, unknown> {
  const { type, cspId, campaign, brand, extra } = event
  return {
    cspId,
    cspName: csp?.name ?? null,
    ...brandKeys(brand),
    ...(campaign === undefined ? {} : campaignKeys(campaign)),
    description: sentence(core, event),
    mock: (campaign ?? brand)?.isMock ?? false,
    eventType: type,
    ...extra,
  }
}

function brandKeys(brand: Brand | undefined) {
  if (brand === undefined) return { brandId: null, brandName: null, brandReferenceId: null }
  const { displayName, referenceId = null } = brand.details
  return { brandId: brand.brandId, brandName: displayName, brandReferenceId: referenceId }
}

function campaignKeys({ campaignId, details }: Campaign) {
  return { campaignId, campaignReferenceId: details.referenceId ?? null }
}

function sentence(core: Core, { type, brand, campaign }: NewEvent): string {
  const what = core.tables.eventTypes[type]?.description ?? type
  const ids = [
    campaign === undefined ? '' : `campaign ${campaign.campaignId}`,
    brand === undefined ? '' : `brand ${brand.brandId}`,
  ].filter((each) => each !== '')
  return ids.length === 0 ? `${what}.` : `${what} (${ids.join(', ')}).`
}

/** Emits an event about the report of an external vetting. */
export async function emitReport(
  core: Core,
  tx: Writer,
  type: string,
  brand: Brand,
  { evpId, vettingId }: Vetting,
): Promise<void> {
  const evpName = core.tables.partners.vettingProviders[evpId]?.displayName ?? evpId
  const extra = { evpId, evpName, vettingId }
  await emit(core, tx, { type, cspId: brand.cspId, brand, extra })
}
