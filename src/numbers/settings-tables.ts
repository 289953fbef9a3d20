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
  number_sid: string
  /** The id of a system route, or of a gateway of the account. */
  route: number
  /** The registered user of the route USER. */
  route_user: string | null
  /** The number in E.164 that calls are forwarded to; null: they are not. */
  forward_to: string | null
  /** The number that the destination is given in place of the called one. */
  translation: string | null
  looks_up_caller_name: number
  caller_name: string | null
  /** The PIN with which another carrier may take the number, sealed by the vault. */
  port_out_pin_sealed: string | null
  fax_enabled: number
  porting: 'in' | 'out' | null
  updated_at: number
}

export const numberSettingsBaseline: Migration = {
  name: 'phone-numbers/3-settings',
  after: [phoneNumbersBaseline],
  statements: ({ byKey }) => `
create table number_settings (
  number_sid text primary key references phone_numbers (sid) on delete cascade,
  route integer not null,
  route_user text,
  forward_to text,
  translation text,
  looks_up_caller_name integer not null,
  caller_name text,
  port_out_pin_sealed text,
  fax_enabled integer not null,
  porting text,
  updated_at bigint not null
)${byKey};
create index number_settings_by_route on number_settings (route);
`,
}
