import { phoneNumbersBaseline } from '../numbers/tables.js'
import type { Migration } from '../platform/database/migration.js'
import { type UrlColumn } from '../platform/database/tables.js'
import type { RouteInType } from './route-in.js'

declare module '../platform/database/tables.js' {
  interface Tables {
    message_numbers: MessageNumbersTable
  }
}

/**
 * What the messaging operations set on numbers that accounts hold, one row each. A number without a
 * row has the settings of `DEFAULT_MESSAGING`.
 */
export interface MessageNumbersTable {
  numberSid: string
  isEnabled: number
  /** The name of the carrier that takes its messages; null: the first one. */
  routeOut: string | null
  /** Where the messages go that come to it; null: by the settings of the number. */
  routeIn: RouteInType | null
  routeInResource: UrlColumn<null>
  updatedAt: number
}

export const messageNumbersBaseline: Migration = {
  name: 'messages/4-numbers',
  after: [phoneNumbersBaseline],
  statements: ({ byKey }) => `
create table message_numbers (
  "numberSid" text primary key references phone_numbers (sid) on delete cascade,
  "isEnabled" integer not null,
  "routeOut" text,
  "routeIn" text,
  "routeInResource" text,
  "updatedAt" bigint not null
)${byKey};
`,
}
