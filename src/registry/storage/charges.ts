import { newestOfCause } from '../../ledger/list-entries.js'
import type { Reader, Writer } from '../../platform/database/database.js'
import type { Core } from '../model/core.js'
import { findCsp } from './csps.js'

export interface Fee {
  readonly cspId: string
  readonly kind: string
  readonly subject: string
  /** Unique name of the charged occasion within the kind; a repeated one is not charged. */
  readonly occasion: string
  readonly amount: number
  readonly isMock: boolean
}

/**
 * Charges a fee to the CSP's account, in 1/10,000 dollar, in the transaction of the paid change.
 * Mock entities are free.
 */
export async function charge(core: Core, tx: Writer, fee: Fee): Promise<void> {
  if (fee.isMock || fee.amount === 0) return
  const { kind, subject } = fee
  const csp = await findCsp(tx, fee.cspId)
  if (csp === undefined) return
  await core.ledger.post(tx, {
    key: `registry:${kind}:${fee.occasion}`,
    accountSid: csp.accountSid,
    cause: 'campaign',
    kind,
    reference: subject,
    amount: -fee.amount,
    description: `10DLC registry: ${kind} ${subject}`,
    at: core.clock.now(),
  })
}

export interface Charge {
  readonly kind: string
  readonly subject: string
  readonly amount: number
  readonly at: number
}

/** Lists the CSP's newest charges, at most `limit`, newest first. */
export async function newestCharges(db: Reader, cspId: string, limit: number): Promise<Charge[]> {
  const csp = await findCsp(db, cspId)
  if (csp === undefined) return []
  const entries = await newestOfCause(db, csp.accountSid, 'campaign', limit)
  return entries.map(({ kind, reference, amount, at }) => ({
    kind,
    subject: reference,
    amount: -amount,
    at,
  }))
}
