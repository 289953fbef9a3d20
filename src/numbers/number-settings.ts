/** What the numbering API sets on numbers that accounts hold; calls to and from them obey it. */
import { readOnce } from '../platform/database/compiled-once.js'
import type { Reader, Writer } from '../platform/database/database.js'
import type { Selectable } from '../platform/database/tables.js'
import { type HeldNumber, toHeldNumber } from './held-numbers.js'
import type { NumberSettingsTable } from './settings-tables.js'
import { SYSTEM_ROUTES } from './system-routes.js'

export interface NumberSettings {
  /** Where calls to the number go: the id of a system route, or of a gateway of the account. */
  readonly route: number
  /** The registered user of the route USER; undefined: whoever of the account is registered. */
  readonly user: string | undefined
  /** The number in E.164 that calls are forwarded to, before any route; undefined: none. */
  readonly forwardTo: string | undefined
  /** The digits that the destination is given in place of the called number (DNIS). */
  readonly translation: string | undefined
  /** True: the name of the caller is looked up when the number is called. */
  readonly looksUpCallerName: boolean
  /** The name that calls from the number show (LIDB), at most 15 characters. */
  readonly callerName: string | undefined
  readonly isFaxEnabled: boolean
  /** `in`: on its way to this account; `out`: on its way to another carrier. */
  readonly porting: 'in' | 'out' | undefined
}

/** A change of settings: an absent field stays as it is, and null clears it. */
export interface NumberSettingsChange {
  readonly route?: number
  readonly user?: string | null
  readonly forwardTo?: string | null
  readonly translation?: string | null
  readonly looksUpCallerName?: boolean
  readonly callerName?: string | null
  readonly isFaxEnabled?: boolean
  readonly porting?: 'in' | 'out' | null
}

/** A held number, and what the numbering API has set on it. */
export interface NumberWithSettings {
  readonly number: HeldNumber
  readonly settings: NumberSettings
}

/**
 * The settings of a number on which nothing was set: it goes to its voice application, as a number
 * does that the voice API has claimed. An order sets its own route, by default DID.
 */
export const DEFAULT_SETTINGS: NumberSettings = {
  route: SYSTEM_ROUTES.VOICE_BRIDGE,
  user: undefined,
  forwardTo: undefined,
  translation: undefined,
  looksUpCallerName: false,
  callerName: undefined,
  isFaxEnabled: false,
  porting: undefined,
}

interface HeldBy {
  readonly accountSid: string
  readonly e164: string
}

const readName = readOnce<
  HeldBy & Readonly<Record<string, unknown>>,
  { readonly callerName: string | null }
>(['accountSid', 'e164'], (db, { accountSid, e164 }) =>
  db
    .selectFrom('phone_numbers')
    .innerJoin('number_settings', 'number_settings.numberSid', 'phone_numbers.sid')
    .select('callerName')
    .where('phoneNumber', '=', e164)
    .where('phone_numbers.accountSid', '=', accountSid),
)

/** The number with its settings at this moment; undefined when no account holds it. */
export async function findNumberWithSettings(
  read: Reader,
  e164: string,
): Promise<NumberWithSettings | undefined> {
  const row = await numbersWithSettings(read)
    .where('phone_numbers.phoneNumber', '=', e164)
    .executeTakeFirst()
  return row && toNumberWithSettings(row)
}

/** The settings of a held number, by its sid. */
export async function settingsOf(read: Reader, numberSid: string): Promise<NumberSettings> {
  const [row] = await readSettings(read, { numberSid })
  return row === undefined ? DEFAULT_SETTINGS : toSettings(row)
}

const readSettings = readOnce<
  Readonly<Record<'numberSid', string>>,
  Selectable<NumberSettingsTable>
>(['numberSid'], (db, { numberSid }) =>
  db.selectFrom('number_settings').selectAll().where('numberSid', '=', numberSid),
)

/**
 * Changes the settings of a held number, by its sid, and resolves with all of them. It checks
 * neither that a route exists nor that it is the account's.
 */
export async function changeNumberSettings(
  tx: Writer,
  numberSid: string,
  change: NumberSettingsChange,
  now: number,
): Promise<NumberSettings> {
  const changed = toColumns(change)
  const row = await tx
    .insertInto('number_settings')
    .values({ ...defaultRow(numberSid), ...changed, updatedAt: now })
    .onConflict((known) => known.column('numberSid').doUpdateSet({ ...changed, updatedAt: now }))
    .returningAll()
    .executeTakeFirstOrThrow()
  return toSettings(row)
}

/** The numbers of an account that go to a route, in their order. */
export async function numbersOnRoute(
  read: Reader,
  accountSid: string,
  route: number,
): Promise<readonly NumberWithSettings[]> {
  const rows = await numbersWithSettings(read, route)
    .where('phone_numbers.accountSid', '=', accountSid)
    .orderBy('phone_numbers.phoneNumber')
    .execute()
  return rows.map(toNumberWithSettings)
}

/**
 * True while a number of the account goes to the gateway. In the transaction that removes a gateway
 * it keeps a number from being routed there at the same moment.
 */
export async function hasNumbersOnGateway(
  read: Reader,
  accountSid: string,
  gatewayId: number,
): Promise<boolean> {
  const row = await read
    .selectFrom('number_settings as settings')
    .innerJoin('phone_numbers', 'phone_numbers.sid', 'settings.numberSid')
    .select('settings.numberSid')
    .where('settings.route', '=', gatewayId)
    .where('phone_numbers.accountSid', '=', accountSid)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

/**
 * Numbers joined with their settings, all of them or those of one route. The columns of the settings
 * are null for a number without a row.
 */
export function numbersWithSettings(read: Reader, route?: number) {
  const joined = read
    .selectFrom('phone_numbers')
    .leftJoin('number_settings as settings', 'settings.numberSid', 'phone_numbers.sid')
    .selectAll('phone_numbers')
    .select([
      'settings.route',
      'settings.routeUser',
      'settings.forwardTo',
      'settings.translation',
      'settings.looksUpCallerName',
      'settings.callerName',
      'settings.faxEnabled',
      'settings.porting',
    ])
  if (route === undefined) return joined
  return joined.where((eb) =>
    route === DEFAULT_SETTINGS.route
      ? eb.or([eb('settings.route', '=', route), eb('settings.route', 'is', null)])
      : eb('settings.route', '=', route),
  )
}

/** The numbers of an account that are on their way in or out, in their order. */
export async function portingNumbersOf(
  read: Reader,
  accountSid: string,
): Promise<readonly string[]> {
  const rows = await numbersWithSettings(read)
    .where('phone_numbers.accountSid', '=', accountSid)
    .where('settings.porting', 'is not', null)
    .orderBy('phone_numbers.phoneNumber')
    .limit(10)
    .execute()
  return rows.map((row) => toNumberWithSettings(row).number.e164)
}

type JoinedRow = Awaited<ReturnType<ReturnType<typeof numbersWithSettings>['execute']>>[number]
type SettingColumns = Omit<
  Selectable<NumberSettingsTable>,
  'numberSid' | 'portOutPinSealed' | 'updatedAt'
>

export function toNumberWithSettings(row: JoinedRow): NumberWithSettings {
  const { route, looksUpCallerName, faxEnabled } = row
  const hasRow = route !== null && looksUpCallerName !== null && faxEnabled !== null
  return {
    number: toHeldNumber(row),
    settings: hasRow
      ? toSettings({ ...row, route, looksUpCallerName, faxEnabled })
      : DEFAULT_SETTINGS,
  }
}

function toSettings(row: SettingColumns): NumberSettings {
  return {
    route: row.route,
    user: row.routeUser ?? undefined,
    forwardTo: row.forwardTo ?? undefined,
    translation: row.translation ?? undefined,
    looksUpCallerName: row.looksUpCallerName === 1,
    callerName: row.callerName ?? undefined,
    isFaxEnabled: row.faxEnabled === 1,
    porting: row.porting ?? undefined,
  }
}

/** The columns of a number on which nothing was set. */
export function defaultRow(numberSid: string): Omit<Selectable<NumberSettingsTable>, 'updatedAt'> {
  return {
    numberSid,
    route: DEFAULT_SETTINGS.route,
    routeUser: null,
    forwardTo: null,
    translation: null,
    looksUpCallerName: 0,
    callerName: null,
    portOutPinSealed: null,
    faxEnabled: 0,
    porting: null,
  }
}

/** The columns that a change names. */
function toColumns(change: NumberSettingsChange): Partial<SettingColumns> {
  const columns: { [Name in keyof SettingColumns]: SettingColumns[Name] | undefined } = {
    route: change.route,
    routeUser: userOf(change),
    forwardTo: change.forwardTo,
    translation: change.translation,
    looksUpCallerName: bit(change.looksUpCallerName),
    callerName: change.callerName,
    faxEnabled: bit(change.isFaxEnabled),
    porting: change.porting,
  }
  const named = Object.entries(columns).filter(([, value]) => value !== undefined)
  return Object.fromEntries(named) // those that are named
}

/** Only the route USER has a user: any other route leaves none behind for its next one. */
function userOf({ route, user }: NumberSettingsChange): string | null | undefined {
  return route === undefined || route === SYSTEM_ROUTES.USER ? user : null
}

function bit(flag: boolean | undefined): number | undefined {
  return flag === undefined ? undefined : Number(flag)
}

/** Finds the name that calls from a number of the account show; undefined where none is set. */
export async function shownName(read: Reader, number: HeldBy): Promise<string | undefined> {
  const [row] = await readName(read, { ...number })
  return row?.callerName ?? undefined
}
