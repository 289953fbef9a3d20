/** Imports rows from CSV, in batches, so that a file of any length needs little memory. */
import type { Clock } from '../clock.js'
import type { Database, Writer } from '../database/database.js'
import type { Selectable } from '../database/tables.js'
import { newSid } from '../ids.js'
import { CsvError, csvRecords } from './csv-records.js'
import type { CsvImportsTable } from './tables.js'

/** A row, or the whole file for its header, is refused; the message says why. */
export class RowError extends Error {
  override readonly name = 'RowError'
}

/** One kind of import: how to read its files and store its rows. */
export interface CsvImportKind<Header, Row> {
  /** Name of the kind, stored with each import. */
  readonly name: string
  /** Reads the first record. Throws RowError. The result lives as long as the import. */
  readonly readHeader: (fields: readonly string[]) => Header
  /** Reads a later record. Throws or rejects with RowError for a refused row. */
  readonly readRow: (header: Header, fields: readonly string[]) => Row | Promise<Row>
  /** Key of a row; a batch holds each key once. */
  readonly keyOf: (row: Row) => string
  /** Refusal reason for a second row with the same key. */
  readonly twice: string
  /** Stores rows of different keys; resolves with the number of rows that already existed. */
  readonly store: (tx: Writer, rows: readonly Row[], now: number) => Promise<number>
}

export interface CsvImport {
  readonly sid: string
  /** `interrupted`: no row has arrived for minutes, because the server or the client died. */
  readonly status: 'running' | 'completed' | 'failed' | 'interrupted'
  /** Numbers of new rows and of replaced rows. */
  readonly added: number
  readonly changed: number
  readonly refused: number
  /** Why it failed. */
  readonly problem: string | undefined
  readonly startedAt: number
  readonly updatedAt: number
}

export interface RefusedRow {
  readonly line: number
  readonly text: string
  readonly reason: string
}

export interface CsvImports {
  /**
   * Imports rows as they arrive and resolves with the outcome. Rows before a failure stay imported; the same
   * file can be sent again.
   */
  run(bytes: AsyncIterable<Uint8Array>): Promise<CsvImport>
  /** Lists imports, newest first. */
  list(): Promise<readonly CsvImport[]>
  /** Resolves with an import and its first refused rows; undefined for an unknown sid. */
  find(
    sid: string,
  ): Promise<{ readonly done: CsvImport; readonly rows: readonly RefusedRow[] } | undefined>
}

const BATCH_ROWS = 500
const MAX_LISTED = 100
/** Maximum number of stored refusals of an import; all refusals are counted. */
const MAX_REFUSALS = 1_000
const MAX_TEXT = 200
/** An import without progress for this long is interrupted: the listener has closed its connection by then. */
const INTERRUPTED_AFTER_MS = 180_000
const MAX_BYTES = 1024 * 1024 * 1024

interface ImportDeps {
  readonly db: Database
  readonly clock: Clock
}

export function createCsvImports<Header, Row>(
  deps: ImportDeps,
  kind: CsvImportKind<Header, Row>,
): CsvImports {
  const { db, clock } = deps
  return {
    run: (bytes) => runImport(bytes, deps, kind),
    list: async () => {
      const rows = await db.read
        .selectFrom('csv_imports')
        .selectAll()
        .where('kind', '=', kind.name)
        .orderBy('createdAt', 'desc')
        .orderBy('sid', 'desc')
        .limit(MAX_LISTED)
        .execute()
      return rows.map((row) => toImport(row, clock.now()))
    },
    find: async (sid) => {
      const row = await db.read
        .selectFrom('csv_imports')
        .selectAll()
        .where('sid', '=', sid)
        .where('kind', '=', kind.name)
        .executeTakeFirst()
      if (row === undefined) return undefined
      const rows = await db.read
        .selectFrom('csv_import_refusals')
        .select(['line', 'text', 'reason'])
        .where('importSid', '=', sid)
        .orderBy('line')
        .execute()
      return { done: toImport(row, clock.now()), rows }
    },
  }
}

async function runImport<Header, Row>(
  bytes: AsyncIterable<Uint8Array>,
  deps: ImportDeps,
  kind: CsvImportKind<Header, Row>,
): Promise<CsvImport> {
  const batches = new ImportBatches(deps, kind)
  await batches.begin()
  try {
    let header: { readonly of: Header } | undefined
    for await (const { line, fields } of csvRecords(limited(bytes))) {
      if (header === undefined) header = { of: kind.readHeader(fields) }
      else await batches.take(line, fields, header.of)
    }
    if (header === undefined) throw new RowError('the file is empty')
    return await batches.end(undefined)
  } catch (error) {
    if (error instanceof CsvError || error instanceof RowError)
      return await batches.end(error.message)
    throw error
  }
}

/** Yields the bytes up to the size limit. Throws CsvError above it, and when the client disconnects. */
async function* limited(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let total = 0
  try {
    for await (const chunk of bytes) {
      total += chunk.length
      if (total > MAX_BYTES) break
      yield chunk
    }
  } catch (cause) {
    throw new CsvError('the file ended before it was complete', { cause })
  }
  if (total > MAX_BYTES) throw new CsvError('the file is larger than 1 GB')
}

/** Stores the rows of one import; each batch is committed with its progress. */
class ImportBatches<Header, Row> {
  readonly #deps: ImportDeps
  readonly #kind: CsvImportKind<Header, Row>
  readonly #sid = newSid('IM')
  #rows = new Map<string, Row>()
  #refused: RefusedRow[] = []
  #refusedCount = 0
  #keptCount = 0

  constructor(deps: ImportDeps, kind: CsvImportKind<Header, Row>) {
    this.#deps = deps
    this.#kind = kind
  }

  async begin(): Promise<void> {
    const now = this.#deps.clock.now()
    const row = {
      sid: this.#sid,
      kind: this.#kind.name,
      status: 'running' as const,
      added: 0,
      changed: 0,
      refused: 0,
      problem: null,
      createdAt: now,
      updatedAt: now,
    }
    await this.#deps.db.write((tx) => tx.insertInto('csv_imports').values(row).execute())
  }

  async take(line: number, fields: readonly string[], header: Header): Promise<void> {
    const refuse = (reason: string) => {
      this.#refusedCount += 1
      if (this.#keptCount >= MAX_REFUSALS) return
      this.#keptCount += 1
      const text = fields
        .join(',')
        .replaceAll(/\p{Cc}/gu, ' ')
        .slice(0, MAX_TEXT)
      this.#refused.push({ line, text, reason })
    }
    try {
      const row = await this.#kind.readRow(header, fields)
      const key = this.#kind.keyOf(row)
      if (this.#rows.has(key)) refuse(this.#kind.twice)
      else this.#rows.set(key, row)
    } catch (error) {
      if (!(error instanceof RowError)) throw error
      refuse(error.message)
    }
    if (this.#rows.size + this.#refusedCount >= BATCH_ROWS) await this.#store('running')
  }

  /** Stores the last batch and the outcome. */
  async end(problem: string | undefined): Promise<CsvImport> {
    await this.#store(problem === undefined ? 'completed' : 'failed', problem)
    const row = await this.#deps.db.read
      .selectFrom('csv_imports')
      .selectAll()
      .where('sid', '=', this.#sid)
      .executeTakeFirstOrThrow()
    return toImport(row, this.#deps.clock.now())
  }

  async #store(status: 'running' | 'completed' | 'failed', problem?: string): Promise<void> {
    const batch = {
      sid: this.#sid,
      rows: [...this.#rows.values()],
      refusals: this.#refused.map((row) => ({ importSid: this.#sid, ...row })),
      refused: this.#refusedCount,
      status,
      problem: problem ?? null,
      now: this.#deps.clock.now(),
    }
    await this.#deps.db.write((tx) => storeBatch(tx, batch, this.#kind))
    this.#rows = new Map()
    this.#refused = []
    this.#refusedCount = 0
  }
}

interface Batch<Row> {
  readonly sid: string
  readonly rows: readonly Row[]
  readonly refusals: readonly (RefusedRow & { readonly importSid: string })[]
  readonly refused: number
  readonly status: 'running' | 'completed' | 'failed'
  readonly problem: string | null
  readonly now: number
}

async function storeBatch<Row>(
  tx: Writer,
  batch: Batch<Row>,
  kind: Pick<CsvImportKind<never, Row>, 'store'>,
): Promise<void> {
  const { sid, rows, refusals, now } = batch
  const changed = rows.length === 0 ? 0 : await kind.store(tx, rows, now)
  if (refusals.length > 0) await tx.insertInto('csv_import_refusals').values(refusals).execute()
  await tx
    .updateTable('csv_imports')
    .set((eb) => ({
      status: batch.status,
      problem: batch.problem,
      added: eb('added', '+', rows.length - changed),
      changed: eb('changed', '+', changed),
      refused: eb('refused', '+', batch.refused),
      updatedAt: now,
    }))
    .where('sid', '=', sid)
    .execute()
}

function toImport(row: Selectable<CsvImportsTable>, now: number): CsvImport {
  const isSilent = row.status === 'running' && now - row.updatedAt > INTERRUPTED_AFTER_MS
  return {
    sid: row.sid,
    status: isSilent ? 'interrupted' : row.status,
    added: row.added,
    changed: row.changed,
    refused: row.refused,
    problem: row.problem ?? undefined,
    startedAt: row.createdAt,
    updatedAt: row.updatedAt,
  }
}
