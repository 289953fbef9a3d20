/** Imports inventory from CSV, in batches, so that a file of any length needs little memory. */
import type { Clock } from '../platform/clock.js'
import type { Database, Writer } from '../platform/database/database.js'
import type { Selectable } from '../platform/database/tables.js'
import { newSid } from '../platform/ids.js'
import { CsvError, csvRecords } from './import/csv-records.js'
import {
  COLUMNS,
  type Header,
  RowError,
  readHeader,
  readInventoryRow,
} from './import/read-inventory-row.js'
import { type InventoryNumber, toInventoryRow } from './inventory-number.js'
import type { PhoneNumberImportsTable } from './tables.js'

export { COLUMNS }

export interface InventoryImport {
  readonly sid: string
  /** `interrupted`: no row has come for minutes, because the server or the client is gone. */
  readonly status: 'running' | 'completed' | 'failed' | 'interrupted'
  /** Rows of new numbers, and rows of numbers that the inventory had already. */
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

export interface InventoryImports {
  /**
   * Imports the rows as they come and resolves with the outcome. Rows before a failure stay
   * imported; the same file can be sent again.
   */
  run(bytes: AsyncIterable<Uint8Array>): Promise<InventoryImport>
  /** The newest imports first. */
  list(): Promise<readonly InventoryImport[]>
  /** An import with its first refused rows; undefined for an unknown sid. */
  find(
    sid: string,
  ): Promise<{ readonly done: InventoryImport; readonly rows: readonly RefusedRow[] } | undefined>
}

const BATCH_ROWS = 500
const MAX_LISTED = 100
/** The refused rows of an import that are kept; all of them are counted. */
const MAX_REFUSALS = 1_000
const MAX_TEXT = 200
/** The listener ends a connection on which nothing moves within this time. */
const INTERRUPTED_AFTER_MS = 180_000
const MAX_BYTES = 1024 * 1024 * 1024

interface ImportDeps {
  readonly db: Database
  readonly clock: Clock
}

export function createInventoryImports(deps: ImportDeps): InventoryImports {
  const { db, clock } = deps
  return {
    run: (bytes) => runImport(bytes, deps),
    list: async () => {
      const rows = await db.read
        .selectFrom('phone_number_imports')
        .selectAll()
        .orderBy('created_at', 'desc')
        .orderBy('sid', 'desc')
        .limit(MAX_LISTED)
        .execute()
      return rows.map((row) => toImport(row, clock.now()))
    },
    find: async (sid) => {
      const row = await db.read
        .selectFrom('phone_number_imports')
        .selectAll()
        .where('sid', '=', sid)
        .executeTakeFirst()
      if (row === undefined) return undefined
      const rows = await db.read
        .selectFrom('phone_number_import_refusals')
        .select(['line', 'text', 'reason'])
        .where('import_sid', '=', sid)
        .orderBy('line')
        .execute()
      return { done: toImport(row, clock.now()), rows }
    },
  }
}

async function runImport(
  bytes: AsyncIterable<Uint8Array>,
  { db, clock }: ImportDeps,
): Promise<InventoryImport> {
  const batches = new ImportBatches(db, clock)
  await batches.begin()
  try {
    let header: Header | undefined
    for await (const { line, fields } of csvRecords(limited(bytes))) {
      if (header === undefined) header = readHeader(fields)
      else await batches.take(line, fields, header)
    }
    if (header === undefined) throw new RowError('the file is empty')
    return await batches.end(undefined)
  } catch (error) {
    if (error instanceof CsvError || error instanceof RowError)
      return await batches.end(error.message)
    throw error
  }
}

/** Passes bytes on up to the limit. Throws CsvError beyond it, and when the sender goes away. */
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

/** Stores the rows of one import, a batch with its progress in one commit. */
class ImportBatches {
  readonly #db: Database
  readonly #clock: Clock
  readonly #sid = newSid('IM')
  #numbers = new Map<string, InventoryNumber>()
  #refused: RefusedRow[] = []
  #refusedCount = 0
  #keptCount = 0

  constructor(db: Database, clock: Clock) {
    this.#db = db
    this.#clock = clock
  }

  async begin(): Promise<void> {
    const now = this.#clock.now()
    const row = {
      sid: this.#sid,
      status: 'running' as const,
      added: 0,
      changed: 0,
      refused: 0,
      problem: null,
      created_at: now,
      updated_at: now,
    }
    await this.#db.write((tx) => tx.insertInto('phone_number_imports').values(row).execute())
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
      const number = readInventoryRow(header, fields)
      if (this.#numbers.has(number.e164)) refuse('the number is in the file twice')
      else this.#numbers.set(number.e164, number)
    } catch (error) {
      if (!(error instanceof RowError)) throw error
      refuse(error.message)
    }
    if (this.#numbers.size + this.#refusedCount >= BATCH_ROWS) await this.#store('running')
  }

  /** Stores the last batch and the outcome. */
  async end(problem: string | undefined): Promise<InventoryImport> {
    await this.#store(problem === undefined ? 'completed' : 'failed', problem)
    const row = await this.#db.read
      .selectFrom('phone_number_imports')
      .selectAll()
      .where('sid', '=', this.#sid)
      .executeTakeFirstOrThrow()
    return toImport(row, this.#clock.now())
  }

  async #store(status: 'running' | 'completed' | 'failed', problem?: string): Promise<void> {
    const batch = {
      sid: this.#sid,
      numbers: [...this.#numbers.values()],
      refusals: this.#refused.map((row) => ({ import_sid: this.#sid, ...row })),
      refused: this.#refusedCount,
      status,
      problem: problem ?? null,
      now: this.#clock.now(),
    }
    await this.#db.write((tx) => storeBatch(tx, batch))
    this.#numbers = new Map()
    this.#refused = []
    this.#refusedCount = 0
  }
}

interface Batch {
  readonly sid: string
  readonly numbers: readonly InventoryNumber[]
  readonly refusals: readonly (RefusedRow & { readonly import_sid: string })[]
  readonly refused: number
  readonly status: 'running' | 'completed' | 'failed'
  readonly problem: string | null
  readonly now: number
}

async function storeBatch(tx: Writer, batch: Batch): Promise<void> {
  const { sid, numbers, refusals, now } = batch
  // A known number is replaced as a whole: its row is another one in the counts of the inventory.
  const changed = await removeKnown(tx, numbers)
  if (numbers.length > 0)
    await tx
      .insertInto('phone_number_inventory')
      .values(numbers.map((number) => toInventoryRow(number, now)))
      .execute()
  if (refusals.length > 0)
    await tx.insertInto('phone_number_import_refusals').values(refusals).execute()
  await tx
    .updateTable('phone_number_imports')
    .set((eb) => ({
      status: batch.status,
      problem: batch.problem,
      added: eb('added', '+', numbers.length - changed),
      changed: eb('changed', '+', changed),
      refused: eb('refused', '+', batch.refused),
      updated_at: now,
    }))
    .where('sid', '=', sid)
    .execute()
}

async function removeKnown(tx: Writer, numbers: readonly InventoryNumber[]): Promise<number> {
  if (numbers.length === 0) return 0
  const known = numbers.map(({ e164 }) => e164)
  const removed = await tx
    .deleteFrom('phone_number_inventory')
    .where('phone_number', 'in', known)
    .executeTakeFirst()
  return Number(removed.numDeletedRows)
}

function toImport(row: Selectable<PhoneNumberImportsTable>, now: number): InventoryImport {
  const isSilent = row.status === 'running' && now - row.updated_at > INTERRUPTED_AFTER_MS
  return {
    sid: row.sid,
    status: isSilent ? 'interrupted' : row.status,
    added: row.added,
    changed: row.changed,
    refused: row.refused,
    problem: row.problem ?? undefined,
    startedAt: row.created_at,
    updatedAt: row.updated_at,
  }
}
