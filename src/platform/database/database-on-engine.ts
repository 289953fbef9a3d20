import { AsyncLocalStorage } from 'node:async_hooks'
import { sql } from 'kysely'
import { SerialQueue } from '../async/serial-queue.js'
import type { Database, Writer } from './database.js'
import type { Engine } from './engine.js'
import { StorageUnavailableError } from './storage-error.js'
import { WriteHealth } from './write-health.js'

/** Returns the store on an engine and takes ownership of the engine. */
export function databaseOn(engine: Engine, node: string): Database {
  const health = new WriteHealth({
    failureOf: (error) => engine.failureOf(error),
    probe: async () => {
      // Any row will do: only a real write proves that the disk takes one.
      await engine.transaction(
        (tx) => sql`update schema_migrations set name = name`.execute(tx),
        'read-committed',
      )
    },
  })
  engine.onLost(() => {
    health.suspect()
  })
  const joined = new JoinedWrites<Writer>()
  const effects = new CommitEffects<Writer>()
  const write: Database['write'] = (work, isolation = 'serializable') => {
    const within = joined.current
    if (within === undefined) {
      if (engine.isRemote && !health.isWritable)
        return Promise.reject(new StorageUnavailableError('the database is away'))
      return effects.after(work, (run) => health.watch(engine.transaction(run, isolation)))
    }
    return health.watch(within.turns.run(() => engine.savepoint(within.tx, () => work(within.tx))))
  }
  return {
    node,
    engine: engine.name,
    get read() {
      return joined.current?.tx ?? engine.read
    },
    write,
    writeInTurn: (turn, work) =>
      write(async (tx) => {
        await engine.takeTurn(tx, turn)
        return await work(tx)
      }, 'read-committed'),
    inOneCommit: async (work) => {
      const { result, effects: late } = await write((tx) => joined.run(tx, () => work(tx)))
      for (const effect of late) effect()
      return result
    },
    onCommit: (tx, effect) => {
      effects.add(tx, effect)
    },
    whenDurable: (effect) => {
      const within = joined.current
      if (within === undefined) effect()
      else within.effects.push(effect)
    },
    get isWritable() {
      return health.isWritable
    },
    figures: () => engine.figures(),
    [Symbol.asyncDispose]: async () => {
      health[Symbol.dispose]()
      await engine[Symbol.asyncDispose]()
    },
  }
}

/** A transaction that reads and writes inside its work join. */
class Joined<Tx> {
  readonly tx: Tx
  /**
   * Queue of savepoints: savepoints of one transaction must nest, and concurrent writes would interleave them.
   */
  readonly turns = new SerialQueue()
  readonly effects: (() => void)[] = []

  constructor(tx: Tx) {
    this.tx = tx
  }
}

/** Finds the transaction that the running code belongs to, at any call depth. */
class JoinedWrites<Tx> {
  readonly #context = new AsyncLocalStorage<Joined<Tx>>()
  readonly #open = new Set<Joined<Tx>>()

  /** The transaction that the caller runs in; undefined outside one, and once it has ended. */
  get current(): Joined<Tx> | undefined {
    if (this.#open.size === 0) return undefined
    const joined = this.#context.getStore()
    return joined !== undefined && this.#open.has(joined) ? joined : undefined
  }

  /** Runs `work` within `tx`; resolves with the effects that wait for its commit. */
  async run<Result>(
    tx: Tx,
    work: () => Promise<Result>,
  ): Promise<{ readonly result: Result; readonly effects: readonly (() => void)[] }> {
    const joined = new Joined(tx)
    this.#open.add(joined)
    try {
      const result = await this.#context.run(joined, work)
      return { result, effects: joined.effects }
    } finally {
      this.#open.delete(joined)
      // Without a store, no promise of this process pays for the tracking.
      if (this.#open.size === 0) this.#context.disable()
    }
  }
}

/** Holds effects until their transaction is durable. */
class CommitEffects<Tx extends object> {
  readonly #waiting = new WeakMap<Tx, (() => void)[]>()

  add(tx: Tx, effect: () => void): void {
    const known = this.#waiting.get(tx)
    if (known === undefined) this.#waiting.set(tx, [effect])
    else known.push(effect)
  }

  /**
   * Runs `work` in a transaction, and its effects after the commit. A retry is a new transaction: the effects
   * of the first attempt are dropped.
   */
  async after<Result>(
    work: (tx: Tx) => Promise<Result>,
    transaction: (run: (tx: Tx) => Promise<Result>) => Promise<Result>,
  ): Promise<Result> {
    let last: Tx | undefined
    const result = await transaction((tx) => {
      last = tx
      return work(tx)
    })
    if (last !== undefined) this.#run(last)
    return result
  }

  /** Writes in one commit share its effects; the first that resolves runs them. */
  #run(tx: Tx): void {
    const effects = this.#waiting.get(tx) ?? []
    this.#waiting.delete(tx)
    for (const effect of effects) effect()
  }
}
