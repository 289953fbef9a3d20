import { accountsBaseline } from '../../accounts/tables.js'
import { phoneNumbersBaseline } from '../../numbers/tables.js'
import type { Migration } from '../../platform/database/migration.js'
import type { UrlColumn } from '../../platform/database/tables.js'
import type { WebhookColumns } from './webhook-settings.js'

declare module '../../platform/database/tables.js' {
  interface Tables {
    applications: ApplicationsTable
    number_bindings: NumberBindingsTable
  }
}

export interface ApplicationsTable extends WebhookColumns {
  sid: string
  accountSid: string
  friendlyName: string
  /** Events separated by commas; null for the default. */
  statusCallbackEvents: string | null
  messageStatusCallback: UrlColumn<null>
  createdAt: number
  updatedAt: number
}

/** The voice settings of assigned numbers, one row each. */
export interface NumberBindingsTable extends WebhookColumns {
  numberSid: string
  accountSid: string
  voiceApplicationSid: string | null
  voiceReceiveMode: 'voice' | 'fax'
  smsApplicationSid: string | null
  updatedAt: number
}

export const applicationsBaseline: Migration = {
  name: 'applications/1-baseline',
  after: [accountsBaseline, phoneNumbersBaseline],
  statements: () => `
create table applications (
  sid text primary key,
  "accountSid" text not null references accounts (sid),
  "friendlyName" text not null,
  "voiceUrl" text,
  "voiceMethod" text not null,
  "voiceFallbackUrl" text,
  "voiceFallbackMethod" text not null,
  "voiceCallerIdLookup" integer not null,
  "statusCallback" text,
  "statusCallbackMethod" text not null,
  "statusCallbackEvents" text,
  "messageStatusCallback" text,
  "smsUrl" text,
  "smsMethod" text not null,
  "smsFallbackUrl" text,
  "smsFallbackMethod" text not null,
  "createdAt" bigint not null,
  "updatedAt" bigint not null
);
create index applications_by_account on applications ("accountSid", "createdAt" desc, sid desc);
create index applications_by_name
  on applications ("accountSid", "friendlyName", "createdAt" desc, sid desc);
create table number_bindings (
  "numberSid" text primary key references phone_numbers (sid) on delete cascade,
  "accountSid" text not null,
  "voiceUrl" text,
  "voiceMethod" text not null,
  "voiceFallbackUrl" text,
  "voiceFallbackMethod" text not null,
  "voiceApplicationSid" text references applications (sid),
  "voiceCallerIdLookup" integer not null,
  "voiceReceiveMode" text not null,
  "smsUrl" text,
  "smsMethod" text not null,
  "smsFallbackUrl" text,
  "smsFallbackMethod" text not null,
  "smsApplicationSid" text references applications (sid),
  "statusCallback" text,
  "statusCallbackMethod" text not null,
  "updatedAt" bigint not null
);
create index number_bindings_by_voice_application on number_bindings ("voiceApplicationSid")
  where "voiceApplicationSid" is not null;
create index number_bindings_by_sms_application on number_bindings ("smsApplicationSid")
  where "smsApplicationSid" is not null;
`,
}
