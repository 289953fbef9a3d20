import { accountsBaseline } from '../../accounts/tables.js'
import { phoneNumbersBaseline } from '../../numbers/tables.js'
import type { Migration } from '../../platform/database/migration.js'
import type { UrlColumn } from '../../platform/database/tables.js'
import type { WebhookMethod } from '../../platform/http/http-method.js'

declare module '../../platform/database/tables.js' {
  interface Tables {
    applications: ApplicationsTable
    number_bindings: NumberBindingsTable
  }
}

export interface ApplicationsTable {
  sid: string
  account_sid: string
  friendly_name: string
  voice_url: UrlColumn<null>
  voice_method: WebhookMethod
  voice_fallback_url: UrlColumn<null>
  voice_fallback_method: WebhookMethod
  voice_caller_id_lookup: number
  status_callback: UrlColumn<null>
  status_callback_method: WebhookMethod
  /** The events with commas between them; null stands for the default. */
  status_callback_events: string | null
  message_status_callback: UrlColumn<null>
  sms_url: UrlColumn<null>
  sms_method: WebhookMethod
  sms_fallback_url: UrlColumn<null>
  sms_fallback_method: WebhookMethod
  created_at: number
  updated_at: number
}

/** The voice API's settings of the numbers that accounts hold, one row each. */
export interface NumberBindingsTable {
  number_sid: string
  account_sid: string
  voice_url: UrlColumn<null>
  voice_method: WebhookMethod
  voice_fallback_url: UrlColumn<null>
  voice_fallback_method: WebhookMethod
  voice_application_sid: string | null
  voice_caller_id_lookup: number
  voice_receive_mode: 'voice' | 'fax'
  sms_url: UrlColumn<null>
  sms_method: WebhookMethod
  sms_fallback_url: UrlColumn<null>
  sms_fallback_method: WebhookMethod
  sms_application_sid: string | null
  status_callback: UrlColumn<null>
  status_callback_method: WebhookMethod
  updated_at: number
}

export const applicationsBaseline: Migration = {
  name: 'applications/1-baseline',
  after: [accountsBaseline, phoneNumbersBaseline],
  statements: () => `
create table applications (
  sid text primary key,
  account_sid text not null references accounts (sid),
  friendly_name text not null,
  voice_url text,
  voice_method text not null,
  voice_fallback_url text,
  voice_fallback_method text not null,
  voice_caller_id_lookup integer not null,
  status_callback text,
  status_callback_method text not null,
  status_callback_events text,
  message_status_callback text,
  sms_url text,
  sms_method text not null,
  sms_fallback_url text,
  sms_fallback_method text not null,
  created_at bigint not null,
  updated_at bigint not null
);
create index applications_by_account on applications (account_sid, created_at desc, sid desc);
create index applications_by_name
  on applications (account_sid, friendly_name, created_at desc, sid desc);
create table number_bindings (
  number_sid text primary key references phone_numbers (sid) on delete cascade,
  account_sid text not null,
  voice_url text,
  voice_method text not null,
  voice_fallback_url text,
  voice_fallback_method text not null,
  voice_application_sid text references applications (sid),
  voice_caller_id_lookup integer not null,
  voice_receive_mode text not null,
  sms_url text,
  sms_method text not null,
  sms_fallback_url text,
  sms_fallback_method text not null,
  sms_application_sid text references applications (sid),
  status_callback text,
  status_callback_method text not null,
  updated_at bigint not null
);
create index number_bindings_by_voice_application on number_bindings (voice_application_sid)
  where voice_application_sid is not null;
create index number_bindings_by_sms_application on number_bindings (sms_application_sid)
  where sms_application_sid is not null;
`,
}
