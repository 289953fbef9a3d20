/** The numbers that accounts hold, with what the voice API does with them. */
import { numbersWithRecord } from '../../emergency/emergency-records.js'
import type { Ledger } from '../../ledger/ledger.js'
import { chargeNewNumbers } from '../../numbers/did-charge.js'
import {
  allHeldNumbers,
  type Capabilities,
  fetchHeldNumber,
  findHeldNumber,
  type HeldFilter,
  type HeldNumber,
  hasReleased,
  holdNumber,
  listHeldNumbers,
  releaseNumber,
  releaseNumbersOf,
} from '../../numbers/held-numbers.js'
import { availableIn, findInInventory } from '../../numbers/inventory.js'
import {
  NumberNotAvailableError,
  NumberPortingError,
  NumberTakenError,
} from '../../numbers/number-errors.js'
import { portingNumbersOf, settingsOf } from '../../numbers/number-settings.js'
import { isPortedByAnother, type PortedNumbers } from '../../numbers/ported-numbers.js'
import type { Clock } from '../../platform/clock.js'
import { readOnce } from '../../platform/database/compiled-once.js'
import type { Database, Reader, Writer } from '../../platform/database/database.js'
import type { Page, PageRequest } from '../../platform/database/newest-first.js'
import type { Selectable } from '../../platform/database/tables.js'
import { newSid } from '../../platform/ids.js'
import { ApplicationNotAccessibleError } from './application-errors.js'
import { type Application, findApplication } from './applications.js'
import {
  type Binding,
  type BindingChange,
  changedBinding,
  NO_BINDING,
  toBinding,
  toBindingRow,
} from './binding.js'
import type { NumberBindingsTable } from './tables.js'

/** A number of an account, and the settings of the voice API for it. */
export interface BoundNumber {
  readonly number: HeldNumber
  readonly binding: Binding
  /** The time of the newest change of either. */
  readonly updatedAt: number
}

/** A bound number, and the application that answers its calls, if it names one. */
export interface CalledNumber extends BoundNumber {
  readonly application: Application | undefined
}

/** A number that is claimed by itself, or any one of an area code. */
export type ClaimedNumber = { readonly e164: string } | { readonly areaCode: string }

export interface NumberBindings {
  /**
   * Gives the number to the account and binds it. A number that the account holds already is bound
   * anew: only the fields of the change differ then. Rejects with NumberTakenError, and with
   * NumberNotAvailableError for a number that accounts may not claim. A number that the account gets
   * is charged its first month as in an order, and begins its monthly charge; rejects with
   * InsufficientBalanceError when the balance does not cover that.
   */
  claim(
    accountSid: string,
    wanted: ClaimedNumber,
    change: BindingChange,
    ledger: Pick<Ledger, 'post'>,
  ): Promise<BoundNumber>
  /** Gives a number to the account and binds it, whether or not accounts may claim it. */
  assign(accountSid: string, e164: string, change: BindingChange): Promise<BoundNumber>
  /** Resolves with the account's number; rejects with NumberNotFoundError. */
  fetch(accountSid: string, sid: string): Promise<BoundNumber>
  /** The numbers of an account, newest first. */
  list(accountSid: string, filter: HeldFilter, page: PageRequest): Promise<Page<BoundNumber>>
  /** Changes the fields of the change. Rejects with NumberNotFoundError. */
  update(accountSid: string, sid: string, change: BindingChange): Promise<BoundNumber>
  /**
   * Takes the number from its account. Does nothing when the account has given it back already.
   * Rejects with NumberNotFoundError when it never held it, and with NumberPortingError while the
   * number is porting.
   */
  release(accountSid: string, sid: string): Promise<void>
  /** Resolves with the number as it is bound at this moment; undefined when nobody holds it. */
  called(e164: string): Promise<CalledNumber | undefined>
  /** The sids among these whose numbers have an emergency address. */
  withEmergencyAddress(numberSids: readonly string[]): Promise<ReadonlySet<string>>
  /** Every number that an account holds, in the order of the numbers. */
  all(): Promise<readonly BoundNumber[]>
  /** Takes all numbers of an account. */
  releaseAllOf(accountSid: string): Promise<void>
  /**
   * Takes the number from whoever holds it; resolves with false when nobody does. Rejects with
   * NumberPortingError while the number is porting.
   */
  take(e164: string): Promise<boolean>
}

/** The number of rows that one query names. */
const READ_AT_ONCE = 500

export interface BindingDeps extends ClaimRules {
  readonly db: Database
  readonly clock: Clock
}

/** The capabilities of a number of which nothing else is known. */
const VOICE_ONLY: Capabilities = { voice: true, sms: false, mms: false, fax: false }

/** The numbers of an area code that are tried, one after another. */
const AREA_CODE_TRIES = 10

interface ClaimRules {
  /** The numbers that accounts may claim: any that nobody holds, or those of the inventory alone. */
  readonly claims: 'any' | 'inventory'
  /** Nobody else may claim a number than the account that brings it in from another carrier. */
  readonly ported: PortedNumbers
}

interface Claim {
  readonly sid: string
  readonly accountSid: string
  readonly now: number
}

export function createNumberBindings(deps: BindingDeps): NumberBindings {
  const { db, clock } = deps
  return {
    claim: (accountSid, wanted, change, ledger) => {
      const claim = { sid: newSid('PN'), accountSid, now: clock.now() }
      return db.write(async (tx) => {
        const held =
          'areaCode' in wanted
            ? await holdAnyOf(tx, claim, wanted.areaCode, deps)
            : await claimOne(tx, claim, wanted.e164, deps)
        if (held.sid === claim.sid) await chargeClaim(tx, ledger, held, claim.now)
        return await bind(tx, held, change, claim.now)
      })
    },
    fetch: async (accountSid, sid) =>
      bound(db.read, await fetchHeldNumber(db.read, accountSid, sid)),
    list: async (accountSid, filter, request) => {
      const page = await listHeldNumbers(db.read, accountSid, filter, request)
      return { ...page, items: await withBindings(db.read, page.items) }
    },
    update: (accountSid, sid, change) => {
      const now = clock.now()
      return db.write(async (tx) =>
        bind(tx, await fetchHeldNumber(tx, accountSid, sid), change, now),
      )
    },
    release: async (accountSid, sid) => {
      const now = clock.now()
      await db.write(async (tx) => {
        if (await hasReleased(tx, accountSid, sid)) return
        const number = await fetchHeldNumber(tx, accountSid, sid)
        await refusePorting(tx, number)
        await releaseNumber(tx, number, now)
      })
    },
    called: async (e164) => {
      const number = await findHeldNumber(db.read, e164)
      return number && withApplication(db.read, await bound(db.read, number))
    },
    withEmergencyAddress: (numberSids) => numbersWithRecord(db.read, numberSids),
    ...forOperator(deps),
  }
}

function forOperator({
  db,
  clock,
}: BindingDeps): Pick<NumberBindings, 'assign' | 'all' | 'releaseAllOf' | 'take'> {
  return {
    assign: (accountSid, e164, change) => {
      const claim = { sid: newSid('PN'), accountSid, now: clock.now() }
      return db.write(async (tx) =>
        bind(tx, await holdOne(tx, claim, e164, 'any'), change, claim.now),
      )
    },
    all: async () => await withBindings(db.read, await allHeldNumbers(db.read)),
    releaseAllOf: async (accountSid) => {
      const now = clock.now()
      await db.write(async (tx) => {
        const [porting] = await portingNumbersOf(tx, accountSid)
        if (porting !== undefined) throw new NumberPortingError(`${porting} is porting`)
        await releaseNumbersOf(tx, accountSid, now)
      })
    },
    take: async (e164) => {
      const now = clock.now()
      return await db.write(async (tx) => {
        const number = await findHeldNumber(tx, e164)
        if (number === undefined) return false
        await refusePorting(tx, number)
        await releaseNumber(tx, number, now)
        return true
      })
    },
  }
}

/** Gives an account a number that it claims. Throws NumberTakenError and NumberNotAvailableError. */
async function claimOne(
  tx: Writer,
  claim: Claim,
  e164: string,
  { claims, ported }: ClaimRules,
): Promise<HeldNumber> {
  if (await isPortedByAnother(tx, ported, { accountSid: claim.accountSid, e164 }))
    throw new NumberTakenError(`${e164} is not available`)
  return await holdOne(tx, claim, e164, claims)
}

/** Gives an account a number, whoever may be about to get it. */
async function holdOne(
  tx: Writer,
  { sid, accountSid, now }: Claim,
  e164: string,
  claims: ClaimRules['claims'],
): Promise<HeldNumber> {
  const stocked = await findInInventory(tx, e164)
  const capabilities = stocked?.capabilities ?? VOICE_ONLY
  if (stocked === undefined && claims === 'inventory') {
    const held = await findHeldNumber(tx, e164)
    // Whoever holds it already may bind it anew.
    if (held === undefined) throw new NumberNotAvailableError(21422, `${e164} is not available`)
  }
  return await holdNumber(tx, { sid, accountSid, e164, capabilities }, now)
}

/** Gives an account any number of an area code. Throws NumberNotAvailableError. */
async function holdAnyOf(
  tx: Writer,
  { sid, accountSid, now }: Claim,
  areaCode: string,
  { ported }: Pick<ClaimRules, 'ported'>,
): Promise<HeldNumber> {
  const free = await availableIn(tx, ported, areaCode, AREA_CODE_TRIES)
  for (const { e164, capabilities } of free) {
    try {
      return await holdNumber(tx, { sid, accountSid, e164, capabilities }, now)
    } catch (error) {
      // Another account has just claimed it.
      if (!(error instanceof NumberTakenError)) throw error
    }
  }
  throw new NumberNotAvailableError(21452, `No number of the area code ${areaCode} is available`)
}

/** Charges the first month of a number that an account has just got. */
async function chargeClaim(
  tx: Writer,
  ledger: Pick<Ledger, 'post'>,
  number: HeldNumber,
  now: number,
): Promise<void> {
  const { accountSid, sid, e164 } = number
  const description = `Number ${e164}`
  await chargeNewNumbers(tx, ledger, {
    accountSid,
    numbers: [number],
    orderId: sid,
    description,
    now,
  })
}

/** Throws while the number is on its way to or from another carrier. */
async function refusePorting(tx: Writer, { sid, e164 }: HeldNumber): Promise<void> {
  if ((await settingsOf(tx, sid)).porting !== undefined)
    throw new NumberPortingError(`${e164} is porting`)
}

async function bind(
  tx: Writer,
  number: HeldNumber,
  change: BindingChange,
  now: number,
): Promise<BoundNumber> {
  const { binding: current } = await bound(tx, number)
  const binding = changedBinding(
    current,
    await withKnownApplications(tx, number.accountSid, change),
  )
  const row = toBindingRow(number, binding, now)
  const { numberSid: _sid, ...changed } = row
  await tx
    .insertInto('number_bindings')
    .values(row)
    .onConflict((conflict) => conflict.column('numberSid').doUpdateSet(changed))
    .execute()
  return { number, binding, updatedAt: now }
}

/**
 * The change with the sids of applications as they are stored. Throws
 * ApplicationNotAccessibleError for one that is not the account's.
 */
async function withKnownApplications(
  tx: Writer,
  accountSid: string,
  change: BindingChange,
): Promise<BindingChange> {
  const known: Record<string, string> = {}
  for (const name of ['voiceApplicationSid', 'smsApplicationSid'] as const) {
    const sid = change[name]
    if (sid === undefined) continue
    const application = await findApplication(tx, accountSid, sid)
    if (application === undefined)
      throw new ApplicationNotAccessibleError(`ApplicationSid ${sid} is not accessible`)
    known[name] = application.sid
  }
  return { ...change, ...known }
}

async function bound(read: Reader, number: HeldNumber): Promise<BoundNumber> {
  const [one] = await withBindings(read, [number])
  return one ?? { number, binding: NO_BINDING, updatedAt: number.updatedAt }
}

async function withBindings(
  read: Reader,
  numbers: readonly HeldNumber[],
): Promise<readonly BoundNumber[]> {
  const found: BoundNumber[] = []
  for (let from = 0; from < numbers.length; from += READ_AT_ONCE)
    found.push(...(await readBindings(read, numbers.slice(from, from + READ_AT_ONCE))))
  return found
}

async function readBindings(
  read: Reader,
  numbers: readonly HeldNumber[],
): Promise<readonly BoundNumber[]> {
  const rows = await readRows(read, numbers)
  const bySid = new Map(rows.map((row) => [row.numberSid, row]))
  return numbers.map((number) => {
    const row = bySid.get(number.sid)
    const updatedAt = Math.max(number.updatedAt, row?.updatedAt ?? 0)
    return { number, binding: row === undefined ? NO_BINDING : toBinding(row), updatedAt }
  })
}

async function readRows(
  read: Reader,
  numbers: readonly HeldNumber[],
): Promise<readonly Selectable<NumberBindingsTable>[]> {
  const [first, ...others] = numbers.map(({ sid }) => sid)
  // As each call does.
  if (first !== undefined && others.length === 0) return await readRow(read, { sid: first })
  return await read
    .selectFrom('number_bindings')
    .selectAll()
    .where(
      'numberSid',
      'in',
      numbers.map(({ sid }) => sid),
    )
    .execute()
}

const readRow = readOnce<Readonly<Record<'sid', string>>, Selectable<NumberBindingsTable>>(
  ['sid'],
  (db, { sid }) => db.selectFrom('number_bindings').selectAll().where('numberSid', '=', sid),
)

async function withApplication(read: Reader, called: BoundNumber): Promise<CalledNumber> {
  const { voiceApplicationSid: sid } = called.binding
  const application =
    sid === undefined ? undefined : await findApplication(read, called.number.accountSid, sid)
  return { ...called, application }
}
