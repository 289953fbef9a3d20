import type { Position } from '../../platform/database/newest-first.js'
import type { CreatedRange, KeysetPage } from '../../platform/database/oldest-first.js'

/** One kind of records in an archive, each as the API shows it. */
export interface ExportKind {
  readonly name: 'calls' | 'messages' | 'recordings' | 'payments'
  /** The fields that are columns of the CSV; none for a kind that does not exist yet. */
  readonly columns: readonly string[]
  /** Reads some records of the account in the order of their creation. */
  page(accountSid: string, range: CreatedRange, page: KeysetPage): Promise<ExportPage>
}

export interface ExportPage {
  readonly records: readonly object[]
  /** The position of the last record; undefined for an empty page. */
  readonly last: Position | undefined
  /** The number of these records that can still change. */
  readonly unfinished: number
}
