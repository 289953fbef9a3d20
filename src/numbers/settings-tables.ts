import type { Migration } from '../platform/database/migration.js'
import { phoneNumbersBaseline } from './tables.js'

declare module '../platform/database/tables.js' {
  interface Tables {
    number_settings: NumberSettingsTable
  }
}

/**
 * What the numbering API sets on numbers that accounts hold, one row each. A number without a row has
 * the settings of `DEFAULT_SETTINGS`.
 */
export interface NumberSettingsTable {
  numberSid: string
  /** The id of a system route, or of a gateway of the account. */
  route: number
  /** The registered user of the route USER. */
  routeUser: string | null
  /** The number in E.164 that calls are forwarded to; null: they are not. */
  forwardTo: string | null
  /** The number that the destination is given in place of the called one. */
  translation: string | null
  looksUpCallerName: number
  callerName: string | null
  /** The PIN with which another carrier may take the number, sealed by the vault. */
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
