import type Sqlite from 'better-sqlite3'
import { type ConnectionProvider, type KyselyProps, Transaction } from 'kysely'
import type { Bind } from '../at-rest.js'
import type { Writer } from '../database.js'
import type { DirectChanges } from '../direct-rows.js'
import type { Tables } from '../tables.js'
import { SqliteStatements } from './sqlite-statements.js'

/** Transactions of the writing connection, one at a time; the write queue ensures that. */
export class SqliteWriter {
  readonly #connection: Sqlite.Database
  readonly #statements: SqliteStatements
  readonly #commands: Readonly<Record<Command, Sqlite.Statement>>

  constructor(connection: Sqlite.Database, bind: Bind) {
    this.#connection = connection
    this.#statements = new SqliteStatements(connection, bind)
    this.#commands = {
      // Takes the write lock first: a transaction that has read cannot take it once another wrote.
      begin: connection.prepare('begin immediate'),
      commit: connection.prepare('commit'),
      rollback: connection.prepare('rollback'),
      savepoint: connection.prepare('savepoint job'),
      release: connection.prepare('release job'),
      rollbackTo: connection.prepare('rollback to job'),
    }
  }

  /** True while a transaction is open: a full disk ends it from within. */
  get isOpen(): boolean {
    return this.#connection.inTransaction
  }

  /** Runs `work` in a transaction. The changes of a `work` that throws are undone. */
  async transaction<Result>(work: (tx: Writer) => Promise<Result>): Promise<Result> {
    this.#commands.begin.run()
    using tx = new OpenTransaction(this.#statements)
    try {
      const result = await work(tx.writer)
      this.#commands.commit.run()
      return result
    } catch (error) {
      // A full disk rolls back by itself (sqlite.org/lang_transaction.html §3).
      if (this.isOpen) this.#commands.rollback.run()
      throw error
    }
  }

  /** Runs `work` in a savepoint; if `work` throws, only its own changes are undone. */
  async savepoint<Result>(work: () => Promise<Result>): Promise<Result> {
    const { savepoint, release, rollbackTo } = this.#commands
    savepoint.run()
    try {
      const result = await work()
      release.run()
      return result
    } catch (error) {
      if (this.isOpen) {
        rollbackTo.run()
        release.run()
      }
      throw error
    }
  }

  close(): void {
    this.#statements.close()
  }
}

type Command = 'begin' | 'commit' | 'rollback' | 'savepoint' | 'release' | 'rollbackTo'

/** A transaction until its end: what comes after that would be outside. */
class OpenTransaction implements ConnectionProvider, Disposable {
  readonly writer: Writer
  readonly #statements: SqliteStatements
  #isOver = false

  constructor(statements: SqliteStatements) {
    this.#statements = statements
    const { props } = statements
    const executor = props.executor.withConnectionProvider(this)
    this.writer = new SqliteTransaction({ ...props, executor }, this)
  }

  get statements(): SqliteStatements {
    if (this.#isOver) throw new Error('the transaction is over')
    return this.#statements
  }

  async provideConnection<Result>(
    consumer: (connection: SqliteStatements) => Promise<Result>,
  ): Promise<Result> {
    return await consumer(this.statements)
  }

  [Symbol.dispose](): void {
    this.#isOver = true
  }
}

/** The transaction as work has it. */
class SqliteTransaction extends Transaction<Tables> implements DirectChanges {
  readonly #open: OpenTransaction

  constructor(props: KyselyProps, open: OpenTransaction) {
    super(props)
    this.#open = open
  }

  rowsOf(sql: string, parameters: readonly unknown[]): readonly unknown[] {
    return this.#open.statements.rowsOf(sql, parameters)
  }

  changesOf(sql: string, parameters: readonly unknown[]): number {
    return this.#open.statements.changesOf(sql, parameters)
  }
}
