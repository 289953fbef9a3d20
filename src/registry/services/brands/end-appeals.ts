/** Ends appeals that nobody decides any more. */
import type { Writer } from '../../../platform/database/database.js'
import { emit } from '../../events/emit.js'
import { cancelJobs } from '../../jobs/jobs.js'
import type { Core } from '../../model/core.js'
import type { Brand } from '../../storage/brands.js'
import { type Appeal, listAppeals, saveAppeal } from '../../storage/vettings.js'

/** Ends the appeals against the scoring of facts that the brand does not have any more. */
export async function endScoringAppeals(core: Core, tx: Writer, brand: Brand): Promise<void> {
  for (const appeal of await listAppeals(tx, brand.brandId))
    if (appeal.vettingId === undefined)
      await end(core, tx, brand, { appeal, why: 'the brand has changed: it needs a re-vet' })
}

/** Ends the appeals of a brand that is deleted. */
export async function endAllAppeals(core: Core, tx: Writer, brand: Brand): Promise<void> {
  for (const appeal of await listAppeals(tx, brand.brandId))
    await end(core, tx, brand, { appeal, why: 'the brand was deleted' })
}

async function end(
  core: Core,
  tx: Writer,
  brand: Brand,
  { appeal, why: explanation }: { readonly appeal: Appeal; readonly why: string },
): Promise<void> {
  if (appeal.status !== 'PENDING') return
  const statusAt = core.clock.now()
  const outcome = { isGranted: false, explanation }
  await saveAppeal(tx, { ...appeal, status: 'COMPLETE', statusAt, outcome })
  await cancelJobs(tx, 'grant-appeal', appeal.appealId)
  await emit(core, tx, { type: 'BRAND_APPEAL_COMPLETE', cspId: brand.cspId, brand })
}
