/**
 * Who lives among the nodes that share a database. Each raises its beats at an interval. One that does
 * not for the length of the lease is declared dead by another, which gives its unfinished work to a
 * name of its own and ends it. From that commit on the dead node's writes find nothing of theirs. When
 * it goes on after all, its next beat finds its name gone: it ends what it has, and begins anew.
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

/** The number of beats, and of looks at the others, in the time of a lease. */
const BEATS_PER_LEASE = 10
/**
 * The looks beyond a lease before a silent node is dead: a beat is seen up to an interval late, and
 * one that is under way has another to arrive.
 */
const MARGIN_LOOKS = 2
/** The sight of a node that has work and no row: it began that work after it was declared dead. */
const WITHOUT_ROW = { process: '', beats: -1 }

export interface NodeLeaseDeps {
  readonly db: Database
  readonly log: Logger
  readonly leaseMs: number
  /** The names of the nodes that have unfinished work. */
  readonly workers: () => Promise<readonly string[]>
  /** Gives the unfinished work of one name to another, in the commit that declares a node dead. */
  readonly handOver: (tx: Writer, from: string, to: string) => Promise<void>
  /** Ends the work that a dead node left under this name; may run again after a failure. */
  readonly recover: (remains: string) => Promise<void>
  /** Ends what this node has: another one declared it dead and reports the ends. */
  readonly onDeclaredDead: () => void
  /** Hears of the nodes that live, at each look and before this node has any work. */
  readonly onNodes?: (names: readonly string[]) => void
}

/** This process's place among the nodes; it raises its beats from `start` until disposed. */
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
        // From here on: however late this look was, the others have this long until the next one.
        return now() + everyMs
      },
    })
  }

  /** Takes the name of this node, before it has any work. */
  async register(): Promise<void> {
    const { db } = this.#deps
    await db.write((tx) => register(tx, db.node, this.#process))
    this.#tell(await allNodes(db.read))
  }

  start(): void {
    this.#pump.wake()
  }

  /** Raises the beats once, looks at the others, and begins to end what a dead one left. */
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
    // Beside the beats: the end of many calls takes longer than a lease.
    this.#recovering ??= this.#recoverRemains()
      .catch((err: unknown) => {
        log.error({ err }, 'could not end what a dead node left')
      })
      .finally(() => {
        this.#recovering = undefined
      })
  }

  /** Resolves when nothing is being recovered. */
  async recovered(): Promise<void> {
    await this.#recovering
  }

  /** Gives the name back; the calls of this node are over by then. */
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

  /** Takes the silent node's work in one commit, unless the node has beaten before it. */
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

  /** Ends what this node has taken over, and what a node had taken over that is gone as well. */
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
