import { phoneNumbersBaseline } from '../numbers/tables.js'
import type { Migration } from '../platform/database/migration.js'
import { type UrlColumn } from '../platform/database/tables.js'
import type { RouteInType } from './route-in.js'

declare module '../platform/database/tables.js' {
  interface Tables {
    message_numbers: MessageNumbersTable
  }
}

/** Messaging settings of accounts' numbers, one row each. A number without a row has `DEFAULT_MESSAGING`. */
export interface MessageNumbersTable {
  numberSid: string
  isEnabled: number
  /** Name of the carrier for its outbound messages; null: the first one. */
  routeOut: string | null
  /** Destination of its inbound messages; null: by the settings of the number. */
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
