import type { Ledger } from '../../ledger/ledger.js'
import type { Database, Writer } from '../../platform/database/database.js'
import type { Logger } from '../../platform/log.js'
import type { ChannelOutbox } from '../../platform/outbox/outbox.js'
import type { Vault } from '../../platform/secrets.js'
import type { Tables } from '../data/tables.js'

/** Wall time, epoch ms. Operators may advance it to test expiry and renewal. */
export interface RegistryClock {
  now(): number
}

/** A loop that sleeps until work is due. */
export interface Wakeable {
  /** Checks for due work at once. */
  wake(): void
}

export interface CoreDeps {
  readonly db: Database
  readonly tables: Tables
  readonly clock: RegistryClock
  readonly vault: Vault
  readonly log: Logger
  /** The ledger that stores charges. */
  readonly ledger: Pick<Ledger, 'post'>
  /** The outbox for events to subscribers. */
  readonly events: ChannelOutbox<SubscribedEvent>
  /** The CNP in another system that campaigns can be shared with; undefined when there is none. */
  readonly upstream: { readonly cnpId: string; readonly displayName: string } | undefined
}

/** An event that a CSP has subscribed to. */
export interface SubscribedEvent {
  readonly eventId: string
  readonly type: string
  readonly cspId: string
  readonly category: string
  readonly accountSid: string
}

/** The database, tables, clock and outbox that every service of the registry works with. */
export class Core implements CoreDeps {
  readonly db: Database
  readonly tables: Tables
  readonly clock: RegistryClock
  readonly vault: Vault
  readonly log: Logger
  readonly ledger: CoreDeps['ledger']
  readonly events: CoreDeps['events']
  readonly upstream: CoreDeps['upstream']
  readonly #jobs: Wakeable

  constructor(deps: CoreDeps, jobs: Wakeable) {
    this.db = deps.db
    this.tables = deps.tables
    this.clock = deps.clock
    this.vault = deps.vault
    this.log = deps.log
    this.ledger = deps.ledger
    this.events = deps.events
    this.upstream = deps.upstream
    this.#jobs = jobs
  }

  /** Runs `work` in one transaction, then wakes the jobs and deliveries, which may now be due. */
  async commit<Result>(work: (tx: Writer) => Promise<Result>): Promise<Result> {
    const result = await this.db.write(work)
    this.wake()
    return result
  }

  /** Wakes jobs and deliveries; called once the caller's change is durable. */
  wake(): void {
    this.db.whenDurable(() => {
      this.#jobs.wake()
      this.events.wake()
    })
  }
}

/** The outbox stream of a subscription; its events are delivered strictly in order. */
export function streamOf(cspId: string, category: string): string {
  return `${cspId}:${category}`
}
