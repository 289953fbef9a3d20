import { sql } from 'kysely'
import { CommitEffects } from './commit-effects.js'
import type { Database, Writer } from './database.js'
import type { Engine } from './engine.js'
import { JoinedWrites } from './joined-writes.js'
import { StorageUnavailableError } from './storage-error.js'
import { WriteHealth } from './write-health.js'

/** Makes the store of an engine, and owns the engine from then on. */
export function databaseOn(engine: Engine, node: string): Database {
  const health = new WriteHealth({
    failureOf: (error) => engine.failureOf(error),
    probe: async () => {
      // Any row will do: only a page that is really written says that the disk takes one.
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
