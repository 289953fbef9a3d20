import { accountsBaseline } from '../accounts/tables.js'
import type { Migration } from '../platform/database/migration.js'
import type { WebhookMethod } from '../platform/http/http-method.js'

declare module '../platform/database/tables.js' {
  interface Tables {
    phone_numbers: PhoneNumbersTable
  }
}

export interface PhoneNumbersTable {
  sid: string
  account_sid: string
  phone_number: string
  voice_url: string | null
  voice_method: WebhookMethod
  voice_fallback_url: string | null
  voice_fallback_method: WebhookMethod
  status_callback: string | null
  status_callback_method: WebhookMethod
  created_at: number
  updated_at: number
}

export const phoneNumbersBaseline: Migration = {
  name: 'phone-numbers/1-baseline',
  after: [accountsBaseline],
  statements: () => `
create table phone_numbers (
  sid text primary key,
  account_sid text not null references accounts (sid),
  phone_number text not null unique,
  voice_url text,
  voice_method text not null,
  voice_fallback_url text,
  voice_fallback_method text not null,
  status_callback text,
  status_callback_method text not null,
  created_at bigint not null,
  updated_at bigint not null
);
create index phone_numbers_by_account on phone_numbers (account_sid, created_at);
`,
}
