import type { Reader, Writer } from '../../platform/database/database.js'
import type { Core } from '../model/core.js'

/**
 * Charges a fee to the CSP, in 1/10,000 dollar, in the transaction of the change that it pays for.
 * Mock entities cost nothing.
 */
export async function charge(
  core: Core,
  tx: Writer,
  fee: {
    readonly cspId: string
    readonly kind: string
    readonly subject: string
    readonly amount: number
    readonly isMock: boolean
  },
): Promise<void> {
  if (fee.isMock || fee.amount === 0) return
  await tx
    .insertInto('registry_charges')
    .values({
      csp_id: fee.cspId,
      kind: fee.kind,
      subject: fee.subject,
      amount: fee.amount,
      at: core.clock.now(),
    })
    .execute()
}

export interface Charge {
  readonly kind: string
  readonly subject: string
  readonly amount: number
  readonly at: number
}

/** The newest charges of a CSP, at most `limit`, newest first. */
export function newestCharges(db: Reader, cspId: string, limit: number): Promise<Charge[]> {
  return db
    .selectFrom('registry_charges')
    .select(['kind', 'subject', 'amount', 'at'])
    .where('csp_id', '=', cspId)
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()
}
