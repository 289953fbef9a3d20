/** Ends the appeals and vettings that nobody decides any more. */
import type { Writer } from '../../../platform/database/database.js'
import { emit } from '../../events/emit.js'
import { emitReport } from '../../events/emit-report.js'
import { cancelJobs } from '../../jobs/jobs.js'
import type { Core } from '../../model/core.js'
import type { Brand } from '../../storage/brands.js'
import {
  type Appeal,
  listAppeals,
  listVettings,
  saveAppeal,
  saveVetting,
} from '../../storage/vettings.js'

/** Ends the appeals against the scoring of facts that the brand does not have any more. */
export async function endScoringAppeals(core: Core, tx: Writer, brand: Brand): Promise<void> {
  for (const appeal of await listAppeals(tx, brand.brandId))
    if (appeal.vettingId === undefined)
      await end(core, tx, brand, { appeal, why: 'the brand has changed: it needs a re-vet' })
}

/** Ends the pending appeals and vettings of a brand that is deleted. */
export async function endChecks(core: Core, tx: Writer, brand: Brand): Promise<void> {
  const why = 'the brand was deleted'
  for (const appeal of await listAppeals(tx, brand.brandId))
    await end(core, tx, brand, { appeal, why })
  for (const vetting of await listVettings(tx, brand.brandId)) {
    if (vetting.status !== 'PENDING') continue
    await saveVetting(tx, { ...vetting, status: 'FAILED', reasons: [why] })
    await cancelJobs(tx, 'score-vetting', vetting.vettingId)
    await emitReport(core, tx, 'EVP_REPORT_FAIL', brand, vetting)
  }
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
