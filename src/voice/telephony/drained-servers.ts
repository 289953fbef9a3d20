import { Pump } from '../../platform/async/pump.js'
import type { Clock } from '../../platform/clock.js'
import type { Database } from '../../platform/database/database.js'
import type { Logger } from '../../platform/log.js'
import type { ServerView, Telephony } from './port.js'

/** Interval at which a node reads the changes that other nodes made, ms. */
const LOOK_EVERY_MS = 2_000

export interface DrainedServersDeps {
  readonly db: Database
  readonly telephony: Pick<Telephony, 'drain' | 'servers'>
  readonly clock: Pick<Clock, 'now' | 'monotonic'>
  readonly log: Logger
  readonly lookEveryMs?: number
}

/**
 * The servers that an operator has drained for maintenance. The database stores them, so the
 * setting survives restarts and applies to every node.
 */
export class DrainedServers implements AsyncDisposable {
  readonly #deps: DrainedServersDeps
  readonly #pump: Pump
  #known = ''

  /** Reads the drained servers. With a shared database, repeats until it is disposed. */
  static async open(deps: DrainedServersDeps): Promise<DrainedServers> {
    const drained = new DrainedServers(deps)
    await drained.#look()
    // An SQLite database has only one node.
    if (deps.db.engine === 'postgres') drained.#pump.wake()
    return drained
  }

  private constructor(deps: DrainedServersDeps) {
    const { clock, log, lookEveryMs = LOOK_EVERY_MS } = deps
    this.#deps = deps
    const now = () => clock.monotonic()
    this.#pump = new Pump({
      name: 'drained servers',
      log,
      now,
      look: async () => {
        await this.#look().catch((err: unknown) => {
          log.debug({ err }, 'could not read the drained servers')
        })
        return now() + lookEveryMs
      },
    })
  }

  /** Returns the configured servers. */
  list(): readonly ServerView[] {
    return this.#deps.telephony.servers()
  }

  /** Drains the server or returns it to use. Resolves with undefined for an unknown name. */
  async set(name: string, isDrained: boolean): Promise<ServerView | undefined> {
    const { clock, db } = this.#deps
    const find = () => this.list().find((server) => server.name === name)
    if (find() === undefined) return undefined
    const now = clock.now()
    await db.write(async (tx) => {
      if (isDrained)
        await tx
          .insertInto('drained_servers')
          .values({ name, drainedAt: now })
          .onConflict((conflict) => conflict.column('name').doNothing())
          .execute()
      else await tx.deleteFrom('drained_servers').where('name', '=', name).execute()
    })
    await this.#look()
    return find()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#pump[Symbol.asyncDispose]()
  }

  async #look(): Promise<void> {
    const { db, log, telephony } = this.#deps
    const rows = await db.read
      .selectFrom('drained_servers')
      .select('name')
      .orderBy('name')
      .execute()
    const names = rows.map(({ name }) => name)
    const known = names.join(' ')
    if (known === this.#known) return
    this.#known = known
    log.warn({ servers: names }, 'changed the drained telephony servers')
    telephony.drain(new Set(names))
  }
}
