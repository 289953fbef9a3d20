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
  number_sid: string
  is_enabled: number
  /** The name of the carrier that takes its messages; null: the first one. */
  route_out: string | null
  /** Where the messages go that come to it; null: by the settings of the number. */
  route_in: RouteInType | null
  route_in_resource: UrlColumn<null>
  updated_at: number
}

export const messageNumbersBaseline: Migration = {
  name: 'messages/4-numbers',
  after: [phoneNumbersBaseline],
  statements: ({ byKey }) => `
create table message_numbers (
  number_sid text primary key references phone_numbers (sid) on delete cascade,
  is_enabled integer not null,
  route_out text,
  route_in text,
  route_in_resource text,
  updated_at bigint not null
)${byKey};
`,
}
