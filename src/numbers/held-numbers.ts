/** Numbers of accounts: one row per number, held by one account. */
import { refuseClosedAccount } from '../accounts/account-status.js'
import { billedAccount } from '../accounts/billed-account.js'
import { endChargesFor } from '../ledger/recurring-charges.js'
import { readOnce } from '../platform/database/compiled-once.js'
import type { Reader, Writer } from '../platform/database/database.js'
import { listNewestFirst, type Page, type PageRequest } from '../platform/database/newest-first.js'
import type { Selectable } from '../platform/database/tables.js'
import { parseSid } from '../platform/ids.js'
import { leaveCampaign, leaveCampaignOfOthers } from '../registry/leave-campaign.js'
import { NumberNotFoundError, NumberTakenError } from './number-errors.js'
import { kindOf, type NumberKind } from './number-kind.js'
import { forgetPurchase, giveBackPurchase } from './number-purchases.js'
import type { PhoneNumbersTable } from './tables.js'

export interface Capabilities {
  readonly voice: boolean
  readonly sms: boolean
  readonly mms: boolean
  readonly fax: boolean
}

export interface HeldNumber {
  readonly sid: string
  readonly accountSid: string
  readonly e164: string
  readonly kind: NumberKind
  readonly capabilities: Capabilities
  readonly createdAt: number
  readonly updatedAt: number
}

export interface HeldFilter {
  readonly e164?: string | undefined
  readonly kind?: NumberKind | undefined
}

/** Time for which a released number's sid is known to its former account, ms. */
const RELEASES_KEPT_MS = 365 * 86_400_000

/** A softphone of an account that wants to send. */
interface WantedSender {
  readonly accountSid: string
  /** User of the softphone. */
  readonly username: string | undefined
  /** Numbers that it names, the preferred one first. */
  readonly named: readonly (string | undefined)[]
}

/**
 * Assigns the number to the account; a number that it already holds keeps its sid. Throws NumberTakenError when
 * another account holds it, and AccountClosedError.
 */
export async function holdNumber(
  tx: Writer,
  wanted: Pick<HeldNumber, 'sid' | 'accountSid' | 'e164' | 'capabilities'>,
  now: number,
): Promise<HeldNumber> {
  const { accountSid, e164 } = wanted
  await refuseClosedAccount(tx, accountSid)
  const number: HeldNumber = { ...wanted, kind: kindOf(e164), createdAt: now, updatedAt: now }
  const inserted = await tx
    .insertInto('phone_numbers')
    .values(toRow(number))
    .onConflict((conflict) => conflict.column('phoneNumber').doNothing())
    .executeTakeFirst()
  if ((inserted.numInsertedOrUpdatedRows ?? 0n) > 0n) {
    // The operator puts free numbers under campaigns too.
    await leaveCampaignOfOthers(tx, e164, [accountSid, await billedAccount(tx, accountSid)])
    return number
  }
  const held = await findHeldNumber(tx, e164)
  if (held?.accountSid === accountSid) return held
  throw new NumberTakenError(`${e164} is not available`)
}

/** Updates the capabilities of a held number. */
export async function changeCapabilities(
  tx: Writer,
  number: HeldNumber,
  capabilities: Capabilities,
  now: number,
): Promise<void> {
  const { canVoice, canSms, canMms, canFax } = toRow({ ...number, capabilities })
  await tx
    .updateTable('phone_numbers')
    .set({ canVoice, canSms, canMms, canFax, updatedAt: now })
    .where('sid', '=', number.sid)
    .execute()
}

export async function findHeldNumber(read: Reader, e164: string): Promise<HeldNumber | undefined> {
  const [row] = await readByNumber(read, { e164 })
  return row && toHeldNumber(row)
}

const readByNumber = readOnce<Readonly<Record<'e164', string>>, Selectable<PhoneNumbersTable>>(
  ['e164'],
  (db, { e164 }) => db.selectFrom('phone_numbers').selectAll().where('phoneNumber', '=', e164),
)

/** Resolves with the account's number of that sid; rejects with NumberNotFoundError. */
export async function fetchHeldNumber(
  read: Reader,
  accountSid: string,
  sid: string,
): Promise<HeldNumber> {
  const row = await read
    .selectFrom('phone_numbers')
    .selectAll()
    .where('sid', '=', parseSid('PN', sid) ?? '')
    .where('accountSid', '=', accountSid)
    .executeTakeFirst()
  if (row === undefined) throw new NumberNotFoundError(`there is no number ${sid}`)
  return toHeldNumber(row)
}

/** The numbers of an account, newest first. */
export async function listHeldNumbers(
  read: Reader,
  accountSid: string,
  { e164, kind }: HeldFilter,
  request: PageRequest,
): Promise<Page<HeldNumber>> {
  let matching = read.selectFrom('phone_numbers').selectAll().where('accountSid', '=', accountSid)
  if (e164 !== undefined) matching = matching.where('phoneNumber', '=', e164)
  if (kind !== undefined) matching = matching.where('kind', '=', kind)
  const page = await listNewestFirst({ read, matching }, request)
  return { ...page, items: page.items.map(toHeldNumber) }
}

/** Lists every held number, ordered by number. */
export async function allHeldNumbers(read: Reader): Promise<readonly HeldNumber[]> {
  const rows = await read.selectFrom('phone_numbers').selectAll().orderBy('phoneNumber').execute()
  return rows.map(toHeldNumber)
}

/** Withdraws a number and returns it to the provider that sold it. */
export async function releaseNumber(tx: Writer, number: HeldNumber, now: number): Promise<void> {
  if (!(await withdrawNumber(tx, number, now))) return
  await giveBackPurchase(tx, number.e164, now)
}

/** Withdraws a number that is ported out: it returns neither to the inventory nor to the provider. */
export async function handOverNumber(tx: Writer, number: HeldNumber, now: number): Promise<void> {
  if (!(await withdrawNumber(tx, number, now))) return
  await forgetPurchase(tx, number.e164)
  await tx.deleteFrom('phone_number_inventory').where('phoneNumber', '=', number.e164).execute()
}

/**
 * Removes a number from its account with everything that features store for it; its monthly charge ends, and it
 * leaves its campaign. False when the account no longer holds it.
 */
export async function withdrawNumber(
  tx: Writer,
  { sid, accountSid, e164 }: HeldNumber,
  now: number,
): Promise<boolean> {
  const deleted = await tx.deleteFrom('phone_numbers').where('sid', '=', sid).executeTakeFirst()
  if (deleted.numDeletedRows === 0n) return false
  await endChargesFor(tx, sid, now)
  await leaveCampaign(tx, e164)
  await tx
    .insertInto('phone_number_releases')
    .values({ sid, accountSid, phoneNumber: e164, releasedAt: now })
    .execute()
  await tx
    .deleteFrom('phone_number_releases')
    .where('releasedAt', '<', now - RELEASES_KEPT_MS)
    .execute()
  return true
}

/** Releases all numbers of an account. */
export async function releaseNumbersOf(tx: Writer, accountSid: string, now: number): Promise<void> {
  const rows = await tx
    .selectFrom('phone_numbers')
    .selectAll()
    .where('accountSid', '=', accountSid)
    .execute()
  for (const row of rows) await releaseNumber(tx, toHeldNumber(row), now)
}

/** True when the account has released the number with this sid. */
export async function hasReleased(read: Reader, accountSid: string, sid: string): Promise<boolean> {
  const row = await read
    .selectFrom('phone_number_releases')
    .select('sid')
    .where('sid', '=', parseSid('PN', sid) ?? '')
    .where('accountSid', '=', accountSid)
    .executeTakeFirst()
  return row !== undefined
}

function toRow(number: HeldNumber): Selectable<PhoneNumbersTable> {
  const { e164: phoneNumber, capabilities, ...plain } = number
  return { ...plain, phoneNumber, ...capabilityColumns(capabilities) }
}

/** Converts a row to a held number. */
export function toHeldNumber(row: Selectable<PhoneNumbersTable>): HeldNumber {
  const { sid, accountSid, phoneNumber: e164, kind, createdAt, updatedAt } = row
  return { sid, accountSid, e164, kind, capabilities: capabilitiesOf(row), createdAt, updatedAt }
}

interface CapabilityColumns {
  readonly canVoice: number
  readonly canSms: number
  readonly canMms: number
  readonly canFax: number
}

export function capabilitiesOf(row: CapabilityColumns): Capabilities {
  return {
    voice: row.canVoice === 1,
    sms: row.canSms === 1,
    mms: row.canMms === 1,
    fax: row.canFax === 1,
  }
}

export function capabilityColumns({ voice, sms, mms, fax }: Capabilities): CapabilityColumns {
  return {
    canVoice: Number(voice),
    canSms: Number(sms),
    canMms: Number(mms),
    canFax: Number(fax),
  }
}

/** True when the account, or one of its sub-accounts, holds the number, or nobody here does. */
export async function isFreeOrTheirs(
  read: Reader,
  accountSid: string | undefined,
  e164: string,
): Promise<boolean> {
  const holder = (await findHeldNumber(read, e164))?.accountSid
  return (
    holder === undefined ||
    holder === accountSid ||
    (await billedAccount(read, holder)) === accountSid
  )
}

/**
 * Returns the number that a softphone sends from: one that it names and the account holds, the one routed to
 * its user, or the account's only one. Undefined when there is none.
 */
export async function senderNumber(
  read: Reader,
  { accountSid, username, named }: WantedSender,
): Promise<string | undefined> {
  for (const e164 of named) {
    const held = e164 === undefined ? undefined : await findHeldNumber(read, e164)
    if (held?.accountSid === accountSid) return held.e164
  }
  const own = read
    .selectFrom('phone_numbers')
    .leftJoin('number_settings', 'number_settings.numberSid', 'phone_numbers.sid')
    .select('phoneNumber')
    .where('phone_numbers.accountSid', '=', accountSid)
    .orderBy('phoneNumber')
  if (username !== undefined) {
    const routed = await own.where('routeUser', '=', username).limit(1).executeTakeFirst()
    if (routed !== undefined) return routed.phoneNumber
  }
  const [only, another] = await own.limit(2).execute()
  return another === undefined ? only?.phoneNumber : undefined
}
