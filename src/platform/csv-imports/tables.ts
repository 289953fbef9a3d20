import type { Migration } from '../database/migration.js'

declare module '../database/tables.js' {
  interface Tables {
    csv_imports: CsvImportsTable
    csv_import_refusals: CsvImportRefusalsTable
  }
}

/** Imports of the operator's files, with their progress. */
export interface CsvImportsTable {
  sid: string
  kind: string
  status: 'running' | 'completed' | 'failed'
  added: number
  changed: number
  refused: number
  problem: string | null
  createdAt: number
  updatedAt: number
}

/** The first refused rows of each import. */
export interface CsvImportRefusalsTable {
  importSid: string
  line: number
  text: string
  reason: string
}

export const csvImportsBaseline: Migration = {
  name: 'csv-imports/1-baseline',
  statements: ({ byKey }) => `
create table csv_imports (
  sid text primary key,
  kind text not null,
  status text not null,
  added integer not null,
  changed integer not null,
  refused integer not null,
  problem text,
  "createdAt" bigint not null,
  "updatedAt" bigint not null
)${byKey};
create index csv_imports_by_time on csv_imports (kind, "createdAt" desc, sid desc);
create table csv_import_refusals (
  "importSid" text not null,
  line integer not null,
  text text not null,
  reason text not null,
  primary key ("importSid", line)
)${byKey};
`,
}
