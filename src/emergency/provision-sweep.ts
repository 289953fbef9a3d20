/**
 * Removes records from the provider that no record here needs: those of numbers that were released, moved or
 * ported out, also during a request to the provider, and those of failed requests.
 */
import { Pump } from '../platform/async/pump.js'
import type { Clock } from '../platform/clock.js'
import type { Database } from '../platform/database/database.js'
import type { Logger } from '../platform/log.js'
import type { EmergencyProvider } from './emergency-provider.js'
import {
  claimProvision,
  endProvision,
  PROVISION_MS,
  type Provision,
  provisionsAfter,
  putOffProvision,
  releaseProvisions,
} from './provisions.js'

export interface SweepDeps {
  readonly db: Database
  readonly clock: Pick<Clock, 'now'>
  readonly log: Logger
  readonly provider: Pick<EmergencyProvider, 'remove'>
}

const RETRY_MS = [60_000, 300_000, 1_800_000, 3_600_000]

/** Removes unneeded provisions until disposed. */
export class ProvisionSweep implements AsyncDisposable {
  readonly #deps: SweepDeps
  readonly #pump: Pump

  constructor(deps: SweepDeps) {
    this.#deps = deps
    this.#pump = new Pump({
      name: 'removal of emergency addresses',
      log: deps.log,
      now: () => deps.clock.now(),
      look: (signal) => this.#look(signal),
    })
  }

  /** Resumes the removals that the previous process left. */
  async start(): Promise<void> {
    const { db } = this.#deps
    await db.write((tx) => releaseProvisions(tx, db.node))
    this.#pump.wake()
  }

  /** Checks at once; resolves when no removal is due at present. */
  async settled(): Promise<void> {
    await this.#pump.settled()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#pump[Symbol.asyncDispose]()
  }

  async #look(signal: AbortSignal): Promise<number> {
    const { db, clock, log } = this.#deps
    const now = clock.now()
    try {
      let after: string | undefined = ''
      while (after !== undefined && !signal.aborted) {
        const some = await provisionsAfter(db.read, after)
        for (const { number, nextAt, isKept } of some) {
          if (isKept || nextAt > now || this.#pump.isStopped) continue
          const claimed = await claimProvision(db, number, now)
          if (claimed !== undefined) await this.#remove(claimed)
        }
        after = some.at(-1)?.number
      }
    } catch (err) {
      log.error({ err }, 'could not look for emergency records to remove')
    }
    return now + PROVISION_MS
  }

  /** Removes a provision that this node has claimed; never rejects. */
  async #remove(provision: Provision): Promise<void> {
    const { db, clock, log, provider } = this.#deps
    const { number, attempts } = provision
    try {
      await provider.remove(number)
      await endProvision(db, provision)
    } catch (err) {
      log.warn({ err, number }, 'the emergency provider did not remove a record')
      const wait = RETRY_MS[Math.min(attempts, RETRY_MS.length - 1)] ?? 0
      await putOffProvision(db, provision, clock.now() + wait)
    }
  }
}
