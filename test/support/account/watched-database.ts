import type { KyselyPlugin, QueryId } from 'kysely'
import type { Database, Writer } from '../../../src/platform/database/database.js'

/** Statement texts by id: a statement compiled once keeps its id. */
const TEXTS = new WeakMap<QueryId, string>()

/** Wraps a database and records its statements, without values. */
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
  const originals = new WeakMap<Writer, Writer>()
  const watched = (tx: Writer): Writer => {
    const seen = tx.withPlugin(plugin)
    originals.set(seen, tx)
    return seen
  }
  return {
    node: db.node,
    engine: db.engine,
    get read() {
      return db.read.withPlugin(plugin)
    },
    write: (work, isolation) => db.write((tx) => work(watched(tx)), isolation),
    writeInTurn: (turn, work) => db.writeInTurn(turn, (tx) => work(watched(tx))),
    inOneCommit: (work) => db.inOneCommit((tx) => work(watched(tx))),
    onCommit: (tx, effect) => {
      db.onCommit(originals.get(tx) ?? tx, effect)
    },
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
