import type { KyselyPlugin, QueryId } from 'kysely'
import type { Database } from '../../../src/platform/database/database.js'

/** The texts of statements by their ids: one that is compiled once has the same id each time. */
const TEXTS = new WeakMap<QueryId, string>()

/** The database with a list of the statements that ran through it, each without its values. */
export function watchedDatabase(db: Database, statements: string[]): Database {
  const plugin: KyselyPlugin = {
    transformQuery: ({ node, queryId }) => {
      TEXTS.set(queryId, JSON.stringify(node, withoutValues))
      return node
    },
    transformResult: ({ queryId, result }) => {
      statements.push(TEXTS.get(queryId) ?? 'compiled before')
      return Promise.resolve(result)
    },
  }
  return {
    node: db.node,
    engine: db.engine,
    get read() {
      return db.read.withPlugin(plugin)
    },
    write: (work, isolation) => db.write((tx) => work(tx.withPlugin(plugin)), isolation),
    writeInTurn: (turn, work) => db.writeInTurn(turn, (tx) => work(tx.withPlugin(plugin))),
    inOneCommit: (work) => db.inOneCommit((tx) => work(tx.withPlugin(plugin))),
    whenDurable: (effect) => {
      db.whenDurable(effect)
    },
    get isWritable() {
      return db.isWritable
    },
    figures: () => db.figures(),
    [Symbol.asyncDispose]: () => db[Symbol.asyncDispose](),
  }
}

function withoutValues(name: string, value: unknown): unknown {
  return name === 'value' || name === 'values' ? undefined : value
}
