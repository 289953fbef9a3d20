/** The numbers of accounts, with their voice settings. */
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

/** A number of an account with its voice settings. */
export interface BoundNumber {
  readonly number: HeldNumber
  readonly binding: Binding
  /** The later of the number's and the settings' last changes, epoch milliseconds. */
  readonly updatedAt: number
}

/** A number with its voice settings and the application that answers its calls, if any. */
export interface CalledNumber extends BoundNumber {
  readonly application: Application | undefined
}

/** One given number, or any number of an area code. */
export type ClaimedNumber = { readonly e164: string } | { readonly areaCode: string }

export interface NumberBindings {
  /**
   * Assigns a number to the account and stores its settings. A number that the account has already
   * only gets the changed fields. Rejects with NumberTakenError, and with NumberNotAvailableError
   * for a number that accounts may not claim. A new number is charged its first month, as in an
   * order, and starts its monthly charge; rejects with InsufficientBalanceError when the balance is
   * too low.
   */
  claim(
    accountSid: string,
    wanted: ClaimedNumber,
    change: BindingChange,
    ledger: Pick<Ledger, 'post'>,
  ): Promise<BoundNumber>
  /** Assigns a number to the account, whether or not accounts may claim it. */
  assign(accountSid: string, e164: string, change: BindingChange): Promise<BoundNumber>
  /** Resolves with the account's number; rejects with NumberNotFoundError. */
  fetch(accountSid: string, sid: string): Promise<BoundNumber>
  /** Lists the account's numbers, newest first. */
  list(accountSid: string, filter: HeldFilter, page: PageRequest): Promise<Page<BoundNumber>>
  /** Changes the given fields. Rejects with NumberNotFoundError. */
  update(accountSid: string, sid: string, change: BindingChange): Promise<BoundNumber>
  /**
   * Releases the number. Does nothing when the account has released it before. Rejects with
   * NumberNotFoundError when the account never had it, and with NumberPortingError during a port.
   */
  release(accountSid: string, sid: string): Promise<void>
  /** Resolves with the number's current settings; undefined when no account has it. */
  called(e164: string): Promise<CalledNumber | undefined>
  /** Returns those of the sids whose numbers have an emergency address. */
  withEmergencyAddress(numberSids: readonly string[]): Promise<ReadonlySet<string>>
  /** Lists the assigned numbers of all accounts, sorted by number. */
  all(): Promise<readonly BoundNumber[]>
  /** Releases all numbers of an account. */
  releaseAllOf(accountSid: string): Promise<void>
  /**
   * Releases the number from any account; resolves with false when no account has it. Rejects with
   * NumberPortingError during a port.
   */
  take(e164: string): Promise<boolean>
}

/** Maximum number of rows per query. */
const READ_AT_ONCE = 500

export interface BindingDeps extends ClaimRules {
  readonly db: Database
  readonly clock: Clock
}

/** Capabilities of a number that the inventory does not contain. */
const VOICE_ONLY: Capabilities = { voice: true, sms: false, mms: false, fax: false }

/** Maximum number of candidates tried in an area code. */
const AREA_CODE_TRIES = 10

interface ClaimRules {
  /** Numbers that accounts may claim: any free number, or only those of the inventory. */
  readonly claims: 'any' | 'inventory'
  /** Numbers being ported in; only the account that ports a number may claim it. */
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

/** Assigns a claimed number to an account. Throws NumberTakenError and NumberNotAvailableError. */
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

/** Assigns a number to an account, even if it is reserved. */
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
    // An account that has the number may still change its settings.
    if (held === undefined) throw new NumberNotAvailableError(21422, `${e164} is not available`)
  }
  return await holdNumber(tx, { sid, accountSid, e164, capabilities }, now)
}

/** Assigns any free number of an area code. Throws NumberNotAvailableError. */
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
      // Another account claimed it first.
      if (!(error instanceof NumberTakenError)) throw error
    }
  }
  throw new NumberNotAvailableError(21452, `No number of the area code ${areaCode} is available`)
}

/** Charges the first month of a newly assigned number. */
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

/** Throws while the number is being ported in or out. */
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
 * Replaces application sids in a change by their stored form. Throws ApplicationNotAccessibleError
 * for an application of another account.
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
  // The usual case: the one number of a call.
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
