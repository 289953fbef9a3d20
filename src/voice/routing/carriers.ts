import { isInRanges } from '../../platform/cidr.js'
import type { Clock } from '../../platform/clock.js'
import type { Database } from '../../platform/database/database.js'
import type { Selectable } from '../../platform/database/tables.js'
import type { Vault } from '../../platform/secrets.js'
import type { CarriersTable } from './tables.js'

/** An upstream trunk. Calls go to it by prefix, and come from it by address. */
export interface Carrier {
  readonly name: string
  readonly host: string
  readonly port: number
  readonly transport: 'udp' | 'tcp'
  /** E.164 prefixes that the carrier takes; `+` takes every number. */
  readonly prefixes: readonly string[]
  /** The order among carriers of the same prefix length; a lower number goes first. */
  readonly priority: number
  /** The share among carriers of the same prefix length and priority. */
  readonly weight: number
  /** CIDRs that the carrier's INVITEs come from. */
  readonly addresses: readonly string[]
  readonly auth?: { readonly username: string; readonly password: string }
}

export interface Carriers {
  list(): Promise<readonly Carrier[]>
  /** Creates or replaces the carrier of that name. */
  put(carrier: Carrier): Promise<void>
  /** Removes the carrier. Resolves to false when there was none. */
  remove(name: string): Promise<boolean>
  /** The carrier whose addresses include this source. */
  byAddress(address: string): Promise<Carrier | undefined>
  /**
   * The carriers for a number, best first; empty when none takes it. `random` in 0–1 shares by
   * weight.
   */
  routesFor(e164: string, random: number): Promise<readonly Carrier[]>
}

/**
 * Makes the carriers. `builtIn` carriers (the lab's phones) come from the composition root and are
 * not stored.
 */
export function createCarriers(deps: {
  db: Database
  vault: Vault
  clock: Clock
  builtIn: readonly Carrier[]
}): Carriers {
  const { db, vault, clock, builtIn } = deps
  let cached: readonly Carrier[] | undefined

  const list = async (): Promise<readonly Carrier[]> => {
    if (cached !== undefined) return cached
    const rows = await db.read.selectFrom('carriers').selectAll().orderBy('id').execute()
    cached = [...builtIn, ...rows.map((row) => toCarrier(row, vault))]
    return cached
  }

  return {
    list,
    put: async (carrier) => {
      const values = {
        name: carrier.name,
        host: carrier.host,
        port: carrier.port,
        transport: carrier.transport,
        prefixes: JSON.stringify(carrier.prefixes),
        priority: carrier.priority,
        weight: carrier.weight,
        addresses: JSON.stringify(carrier.addresses),
        username: carrier.auth?.username ?? null,
        password_sealed: carrier.auth === undefined ? null : vault.seal(carrier.auth.password),
        created_at: clock.now(),
      }
      await db.write((tx) =>
        tx
          .insertInto('carriers')
          .values(values)
          .onConflict((conflict) => conflict.column('name').doUpdateSet(values))
          .execute(),
      )
      cached = undefined
    },
    remove: async (name) => {
      const result = await db.write((tx) =>
        tx.deleteFrom('carriers').where('name', '=', name).executeTakeFirst(),
      )
      cached = undefined
      return result.numDeletedRows > 0n
    },
    byAddress: async (address) => carrierAt(await list(), address),
    routesFor: async (e164, random) => orderRoutes(await list(), e164, random),
  }
}

function toCarrier(row: Selectable<CarriersTable>, vault: Vault): Carrier {
  const hasAuth = row.username !== null && row.password_sealed !== null
  return {
    name: row.name,
    host: row.host,
    port: row.port,
    transport: row.transport,
    prefixes: JSON.parse(row.prefixes) as string[],
    priority: row.priority,
    weight: row.weight,
    addresses: JSON.parse(row.addresses) as string[],
    ...(hasAuth
      ? { auth: { username: row.username ?? '', password: vault.open(row.password_sealed ?? '') } }
      : {}),
  }
}

export function carrierAt(carriers: readonly Carrier[], address: string): Carrier | undefined {
  return carriers.find((carrier) => isInRanges(address, carrier.addresses))
}

/**
 * Orders routes by longest prefix, then by priority. A weighted draw decides the first place; the
 * rest follow as fallbacks.
 */
export function orderRoutes(
  carriers: readonly Carrier[],
  e164: string,
  random: number,
): readonly Carrier[] {
  const matches = carriers
    .map((carrier) => ({ carrier, length: longestPrefix(carrier, e164) }))
    .filter((match) => match.length > 0)
    .sort((a, b) => b.length - a.length || a.carrier.priority - b.carrier.priority)
  const best = matches[0]
  if (best === undefined) return []
  const isPeer = (match: (typeof matches)[number]) =>
    match.length === best.length && match.carrier.priority === best.carrier.priority
  const peers = matches.filter(isPeer).map((match) => match.carrier)
  const first = weightedPick(peers, random)
  const others = matches.map((match) => match.carrier).filter((carrier) => carrier !== first)
  return first === undefined ? others : [first, ...others]
}

function longestPrefix(carrier: Carrier, e164: string): number {
  const lengths = carrier.prefixes
    .filter((prefix) => e164.startsWith(prefix))
    .map((prefix) => prefix.length)
  return Math.max(0, ...lengths)
}

function weightedPick(carriers: readonly Carrier[], random: number): Carrier | undefined {
  const total = carriers.reduce((sum, carrier) => sum + carrier.weight, 0)
  let rest = random * total
  return carriers.find((carrier) => (rest -= carrier.weight) < 0) ?? carriers[0]
}
