/** The kinds of records in an archive. Each record has the form that the API shows. */
import type { Reader } from '../../platform/database/database.js'
import { createdCalls } from '../calls/read-calls.js'
import type { ExportKind, ExportPage } from '../exports/export-kind.js'
import { createdRecordings } from '../recordings/list-recordings.js'
import { isOver } from '../recordings/recording-record.js'
import type { Recordings } from '../recordings/recordings.js'
import { callToWire } from './call-operations.js'
import { callResource } from './call-schemas.js'
import { show } from './recording-media.js'
import { recordingResource } from './recording-schemas.js'

/** Fields with nested values; only the JSON lines contain them, not the CSV. */
const NOT_COLUMNS = ['subresource_uris', 'encryption_details']

export function exportKinds(read: Reader, recordings: Recordings): readonly ExportKind[] {
  return [
    {
      name: 'calls',
      columns: columnsOf(callResource.shape),
      page: async (...asked) =>
        pageOf(
          await createdCalls(read, ...asked),
          callToWire,
          (call) => call.endedAt !== undefined,
        ),
    },
    nothingYet('messages'),
    {
      name: 'recordings',
      columns: columnsOf(recordingResource.shape),
      page: async (...asked) =>
        pageOf(await createdRecordings(read, ...asked), (each) => show(recordings, each), isOver),
    },
    nothingYet('payments'),
  ]
}

/** A kind without records on this server; its files are empty. */
function nothingYet(name: ExportKind['name']): ExportKind {
  const empty = { records: [], last: undefined, unfinished: 0 }
  return { name, columns: [], page: () => Promise.resolve(empty) }
}

function columnsOf(shape: object): readonly string[] {
  return Object.keys(shape).filter((name) => !NOT_COLUMNS.includes(name))
}

function pageOf<Item extends { readonly sid: string; readonly createdAt: number }>(
  items: readonly Item[],
  toWire: (item: Item) => object,
  isFinal: (item: Item) => boolean,
): ExportPage {
  const last = items.at(-1)
  return {
    records: items.map(toWire),
    last: last && { at: last.createdAt, sid: last.sid },
    unfinished: items.filter((item) => !isFinal(item)).length,
  }
}
