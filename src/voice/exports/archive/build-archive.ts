/**
 * Builds the archive of a day: for each kind its records as JSON lines and as CSV, both compressed,
 * and `manifest.json`, in a tar file. Memory holds one page of records, however many there are.
 */
import { createWriteStream } from 'node:fs'
import { stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { reasonOf } from '../../../platform/async/abort.js'
import type { CreatedRange } from '../../../platform/database/oldest-first.js'
import { tarOf } from '../../../platform/files/tar.js'
import { csvLine, csvRecord } from '../csv.js'
import type { ExportKind } from '../export-kind.js'
import { GzipFile } from './gzip-file.js'

export interface ArchiveWork {
  readonly accountSid: string
  readonly day: string
  readonly range: CreatedRange
  readonly kinds: readonly ExportKind[]
  /** An empty folder for the files of this build. */
  readonly folder: string
  readonly now: number
  /** Called after each page, with the records written so far and the percentage. */
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

/** The records of one page: each costs memory, and the time for which nothing else runs. */
const PAGE = 200

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
    account_sid: accountSid,
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
