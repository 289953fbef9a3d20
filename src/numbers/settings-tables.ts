import type { Migration } from '../platform/database/migration.js'
import { phoneNumbersBaseline } from './tables.js'

declare module '../platform/database/tables.js' {
  interface Tables {
    number_settings: NumberSettingsTable
  }
}

/**
 * Settings of held numbers from the numbering API, one row each. A number without a row has `DEFAULT_SETTINGS`.
 */
export interface NumberSettingsTable {
  numberSid: string
  /** The id of a system route, or of a gateway of the account. */
  route: number
  /** Registered user for the route USER. */
  routeUser: string | null
  /** E.164 number that calls are forwarded to; null: none. */
  forwardTo: string | null
  /** Number that the destination gets in place of the called one. */
  translation: string | null
  looksUpCallerName: number
  callerName: string | null
  /** PIN for porting the number out, sealed by the vault. */
  portOutPinSealed: string | null
  faxEnabled: number
  porting: 'in' | 'out' | null
  updatedAt: number
}

export const numberSettingsBaseline: Migration = {
  name: 'phone-numbers/3-settings',
  after: [phoneNumbersBaseline],
  statements: ({ byKey }) => `
create table number_settings (
  "numberSid" text primary key references phone_numbers (sid) on delete cascade,
  route integer not null,
  "routeUser" text,
  "forwardTo" text,
  translation text,
  "looksUpCallerName" integer not null,
  "callerName" text,
  "portOutPinSealed" text,
  "faxEnabled" integer not null,
  porting text,
  "updatedAt" bigint not null
)${byKey};
create index number_settings_by_route on number_settings (route);
`,
}
