import type { Database, Writer } from '../../platform/database/database.js'
import type { Logger } from '../../platform/log.js'
import type { ChannelOutbox } from '../../platform/outbox/outbox.js'
import type { Vault } from '../../platform/secrets.js'
import type { Tables } from '../data/tables.js'
import type { SubscribedEvent } from './subscribed-event.js'

/** Wall time, epoch milliseconds; an operator may turn it forward to see what time does. */
export interface RegistryClock {
  now(): number
}

/** A loop that sleeps until work is due. */
export interface Wakeable {
  /** Looks at once whether work is due. */
  wake(): void
}

export interface CoreDeps {
  readonly db: Database
  readonly tables: Tables
  readonly clock: RegistryClock
  readonly vault: Vault
  readonly log: Logger
  /** Where events for subscribers are left. */
  readonly events: ChannelOutbox<SubscribedEvent>
  /** The CNP in another system that campaigns can be shared with, when there is one. */
  readonly upstream: { readonly cnpId: string; readonly displayName: string } | undefined
}

/** The database, tables, clock and outbox that every service of the registry works with. */
export class Core implements CoreDeps {
  readonly db: Database
  readonly tables: Tables
  readonly clock: RegistryClock
  readonly vault: Vault
  readonly log: Logger
  readonly events: CoreDeps['events']
  readonly upstream: CoreDeps['upstream']
  readonly #jobs: Wakeable

  constructor(deps: CoreDeps, jobs: Wakeable) {
    this.db = deps.db
    this.tables = deps.tables
    this.clock = deps.clock
    this.vault = deps.vault
    this.log = deps.log
    this.events = deps.events
    this.upstream = deps.upstream
    this.#jobs = jobs
  }

  /** Runs `work` in one transaction, then wakes the jobs and deliveries that it may have made due. */
  async commit<Result>(work: (tx: Writer) => Promise<Result>): Promise<Result> {
    const result = await this.db.write(work)
    this.wake()
    return result
  }

  /** Wakes jobs and deliveries, once what the caller has written is durable. */
  wake(): void {
    this.db.whenDurable(() => {
      this.#jobs.wake()
      this.events.wake()
    })
  }
}
