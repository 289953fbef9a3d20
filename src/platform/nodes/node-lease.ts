/**
 * Membership of the nodes that share a database. Each node increments its beat counter at an interval. A node
 * whose counter stands still for the length of the lease is declared dead by another one, which takes over its
 * unfinished work and ends it. From that commit on the dead node's writes match no rows. If it was only paused,
 * its next beat finds its name gone: it ends its calls and registers anew.
 */
import { randomUUID } from 'node:crypto'
import { Pump } from '../async/pump.js'
import { systemClock } from '../clock.js'
import type { Database, Writer } from '../database/database.js'
import type { Logger } from '../log.js'
import {
  allNodes,
  beat,
  forgetRemains,
  isKnown,
  leave,
  noteRemains,
  register,
  takeName,
  takeRemains,
} from './node-storage.js'
import { type Sight, Silence } from './silence.js'

/** Number of beats, and of checks of the other nodes, per lease. */
const BEATS_PER_LEASE = 10
/**
 * Number of checks beyond a lease before a silent node is dead: a beat is seen up to one interval late, and one
 * in flight gets another interval.
 */
const MARGIN_LOOKS = 2
/** Sighting of a node that has work but no row: it began that work after it was declared dead. */
const WITHOUT_ROW = { process: '', beats: -1 }

export interface NodeLeaseDeps {
  readonly db: Database
  readonly log: Logger
  readonly leaseMs: number
  /** Resolves with the names of nodes that have unfinished work. */
  readonly workers: () => Promise<readonly string[]>
  /** Reassigns unfinished work from one name to another, in the commit that declares a node dead. */
  readonly handOver: (tx: Writer, from: string, to: string) => Promise<void>
  /** Ends a dead node's work under this name; may run again after a failure. */
  readonly recover: (remains: string) => Promise<void>
  /** Ends this node's calls: another one declared it dead and reports their ends. */
  readonly onDeclaredDead: () => void
  /** Receives the live nodes at each check, the first time before this node has any work. */
  readonly onNodes?: (names: readonly string[]) => void
}

/** This process's membership; it beats from `start` until disposed. */
export class NodeLease implements AsyncDisposable {
  readonly #deps: NodeLeaseDeps
  readonly #silence = new Silence(BEATS_PER_LEASE + MARGIN_LOOKS)
  readonly #pump: Pump
  #process = randomUUID()
  #recovering: Promise<void> | undefined

  constructor(deps: NodeLeaseDeps) {
    this.#deps = deps
    const now = () => systemClock.monotonic()
    const everyMs = deps.leaseMs / BEATS_PER_LEASE
    this.#pump = new Pump({
      name: 'lease of this node',
      log: deps.log,
      now,
      look: async () => {
        await this.turn()
        // However late this check was, the others have this long until the next one.
        return now() + everyMs
      },
    })
  }

  /** Registers this node's name, before it has any work. */
  async register(): Promise<void> {
    const { db } = this.#deps
    await db.write((tx) => register(tx, db.node, this.#process))
    this.#tell(await allNodes(db.read))
  }

  start(): void {
    this.#pump.wake()
  }

  /** Beats once, checks the other nodes, and starts the recovery of a dead one's work. */
  async turn(): Promise<void> {
    const { log } = this.#deps
    try {
      await this.#beat()
      for (const silent of this.#silence.look(await this.#others()))
        await this.#declareDead(silent).catch((err: unknown) => {
          log.warn({ err, node: silent.name }, 'could not declare a silent node dead')
        })
    } catch (err) {
      this.#silence.forget()
      log.warn({ err }, 'could not look after the nodes that share the database')
    }
    // In the background: ending many calls takes longer than a lease.
    this.#recovering ??= this.#recoverRemains()
      .catch((err: unknown) => {
        log.error({ err }, 'could not end what a dead node left')
      })
      .finally(() => {
        this.#recovering = undefined
      })
  }

  /** Resolves when no recovery is running. */
  async recovered(): Promise<void> {
    await this.#recovering
  }

  /** Releases the name; this node's calls have ended by then. */
  async [Symbol.asyncDispose](): Promise<void> {
    const { db, log } = this.#deps
    await this.#pump[Symbol.asyncDispose]()
    await this.#recovering
    try {
      await db.write((tx) => leave(tx, db.node, this.#process), 'read-committed')
    } catch (err) {
      log.warn({ err }, 'could not leave the nodes that share the database')
    }
  }

  async #beat(): Promise<void> {
    const { db, log, onDeclaredDead } = this.#deps
    if (await db.write((tx) => beat(tx, db.node, this.#process), 'read-committed')) return
    log.error({ node: db.node }, 'this node was declared dead: it ends its calls and begins anew')
    onDeclaredDead()
    this.#process = randomUUID()
    await this.register()
  }

  #tell(nodes: Awaited<ReturnType<typeof allNodes>>): void {
    const live = nodes.filter(({ recoveredBy: by }) => by === null)
    this.#deps.onNodes?.(live.map(({ name }) => name))
  }

  async #others(): Promise<readonly Sight[]> {
    const { db, workers } = this.#deps
    const working = await workers()
    const nodes = await allNodes(db.read)
    this.#tell(nodes)
    const names = new Set(nodes.map(({ name }) => name))
    const unknown = working.filter((name) => !names.has(name))
    return [
      ...nodes.filter(({ recoveredBy: by }) => by === null),
      ...unknown.map((name) => ({ name, ...WITHOUT_ROW })),
    ].filter(({ name }) => name !== db.node)
  }

  /** Takes over the silent node's work in one commit, unless the node beats first. */
  async #declareDead(silent: Sight): Promise<void> {
    const { db, log, handOver } = this.#deps
    const remains = `dead:${randomUUID()}`
    const isTaken = await db.write(async (tx) => {
      const isDead =
        silent.beats === WITHOUT_ROW.beats
          ? !(await isKnown(tx, silent.name))
          : await takeName(tx, silent)
      if (!isDead) return false
      await handOver(tx, silent.name, remains)
      await noteRemains(tx, remains, db.node)
      return true
    })
    if (isTaken) log.warn({ node: silent.name, remains }, 'declared a silent node dead')
  }

  /** Ends the work that this node has taken over, and work taken over by nodes that are now gone. */
  async #recoverRemains(): Promise<void> {
    const { db, recover } = this.#deps
    const nodes = await allNodes(db.read)
    const living = new Set(nodes.flatMap((node) => (node.recoveredBy === null ? node.name : [])))
    for (const { name, recoveredBy: by } of nodes) {
      if (by === null || (by !== db.node && living.has(by))) continue
      const change = { from: by, to: db.node }
      if (!(await db.write((tx) => takeRemains(tx, name, change), 'read-committed'))) continue
      await recover(name)
      await db.write((tx) => forgetRemains(tx, name), 'read-committed')
    }
  }
}
