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
  /**
   * The requests of one tenant that may wait for a connection; more are refused as `overloaded`.
   */
  readonly waitingPerTenant: number
  readonly connections: number
}

export interface Demand {
  readonly tenant: string
  readonly url: URL
  /** True to get a new connection, after an idle one was found dead. */
  readonly isFresh: boolean
}

/** An idle connection to use, or the right to open one. One of the two calls ends it. */
export interface Lease {
  readonly idle: Connection | undefined
  /** Keeps the connection for the next exchange. */
  release(connection: Connection): void
  /** Gives the place back; the connection is closed, or was never made. */
  discard(): void
}

interface Waiter {
  readonly demand: Demand
  readonly grant: (lease: Lease) => void
  readonly refuse: (error: Error) => void
}

interface IdleConnection {
  readonly origin: string
  readonly connection: Connection
}

/**
 * The connections of one tenant. Tenants share none, so a slow customer's requests wait only for
 * its own.
 */
interface Tenant {
  readonly name: string
  readonly leased: Map<string, number>
  /** The idle connections, least recently used first. */
  readonly idle: Set<IdleConnection>
  readonly waiting: Set<Waiter>
}

/**
 * Counts connections: there are limits per origin, per tenant and in all. The caller opens them.
 */
export class ConnectionPool implements AsyncDisposable {
  readonly #limits: PoolLimits
  readonly #tenants = new Map<string, Tenant>()
  #size = 0
  #isClosed = false

  constructor(limits: PoolLimits) {
    this.#limits = limits
  }

  /** The number of connections open or being opened. */
  get size(): number {
    return this.#size
  }

  /**
   * Takes a lease. Rejects with OutboundError `overloaded` or `aborted`, or with the signal's
   * reason.
   */
  take(demand: Demand, signal: AbortSignal): Promise<Lease> {
    if (signal.aborted) return Promise.reject(reasonOf(signal))
    if (this.#isClosed) return Promise.reject(new OutboundError('aborted', demand.url.href))
    const tenant = this.#tenantOf(demand.tenant)
    const lease = this.#tryLease(tenant, demand)
    if (lease !== undefined) return Promise.resolve(lease)
    // Only the end of a lease of the same tenant serves its waiters.
    const canWait = tenant.leased.size > 0 && tenant.waiting.size < this.#limits.waitingPerTenant
    if (canWait) return waitIn(tenant, demand, signal)
    this.#forgetIfEmpty(tenant)
    return Promise.reject(new OutboundError('overloaded', demand.url.href))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true
    const closing: Promise<void>[] = []
    for (const tenant of this.#tenants.values()) {
      for (const waiter of tenant.waiting)
        waiter.refuse(new OutboundError('aborted', waiter.demand.url.href))
      for (const idle of tenant.idle) closing.push(this.#dropIdle(tenant, idle))
    }
    await Promise.all(closing)
  }

  #tryLease(tenant: Tenant, demand: Demand): Lease | undefined {
    const { origin } = demand.url
    const reusable = [...tenant.idle].findLast(
      (idle) => idle.origin === origin && idle.connection.isUsable,
    )
    if (reusable !== undefined && !demand.isFresh) {
      tenant.idle.delete(reusable)
      reusable.connection.onClosed(undefined)
      return this.#lease(tenant, origin, reusable.connection)
    }
    if (!this.#makeRoom(tenant, origin)) return undefined
    this.#size += 1
    return this.#lease(tenant, origin, undefined)
  }

  /**
   * Closes idle connections where a limit asks for it; false when a limit is reached by busy ones.
   */
  #makeRoom(tenant: Tenant, origin: string): boolean {
    const { connectionsPerOrigin, connections } = this.#limits
    const ofOrigin = [...tenant.idle].filter((idle) => idle.origin === origin)
    const leasedToOrigin = tenant.leased.get(origin) ?? 0
    if (leasedToOrigin >= connectionsPerOrigin) return false
    if (leasedToOrigin + ofOrigin.length >= connectionsPerOrigin) this.#evict(tenant, ofOrigin[0])
    if (sizeOf(tenant) >= this.#shareOfTenant() && !this.#evict(tenant, first(tenant.idle)))
      return false
    if (this.#size < connections) return true
    for (const other of this.#tenants.values())
      if (this.#evict(other, first(other.idle))) return true
    return false
  }

  #shareOfTenant(): number {
    const { connectionsPerTenant, connectionsPerTenantWhenScarce, connections } = this.#limits
    if (this.#size * 2 < connections) return connectionsPerTenant
    return Math.min(connectionsPerTenantWhenScarce, connectionsPerTenant)
  }

  #lease(tenant: Tenant, origin: string, idle: Connection | undefined): Lease {
    tenant.leased.set(origin, (tenant.leased.get(origin) ?? 0) + 1)
    const end = (): void => {
      const left = (tenant.leased.get(origin) ?? 1) - 1
      if (left > 0) tenant.leased.set(origin, left)
      else tenant.leased.delete(origin)
    }
    const discard = (): void => {
      end()
      this.#size -= 1
      this.#serve(tenant)
    }
    return {
      idle,
      discard,
      release: (connection) => {
        if (this.#isClosed || !connection.isUsable) {
          void connection.close().finally(discard) // destroying a client cannot fail
          return
        }
        end()
        const entry = { origin, connection }
        tenant.idle.add(entry)
        connection.onClosed(() => void this.#dropIdle(tenant, entry))
        this.#serve(tenant)
      },
    }
  }

  #serve(tenant: Tenant): void {
    for (const waiter of tenant.waiting) {
      const lease = this.#tryLease(tenant, waiter.demand)
      if (lease !== undefined) waiter.grant(lease)
      // Nothing of this tenant is left whose end would serve the waiter.
      else if (tenant.leased.size === 0)
        waiter.refuse(new OutboundError('overloaded', waiter.demand.url.href))
    }
    this.#forgetIfEmpty(tenant)
  }

  #evict(tenant: Tenant, idle: IdleConnection | undefined): boolean {
    if (idle === undefined) return false
    void this.#dropIdle(tenant, idle) // counted as gone at once; its socket closes on its own
    return true
  }

  #dropIdle(tenant: Tenant, idle: IdleConnection): Promise<void> {
    if (!tenant.idle.delete(idle)) return Promise.resolve()
    idle.connection.onClosed(undefined)
    this.#size -= 1
    this.#forgetIfEmpty(tenant)
    return idle.connection.close()
  }

  #tenantOf(name: string): Tenant {
    const known = this.#tenants.get(name)
    if (known !== undefined) return known
    const tenant: Tenant = { name, leased: new Map(), idle: new Set(), waiting: new Set() }
    this.#tenants.set(name, tenant)
    return tenant
  }

  #forgetIfEmpty(tenant: Tenant): void {
    const isEmpty = sizeOf(tenant) === 0 && tenant.waiting.size === 0
    if (isEmpty && this.#tenants.get(tenant.name) === tenant) this.#tenants.delete(tenant.name)
  }
}

function sizeOf(tenant: Tenant): number {
  let leased = 0
  for (const count of tenant.leased.values()) leased += count
  return leased + tenant.idle.size
}

function first<Item>(items: Iterable<Item>): Item | undefined {
  for (const item of items) return item
  return undefined
}

function waitIn(tenant: Tenant, demand: Demand, signal: AbortSignal): Promise<Lease> {
  return new Promise((resolve, reject) => {
    const leave = (): void => {
      tenant.waiting.delete(waiter)
      signal.removeEventListener('abort', onAbort)
    }
    const onAbort = (): void => {
      leave()
      reject(reasonOf(signal))
    }
    const waiter: Waiter = {
      demand,
      grant: (lease) => {
        leave()
        resolve(lease)
      },
      refuse: (error) => {
        leave()
        reject(error)
      },
    }
    tenant.waiting.add(waiter)
    signal.addEventListener('abort', onAbort, { once: true })
  })
}
