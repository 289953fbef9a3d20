/** Gateways of accounts, and the system routes that every account has. */
import type { Clock } from '../platform/clock.js'
import type { Database, Reader, Writer } from '../platform/database/database.js'
import type { Selectable } from '../platform/database/tables.js'
import type { ForwardedCaller } from './forwarded-caller.js'
import { GatewayConflictError, GatewayNotFoundError, SystemRouteError } from './gateway-errors.js'
import type { GatewaysTable } from './gateway-tables.js'
import { hasNumbersOnGateway, type NumberWithSettings, numbersOnRoute } from './number-settings.js'
import type { PortedNumbers } from './ported-numbers.js'
import { FIRST_GATEWAY_ID, SYSTEM_ROUTES, systemRouteName } from './system-routes.js'

export interface Gateway {
  readonly id: number
  /** Comma-separated hosts with optional ports; for a system route, its name. */
  readonly gateway: string
  /** Digits before the called number. */
  readonly prefix: string
  /** Maximum concurrent calls to it. */
  readonly limit: number
  /** Caller ID of a forwarded call to it. */
  readonly forwardedCaller: ForwardedCaller
  readonly isSystem: boolean
}

/** Without `forwardedCaller` a gateway gets the external caller. */
export type GatewaySettings = Pick<Gateway, 'gateway' | 'prefix' | 'limit'> &
  Partial<Pick<Gateway, 'forwardedCaller'>>

export const DEFAULT_GATEWAY_LIMIT = 23
export const MAX_GATEWAY_LIMIT = 1_000

/**
 * Methods that take an id reject with GatewayNotFoundError; those that change a gateway reject with
 * SystemRouteError for a system route.
 */
export interface Gateways {
  /** Lists the system routes, then the account's gateways by creation. */
  list(accountSid: string): Promise<readonly Gateway[]>
  fetch(accountSid: string, id: number): Promise<Gateway>
  /** Rejects with GatewayConflictError. */
  add(accountSid: string, settings: GatewaySettings): Promise<Gateway>
  /** Rejects with GatewayConflictError. */
  update(accountSid: string, id: number, change: Partial<GatewaySettings>): Promise<Gateway>
  /** Rejects with GatewayConflictError while numbers, also those of an open port, are routed to it. */
  remove(accountSid: string, id: number): Promise<void>
  /** Hosts of an account's gateway, within a transaction; undefined for an unknown id. */
  addressOf(read: Reader, accountSid: string, id: number): Promise<string | undefined>
  /** A part of the gateways of all active accounts, by creation. */
  page(skip: number, limit: number): Promise<readonly Gateway[]>
  /** Numbers routed to a gateway or system route, in order. */
  numbersOn(accountSid: string, id: number): Promise<readonly NumberWithSettings[]>
}

const MAX_GATEWAYS = 200

const SYSTEM: readonly Gateway[] = Object.values(SYSTEM_ROUTES).map((id) => ({
  id,
  gateway: systemRouteName(id) ?? '',
  prefix: '',
  limit: MAX_GATEWAY_LIMIT,
  forwardedCaller: 'caller',
  isSystem: true,
}))

/** Looks up the addresses of gateways. */
export type GatewayAddresses = Pick<Gateways, 'addressOf'>

export function createGateways({
  db,
  clock,
  ported,
}: {
  readonly db: Database
  readonly clock: Pick<Clock, 'now'>
  readonly ported: Pick<PortedNumbers, 'namesGateway'>
}): Gateways {
  return {
    list: async (accountSid) => {
      const rows = await rowsOf(db.read, accountSid).orderBy('id').execute()
      return [...SYSTEM, ...rows.map(toGateway)]
    },
    fetch: (accountSid, id) => fetchGateway(db.read, accountSid, id),
    add: (accountSid, settings) => {
      const now = clock.now()
      return db.write((tx) => addGateway(tx, accountSid, settings, now))
    },
    update: (accountSid, id, change) => {
      const now = clock.now()
      return db.write(async (tx) => {
        const current = await fetchOwn(tx, accountSid, id)
        const changed = { ...current, ...change }
        const { gateway, prefix } = changed
        const [same] = await rowsOf(tx, accountSid)
          .where('gateway', '=', gateway)
          .where('prefix', '=', prefix)
          .execute()
        if (same !== undefined && same.id !== rowIdOf(id)) throw known(gateway)
        await tx
          .updateTable('gateways')
          .set({
            gateway,
            prefix,
            callLimit: changed.limit,
            forwardedCaller: changed.forwardedCaller,
            updatedAt: now,
          })
          .where('id', '=', rowIdOf(id))
          .execute()
        return changed
      })
    },
    remove: (accountSid, id) => db.write((tx) => removeGateway(tx, accountSid, id, ported)),
    addressOf: async (read, accountSid, id) => {
      const row = await rowsOf(read, accountSid).where('id', '=', rowIdOf(id)).executeTakeFirst()
      return row?.gateway
    },
    page: (skip, limit) => pageOf(db.read, skip, limit),
    numbersOn: async (accountSid, id) => {
      await fetchGateway(db.read, accountSid, id)
      return await numbersOnRoute(db.read, accountSid, id)
    },
  }
}

async function pageOf(read: Reader, skip: number, limit: number): Promise<readonly Gateway[]> {
  const rows = await read
    .selectFrom('gateways')
    .innerJoin('accounts', 'accounts.sid', 'gateways.accountSid')
    .where('accounts.status', '=', 'active')
    .selectAll('gateways')
    .orderBy('gateways.id')
    .limit(limit)
    .offset(skip)
    .execute()
  return rows.map(toGateway)
}

/** The account's gateway or the system route of that id; rejects with GatewayNotFoundError. */
export async function fetchGateway(read: Reader, accountSid: string, id: number): Promise<Gateway> {
  const system = SYSTEM.find((route) => route.id === id)
  if (system !== undefined) return system
  const row = await rowsOf(read, accountSid).where('id', '=', rowIdOf(id)).executeTakeFirst()
  if (row === undefined) throw new GatewayNotFoundError(`there is no gateway ${String(id)}`)
  return toGateway(row)
}

async function fetchOwn(tx: Writer, accountSid: string, id: number): Promise<Gateway> {
  const gateway = await fetchGateway(tx, accountSid, id)
  if (gateway.isSystem)
    throw new SystemRouteError(`${gateway.gateway} is a system route, which cannot be changed`)
  return gateway
}

async function removeGateway(
  tx: Writer,
  accountSid: string,
  id: number,
  ported: Pick<PortedNumbers, 'namesGateway'>,
): Promise<void> {
  await fetchOwn(tx, accountSid, id)
  if (await hasNumbersOnGateway(tx, accountSid, id))
    throw new GatewayConflictError('numbers are routed to the gateway')
  if (await ported.namesGateway(tx, accountSid, id))
    throw new GatewayConflictError('numbers of an open port go to the gateway')
  await tx.deleteFrom('gateways').where('id', '=', rowIdOf(id)).execute()
}

async function addGateway(
  tx: Writer,
  accountSid: string,
  { gateway, prefix, limit, forwardedCaller = 'caller' }: GatewaySettings,
  now: number,
): Promise<Gateway> {
  const { count } = await tx
    .selectFrom('gateways')
    .select(({ fn }) => fn.countAll<number | bigint>().as('count'))
    .where('accountSid', '=', accountSid)
    .executeTakeFirstOrThrow()
  if (Number(count) >= MAX_GATEWAYS)
    throw new GatewayConflictError(`an account has at most ${MAX_GATEWAYS} gateways`)
  const row = await tx
    .insertInto('gateways')
    .values({
      accountSid,
      gateway,
      prefix,
      callLimit: limit,
      forwardedCaller,
      createdAt: now,
      updatedAt: now,
    })
    .onConflict((same) => same.columns(['accountSid', 'gateway', 'prefix']).doNothing())
    .returningAll()
    .executeTakeFirst()
  if (row === undefined) throw known(gateway)
  return toGateway(row)
}

function known(gateway: string): GatewayConflictError {
  return new GatewayConflictError(`the account has the gateway ${gateway} with this prefix already`)
}

const rowsOf = (read: Reader, accountSid: string) =>
  read.selectFrom('gateways').selectAll().where('accountSid', '=', accountSid)

/** Ids of gateways begin after those of the system routes. */
const rowIdOf = (id: number): number => id - FIRST_GATEWAY_ID

function toGateway(row: Selectable<GatewaysTable>): Gateway {
  return {
    id: FIRST_GATEWAY_ID + row.id,
    gateway: row.gateway,
    prefix: row.prefix,
    limit: row.callLimit,
    forwardedCaller: row.forwardedCaller,
    isSystem: false,
  }
}

/** The name of a system route, or the address of the account's gateway; undefined for no route. */
export async function routeNameOf(
  read: Reader,
  gateways: GatewayAddresses,
  { accountSid, route }: { readonly accountSid: string; readonly route: number },
): Promise<string | undefined> {
  return systemRouteName(route) ?? (await gateways.addressOf(read, accountSid, route))
}
