import type { Migration } from '../platform/database/migration.js'

declare module '../platform/database/tables.js' {
  interface Tables {
    lookup_answers: LookupAnswersTable
  }
}

/** The answers of a provider of look-ups, each for an hour. */
export interface LookupAnswersTable {
  /** The query: `name` or `route`, and the numbers. */
  question: string
  /** The answer as JSON. */
  answer: string
  askedAt: number
}

export const lookupsBaseline: Migration = {
  name: 'lookups/1-baseline',
  statements: ({ byKey }) => `
create table lookup_answers (
  question text primary key,
  answer text not null,
  "askedAt" bigint not null
)${byKey};
create index lookup_answers_by_age on lookup_answers ("askedAt");
`,
}
