/**
 * Builds the archive of one day: a tar file with `manifest.json` and, for each kind of record,
 * gzipped JSON lines and CSV. Memory holds one page of records at a time.
 */

import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip, type Gzip } from 'node:zlib'
import { reasonOf } from '../../../platform/async/abort.js'
import type { CreatedRange } from '../../../platform/database/oldest-first.js'
import { tarOf } from '../../../platform/files/tar.js'
import type { ExportKind } from '../export-kind.js'

export interface ArchiveWork {
  readonly accountSid: string
  readonly day: string
  readonly range: CreatedRange
  readonly kinds: readonly ExportKind[]
  /** An empty folder for the files of this build. */
  readonly folder: string
  readonly now: number
  /** Called after each page with the number of records written and the percentage. */
  readonly onProgress: (progress: BuildProgress) => Promise<void>
  readonly signal: AbortSignal
}

export interface BuildProgress {
  readonly records: number
  readonly percent: number
}

export interface BuiltArchive {
  readonly path: string
  readonly bytes: number
  readonly records: number
  readonly unfinished: number
}

/** Records per page. A larger page takes more memory and blocks the event loop longer. */
const PAGE = 200

/**
 * Characters that make a spreadsheet read a cell as a formula; some skip a leading tab or newline.
 */
const FORMULA_START = /^[=+\-@\t\r\n]/

/** Phone numbers and amounts, which a spreadsheet may read as they are. */
const SIGNED_NUMBER = /^[+-]\d+(?:\.\d+)?$/

export async function buildArchive(work: ArchiveWork): Promise<BuiltArchive> {
  const { kinds, folder, day, accountSid, now, signal } = work
  const counts: Record<string, number> = {}
  let records = 0
  let unfinished = 0
  for (const [index, kind] of kinds.entries()) {
    const written = await writeKind(kind, work, (count, share) =>
      work.onProgress({
        records: records + count,
        percent: Math.floor((100 * (index + share)) / kinds.length),
      }),
    )
    counts[kind.name] = written.records
    records += written.records
    unfinished += written.unfinished
  }
  const manifest = {
    accountSid,
    date: day,
    built: new Date(now).toISOString(),
    counts,
  }
  await writeFile(join(folder, 'manifest.json'), `${JSON.stringify(manifest, undefined, 2)}\n`)
  const names = kinds.flatMap(({ name }) => [`${name}.jsonl.gz`, `${name}.csv.gz`])
  const entries = ['manifest.json', ...names].map((name) => ({ name, path: join(folder, name) }))
  const path = join(folder, `${day}.tar`)
  await pipeline(Readable.from(tarOf(entries, now)), createWriteStream(path), { signal })
  return { path, bytes: (await stat(path)).size, records, unfinished }
}

async function writeKind(
  kind: ExportKind,
  { accountSid, range, folder, signal }: ArchiveWork,
  onPage: (records: number, share: number) => Promise<void>,
): Promise<{ readonly records: number; readonly unfinished: number }> {
  const lines = new GzipFile(join(folder, `${kind.name}.jsonl.gz`))
  const table = new GzipFile(join(folder, `${kind.name}.csv.gz`))
  let records = 0
  let unfinished = 0
  try {
    if (kind.columns.length > 0) await table.write(csvLine(kind.columns))
    let page = await kind.page(accountSid, range, { after: undefined, limit: PAGE })
    while (page.last !== undefined) {
      if (signal.aborted) throw reasonOf(signal)
      await lines.write(page.records.map((each) => `${JSON.stringify(each)}\n`).join(''))
      await table.write(page.records.map((each) => csvRecord(kind.columns, each)).join(''))
      records += page.records.length
      unfinished += page.unfinished
      await onPage(records, (page.last.at - range.from) / (range.before - range.from))
      page = await kind.page(accountSid, range, { after: page.last, limit: PAGE })
    }
    await Promise.all([lines.end(), table.end()])
    return { records, unfinished }
  } catch (error) {
    lines.abandon()
    table.abandon()
    throw error
  }
}

/** Formats values as one CSV line (RFC 4180). */
function csvLine(values: readonly unknown[]): string {
  return `${values.map(cellOf).join(',')}\r\n`
}

/** Returns the values of a record's columns as a CSV line; missing values are empty. */
export function csvRecord(columns: readonly string[], record: object): string {
  const fields = new Map<string, unknown>(Object.entries(record))
  return csvLine(columns.map((column) => fields.get(column)))
}

function cellOf(value: unknown): string {
  if (value === null || value === undefined) return ''
  const text = inert(typeof value === 'string' ? value : JSON.stringify(value))
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/**
 * Prefixes an apostrophe to a text that a spreadsheet would run: callers choose their own names.
 */
function inert(text: string): string {
  return FORMULA_START.test(text) && !SIGNED_NUMBER.test(text) ? `'${text}` : text
}

/** Writes a gzip file piece by piece, with back pressure. */
class GzipFile {
  readonly #gzip: Gzip
  readonly #written: Promise<void>
  #failure: unknown

  constructor(path: string) {
    this.#gzip = createGzip()
    this.#written = pipeline(this.#gzip, createWriteStream(path))
    // The next write, or `end`, throws the failure.
    this.#written.catch((error: unknown) => {
      this.#failure = error
    })
  }

  async write(text: string): Promise<void> {
    if (this.#failure !== undefined) await this.#written
    if (!this.#gzip.write(text)) await Promise.race([once(this.#gzip, 'drain'), this.#written])
  }

  /** Resolves once the file is complete. */
  async end(): Promise<void> {
    this.#gzip.end()
    await this.#written
  }

  /** Stops writing and leaves the file incomplete. */
  abandon(): void {
    this.#gzip.destroy()
  }
}
