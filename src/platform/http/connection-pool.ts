import { reasonOf } from '../async/abort.js'
import type { Connection } from './connection.js'
import { OutboundError } from './outbound-error.js'

export interface PoolLimits {
  readonly connectionsPerOrigin: number
  readonly connectionsPerTenant: number
  /**
   * The connections of one tenant once half of all are in use: many slow servers together leave
   * this to each.
   */
  readonly connectionsPerTenantWhenScarce: number
  /** Maximum requests of one tenant that wait for a connection; more are refused as `overloaded`. */
  readonly waitingPerTenant: number
  readonly connections: number
}

export interface Demand {
  readonly tenant: string
  readonly url: URL
  /** True for a new connection, after an idle one was found dead. */
  readonly isFresh: boolean
  readonly open: () => Promise<Connection>
}

export interface Lease {
  readonly connection: Connection
  /** Keeps the connection for the next exchange if it is usable, and closes it otherwise. */
  readonly giveBack: () => Promise<void>
}

/** What counts as a connection: one that is leased, idle or being opened. */
interface Place {
  readonly tenant: Tenant
  readonly origin: string
  connection?: Connection
}

interface Waiter {
  readonly demand: Demand
  readonly settle: (outcome: Place | Error) => void
}

/** Connections of one tenant. Tenants share none, so that a slow customer delays only its own requests. */
interface Tenant {
  readonly name: string
  readonly leased: Set<Place>
  /** The idle connections, least recently used first. */
  readonly idle: Set<Place>
  readonly waiting: Set<Waiter>
}

/** Reuses connections, with limits per origin, per tenant and in total. */
export class ConnectionPool implements AsyncDisposable {
  readonly #limits: PoolLimits
  readonly #tenants = new Map<string, Tenant>()
  #isClosed = false

  constructor(limits: PoolLimits) {
    this.#limits = limits
  }

  /** The number of connections open or being opened. */
  get size(): number {
    let size = 0
    for (const tenant of this.#tenants.values()) size += sizeOf(tenant)
    return size
  }

  /**
   * Leases an idle connection, or opens one. Rejects with OutboundError `overloaded` or `aborted`,
   * with the signal's reason, or as `open` does.
   */
  async lease(demand: Demand, signal: AbortSignal): Promise<Lease> {
    if (signal.aborted) throw reasonOf(signal)
    if (this.#isClosed) throw new OutboundError('aborted', demand.url.href)
    const place = await this.#placeFor(demand, signal)
    const connection = place.connection ?? (await this.#open(place, demand))
    return { connection, giveBack: () => this.#giveBack(place, connection) }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true
    const closing: Promise<void>[] = []
    for (const tenant of this.#tenants.values()) {
      for (const { demand, settle } of tenant.waiting)
        settle(new OutboundError('aborted', demand.url.href))
      for (const idle of tenant.idle) closing.push(this.#dropIdle(idle))
    }
    await Promise.all(closing)
  }

  async #placeFor(demand: Demand, signal: AbortSignal): Promise<Place> {
    const tenant = this.#tenantOf(demand.tenant)
    const place = this.#tryPlace(tenant, demand)
    if (place !== undefined) return place
    // Only the end of a lease of the same tenant serves its waiters.
    const canWait = tenant.leased.size > 0 && tenant.waiting.size < this.#limits.waitingPerTenant
    if (canWait) return await waitIn(tenant, demand, signal)
    this.#forgetIfEmpty(tenant)
    throw new OutboundError('overloaded', demand.url.href)
  }

  #tryPlace(tenant: Tenant, { url: { origin }, isFresh }: Demand): Place | undefined {
    const isReusable = (idle: Place): boolean =>
      !isFresh && idle.origin === origin && idle.connection?.isUsable === true
    let place = [...tenant.idle].findLast(isReusable)
    if (place !== undefined) tenant.idle.delete(place)
    else if (this.#makeRoom(tenant, origin)) place = { tenant, origin }
    if (place !== undefined) tenant.leased.add(place)
    return place
  }

  /** Closes idle connections where a limit requires it; false when busy ones fill the limit. */
  #makeRoom(tenant: Tenant, origin: string): boolean {
    const { connectionsPerOrigin, connections } = this.#limits
    const isOfOrigin = (place: Place): boolean => place.origin === origin
    const leased = [...tenant.leased].filter(isOfOrigin)
    const idle = [...tenant.idle].filter(isOfOrigin)
    if (leased.length >= connectionsPerOrigin) return false
    if (leased.length + idle.length >= connectionsPerOrigin) this.#evict(idle)
    if (sizeOf(tenant) >= this.#shareOfTenant() && !this.#evict(tenant.idle)) return false
    if (this.size < connections) return true
    for (const other of this.#tenants.values()) if (this.#evict(other.idle)) return true
    return false
  }

  #shareOfTenant(): number {
    const { connectionsPerTenant, connectionsPerTenantWhenScarce, connections } = this.#limits
    if (this.size * 2 < connections) return connectionsPerTenant
    return Math.min(connectionsPerTenantWhenScarce, connectionsPerTenant)
  }

  async #open(place: Place, demand: Demand): Promise<Connection> {
    try {
      place.connection = await demand.open()
      place.connection.onClosed(() => void this.#dropIdle(place))
      return place.connection
    } catch (error) {
      this.#end(place)
      throw error
    }
  }

  async #giveBack(place: Place, connection: Connection): Promise<void> {
    if (this.#isClosed || !connection.isUsable) await connection.close()
    else place.tenant.idle.add(place)
    this.#end(place)
  }

  /** Ends a lease and serves the next waiters. */
  #end(place: Place): void {
    const { tenant } = place
    tenant.leased.delete(place)
    for (const { demand, settle } of tenant.waiting) {
      const next = this.#tryPlace(tenant, demand)
      if (next !== undefined) settle(next)
      // Nothing of this tenant is left whose end would serve the waiter.
      else if (tenant.leased.size === 0) settle(new OutboundError('overloaded', demand.url.href))
    }
    this.#forgetIfEmpty(tenant)
  }

  /** Closes the first of the idle connections; false when there is none. */
  #evict(idle: Iterable<Place>): boolean {
    for (const place of idle) {
      void this.#dropIdle(place) // counted as gone at once; its socket closes on its own
      return true
    }
    return false
  }

  async #dropIdle(place: Place): Promise<void> {
    if (!place.tenant.idle.delete(place)) return
    this.#forgetIfEmpty(place.tenant)
    await place.connection?.close()
  }

  #tenantOf(name: string): Tenant {
    const known = this.#tenants.get(name)
    if (known !== undefined) return known
    const tenant: Tenant = { name, leased: new Set(), idle: new Set(), waiting: new Set() }
    this.#tenants.set(name, tenant)
    return tenant
  }

  #forgetIfEmpty(tenant: Tenant): void {
    const isEmpty = sizeOf(tenant) === 0 && tenant.waiting.size === 0
    if (isEmpty && this.#tenants.get(tenant.name) === tenant) this.#tenants.delete(tenant.name)
  }
}

function sizeOf({ leased, idle }: Tenant): number {
  return leased.size + idle.size
}

function waitIn({ waiting }: Tenant, demand: Demand, signal: AbortSignal): Promise<Place> {
  return new Promise((resolve, reject) => {
    const settle = (outcome: Place | Error): void => {
      waiting.delete(waiter)
      signal.removeEventListener('abort', onAbort)
      if (outcome instanceof Error) reject(outcome)
      else resolve(outcome)
    }
    const onAbort = (): void => {
      settle(reasonOf(signal))
    }
    const waiter: Waiter = { demand, settle }
    waiting.add(waiter)
    signal.addEventListener('abort', onAbort, { once: true })
  })
}
