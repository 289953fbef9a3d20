import type { Position } from '../../platform/database/newest-first.js'
import type { CreatedRange, KeysetPage } from '../../platform/database/oldest-first.js'

/** One kind of record in an archive, in the form that the API shows. */
export interface ExportKind {
  readonly name: 'calls' | 'messages' | 'recordings' | 'payments'
  /** CSV columns; empty for a kind that this server does not have. */
  readonly columns: readonly string[]
  /** Returns a page of the account's records in order of creation. */
  page(accountSid: string, range: CreatedRange, page: KeysetPage): Promise<ExportPage>
}

export interface ExportPage {
  readonly records: readonly object[]
  /** The position of the last record; undefined for an empty page. */
  readonly last: Position | undefined
  /** How many of these records can still change. */
  readonly unfinished: number
}
