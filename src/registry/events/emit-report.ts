import type { Writer } from '../../platform/database/database.js'
import type { Core } from '../model/core.js'
import type { Brand } from '../storage/brands.js'
import type { Vetting } from '../storage/vettings.js'
import { emit } from './emit.js'

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
