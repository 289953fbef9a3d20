/** The carriers of this system: those in the database, which every node shares, and built-in ones. */
import type { Clock } from '../../platform/clock.js'
import type { Database } from '../../platform/database/database.js'
import type { Selectable } from '../../platform/database/tables.js'
import type { Vault } from '../../platform/secrets.js'
import { type Carrier, type CarrierSettings, DEFAULT_CARRIER_SETTINGS } from './carrier.js'
import { carrierAt } from './order-routes.js'
import type { CarriersTable } from './tables.js'

export interface Carriers {
  list(): Promise<readonly Carrier[]>
  /** The carriers of the last read; undefined before it, and just after a change. */
  readonly lastRead: readonly Carrier[] | undefined
  /** Creates or replaces the carrier of that name. */
  put(carrier: Carrier): Promise<void>
  /** Deletes the carrier. Resolves to false when there was none. */
  remove(name: string): Promise<boolean>
  /** Resolves with the carrier whose addresses include this source. */
  byAddress(address: string): Promise<Carrier | undefined>
}

export interface CarriersDeps {
  readonly db: Database
  readonly vault: Vault
  readonly clock: Clock
  /** Carriers that are configured at startup and not stored: the lab's phones. */
  readonly builtIn: readonly Carrier[]
}

/** Cache time, ms: a change made by another node takes effect within it. */
const KEPT_MS = 2_000

export function createCarriers(deps: CarriersDeps): Carriers {
  return new StoredCarriers(deps)
}

class StoredCarriers implements Carriers {
  readonly #deps: CarriersDeps
  #kept: { readonly carriers: readonly Carrier[]; readonly until: number } | undefined
  /** Counts changes: a read that began before a change is not cached after it. */
  #changes = 0

  constructor(deps: CarriersDeps) {
    this.#deps = deps
  }

  get lastRead(): readonly Carrier[] | undefined {
    return this.#kept?.carriers
  }

  async list(): Promise<readonly Carrier[]> {
    const { builtIn, clock, db, vault } = this.#deps
    if (this.#kept !== undefined && this.#kept.until > clock.monotonic()) return this.#kept.carriers
    const before = this.#changes
    const rows = await db.read.selectFrom('carriers').selectAll().orderBy('id').execute()
    // An operator's carrier comes before a built-in one at the same address.
    const carriers = [...rows.map((row) => toCarrier(row, vault)), ...builtIn]
    if (before === this.#changes) this.#kept = { carriers, until: clock.monotonic() + KEPT_MS }
    return carriers
  }

  async put(carrier: Carrier): Promise<void> {
    const { clock, db, vault } = this.#deps
    const { auth, settings } = carrier
    const values = {
      name: carrier.name,
      host: carrier.host,
      port: carrier.port ?? null,
      transport: carrier.transport,
      prefixes: JSON.stringify(carrier.prefixes),
      priority: carrier.priority,
      weight: carrier.weight,
      addresses: JSON.stringify(carrier.addresses),
      username: auth?.username ?? null,
      passwordSealed: auth === undefined ? null : vault.seal(auth.password),
      settings: JSON.stringify(storedSettings(settings, vault)),
      createdAt: clock.now(),
    }
    await db.write((tx) =>
      tx
        .insertInto('carriers')
        .values(values)
        .onConflict((conflict) => conflict.column('name').doUpdateSet(values))
        .execute(),
    )
    this.#changed()
  }

  async remove(name: string): Promise<boolean> {
    const result = await this.#deps.db.write((tx) =>
      tx.deleteFrom('carriers').where('name', '=', name).executeTakeFirst(),
    )
    this.#changed()
    return result.numDeletedRows > 0n
  }

  async byAddress(address: string): Promise<Carrier | undefined> {
    return carrierAt(await this.list(), address)
  }

  #changed(): void {
    this.#changes += 1
    this.#kept = undefined
  }
}

function toCarrier(row: Selectable<CarriersTable>, vault: Vault): Carrier {
  const hasAuth = row.username !== null && row.passwordSealed !== null
  return {
    name: row.name,
    host: row.host,
    port: row.port ?? undefined,
    transport: row.transport,
    prefixes: JSON.parse(row.prefixes) as string[], // as `put` wrote them
    priority: row.priority,
    weight: row.weight,
    addresses: JSON.parse(row.addresses) as string[], // as `put` wrote them
    // Settings added by a later version get their defaults.
    settings: { ...DEFAULT_CARRIER_SETTINGS, ...openSettings(row.settings, vault) },
    ...(hasAuth
      ? { auth: { username: row.username ?? '', password: vault.open(row.passwordSealed ?? '') } }
      : {}),
  }
}

/** Returns the settings as stored, with a sealed private key. */
function storedSettings({ identity, ...settings }: CarrierSettings, vault: Vault): CarrierSettings {
  if (identity === undefined) return settings
  const { certificateUrl, privateKey } = identity
  return { ...settings, identity: { certificateUrl, privateKey: vault.seal(privateKey) } }
}

function openSettings(text: string, vault: Vault): CarrierSettings {
  const { identity, ...settings } = JSON.parse(text) as CarrierSettings // as `storedSettings` made them
  if (identity === undefined) return settings
  const { certificateUrl, privateKey } = identity
  return { ...settings, identity: { certificateUrl, privateKey: vault.open(privateKey) } }
}
