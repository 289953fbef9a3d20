/** Operations of an account on its numbers: list, route, forward, move, release. */
import { statusOfAccount } from '../accounts/account-status.js'
import { billedAccount } from '../accounts/billed-account.js'
import type { Clock } from '../platform/clock.js'
import type { Database, Reader, Writer } from '../platform/database/database.js'
import { applyInOrder } from '../platform/database/in-order.js'
import type { ExpressionBuilder, Tables } from '../platform/database/tables.js'
import { newSid } from '../platform/ids.js'
import type { Vault } from '../platform/secrets.js'
import { beginMonthlyCharges } from './did-charge.js'
import { type GatewayAddresses, routeNameOf } from './gateways.js'
import { holdNumber, releaseNumber, withdrawNumber } from './held-numbers.js'
import { type NumberOutcome, type NumberRefusal, refusal } from './number-refusal.js'
import {
  changeNumberSettings,
  findNumberWithSettings,
  type NumberSettingsChange,
  type NumberWithSettings,
  numbersWithSettings,
  toNumberWithSettings,
} from './number-settings.js'
import { setPortOutPin } from './port-out-pins.js'

export interface NumberFilter {
  /**
   * Digits that the displayed number contains: in North America its ten digits. After a plus sign, a prefix of
   * the number in E.164.
   */
  readonly digits?: string | undefined
  readonly route?: number | undefined
  /** Only numbers after this one, in E.164. */
  readonly after?: string | undefined
}

export interface ChangedNumber {
  readonly e164: string
  readonly change: NumberSettingsChange
}

export interface MovedNumber {
  readonly e164: string
  readonly route: number
  /** The receiving account; undefined: it does not exist. */
  readonly toSid: string | undefined
}

/**
 * Each change names several numbers and stores those that can be changed, in one transaction; the outcomes are
 * in the order of the request. A repeated number is refused.
 */
export interface AccountNumbers {
  /** Matching numbers of an account, in order; at most `limit`. */
  list(
    accountSid: string,
    filter: NumberFilter,
    limit: number,
  ): Promise<readonly NumberWithSettings[]>
  /** The account's number; undefined when the account does not hold it. */
  find(accountSid: string, e164: string): Promise<NumberWithSettings | undefined>
  /** Changes the settings of numbers. */
  change(accountSid: string, changes: readonly ChangedNumber[]): Promise<readonly NumberOutcome[]>
  /** Releases numbers of the account. Numbers that are being ported stay. */
  release(accountSid: string, e164s: readonly string[]): Promise<readonly NumberOutcome[]>
  /**
   * Moves numbers to other accounts with the same payer. The voice binding and every setting but the route are
   * cleared.
   */
  move(accountSid: string, moves: readonly MovedNumber[]): Promise<readonly NumberOutcome[]>
  /** Sets the PINs with which other carriers may port the numbers out. */
  setPins(
    accountSid: string,
    pins: readonly { readonly e164: string; readonly pin: string }[],
  ): Promise<readonly NumberOutcome[]>
  /** Name of a route: that of a system route, or the address of a gateway. */
  routeName(accountSid: string, route: number): Promise<string | undefined>
}

export interface AccountNumbersDeps {
  readonly db: Database
  readonly clock: Pick<Clock, 'now'>
  readonly vault: Pick<Vault, 'seal'>
  readonly gateways: GatewayAddresses
}

export function createAccountNumbers(deps: AccountNumbersDeps): AccountNumbers {
  const { db, clock, vault, gateways } = deps
  return {
    list: (accountSid, filter, limit) => listNumbers(db.read, accountSid, filter, limit),
    find: (accountSid, e164) => findOf(db.read, accountSid, e164),
    routeName: (accountSid, route) => routeNameOf(db.read, gateways, { accountSid, route }),
    change: async (accountSid, changes) => {
      const now = clock.now()
      return await db.write((tx) =>
        eachHeld(tx, accountSid, changes, async ({ number }, { change }) => {
          const refused = await refusalOf(tx, deps, { accountSid, e164: number.e164, change })
          if (refused === undefined) await changeNumberSettings(tx, number.sid, change, now)
          return refused
        }),
      )
    },
    release: async (accountSid, e164s) => {
      const now = clock.now()
      const items = e164s.map((e164) => ({ e164 }))
      return await db.write((tx) =>
        eachHeld(tx, accountSid, items, async ({ number, settings }) => {
          if (settings.porting !== undefined) return refusal('porting')
          await releaseNumber(tx, number, now)
          return undefined
        }),
      )
    },
    move: async (accountSid, moves) => {
      const now = clock.now()
      return await db.write((tx) =>
        eachHeld(tx, accountSid, moves, (held, move) => moveOne(tx, deps, { held, move, now })),
      )
    },
    setPins: async (accountSid, pins) => {
      const now = clock.now()
      return await db.write((tx) =>
        eachHeld(tx, accountSid, pins, async ({ number }, { pin }) => {
          await setPortOutPin(tx, vault, { numberSid: number.sid, pin }, now)
          return undefined
        }),
      )
    },
  }
}

async function listNumbers(
  read: Reader,
  accountSid: string,
  { digits, route, after }: NumberFilter,
  limit: number,
): Promise<readonly NumberWithSettings[]> {
  let query = numbersWithSettings(read, route).where('phone_numbers.accountSid', '=', accountSid)
  if (digits !== undefined) query = query.where((each) => hasDigits(each, digits))
  if (after !== undefined) query = query.where('phone_numbers.phoneNumber', '>', after)
  const rows = await query.orderBy('phone_numbers.phoneNumber').limit(limit).execute()
  return rows.map(toNumberWithSettings)
}

/** The country digit of North America is no part of what a number shows: `12` is not in 2025550111. */
function hasDigits(each: ExpressionBuilder<Tables, 'phone_numbers'>, digits: string) {
  const number = (operator: 'like' | 'not like' | '=', value: string) =>
    each('phone_numbers.phoneNumber', operator, value)
  if (digits.startsWith('+')) return number('like', `${digits}%`)
  const isAbroad = number('not like', '+1%')
  return each.or([
    number('like', `+1%${digits}%`),
    number('=', `+${digits}`),
    each.and([isAbroad, number('like', `%${digits}%`)]),
  ])
}

async function findOf(
  read: Reader,
  accountSid: string,
  e164: string,
): Promise<NumberWithSettings | undefined> {
  const found = await findNumberWithSettings(read, e164)
  return found?.number.accountSid === accountSid ? found : undefined
}

/** Applies a change to each held number once; a number has one outcome. */
async function eachHeld<Item extends { readonly e164: string }>(
  tx: Writer,
  accountSid: string,
  items: readonly Item[],
  apply: (held: NumberWithSettings, item: Item) => Promise<NumberRefusal | undefined>,
): Promise<readonly NumberOutcome[]> {
  const applied = async (item: Item): Promise<NumberRefusal | undefined> => {
    const held = await findOf(tx, accountSid, item.e164)
    return held === undefined ? refusal('not-held') : await apply(held, item)
  }
  const named = new Set<string>()
  const changes = await applyInOrder(
    items,
    ({ e164 }) => e164,
    async (item) => {
      if (named.has(item.e164)) return refusal('named-twice')
      named.add(item.e164)
      return await applied(item)
    },
  )
  return changes.map(({ item, result: refused }) => ({ e164: item.e164, refused }))
}

async function refusalOf(
  tx: Writer,
  { gateways }: AccountNumbersDeps,
  { accountSid, e164, change }: ChangedNumber & { readonly accountSid: string },
): Promise<NumberRefusal | undefined> {
  if (change.forwardTo === e164) return refusal('forward-to-itself')
  const { route } = change
  if (route === undefined) return undefined
  const name = await routeNameOf(tx, gateways, { accountSid, route })
  return name === undefined ? refusal('no-route') : undefined
}

interface Move {
  readonly held: NumberWithSettings
  readonly move: MovedNumber
  readonly now: number
}

async function moveOne(
  tx: Writer,
  { gateways }: AccountNumbersDeps,
  { held: { number, settings }, move: { route, toSid }, now }: Move,
): Promise<NumberRefusal | undefined> {
  if (settings.porting !== undefined) return refusal('porting')
  if (toSid === undefined || (await statusOfAccount(tx, toSid)) === 'closed')
    return refusal('no-account')
  // Only accounts with one payer may give numbers to each other.
  const payers = [await billedAccount(tx, number.accountSid), await billedAccount(tx, toSid)]
  if (payers[0] !== payers[1]) return refusal('no-account')
  if ((await routeNameOf(tx, gateways, { accountSid: toSid, route })) === undefined)
    return refusal('no-route')
  if (toSid === number.accountSid) {
    await changeNumberSettings(tx, number.sid, { route }, now)
    return undefined
  }
  await withdrawNumber(tx, number, now)
  const { e164, capabilities } = number
  const moved = { sid: newSid('PN'), accountSid: toSid, e164, capabilities }
  const held = await holdNumber(tx, moved, now)
  await changeNumberSettings(tx, held.sid, { route }, now)
  await beginMonthlyCharges(tx, { accountSid: toSid, numbers: [held], now })
  return undefined
}
