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
  accountSid: string
  friendlyName: string
  voiceUrl: UrlColumn<null>
  voiceMethod: WebhookMethod
  voiceFallbackUrl: UrlColumn<null>
  voiceFallbackMethod: WebhookMethod
  voiceCallerIdLookup: number
  statusCallback: UrlColumn<null>
  statusCallbackMethod: WebhookMethod
  /** The events with commas between them; null stands for the default. */
  statusCallbackEvents: string | null
  messageStatusCallback: UrlColumn<null>
  smsUrl: UrlColumn<null>
  smsMethod: WebhookMethod
  smsFallbackUrl: UrlColumn<null>
  smsFallbackMethod: WebhookMethod
  createdAt: number
  updatedAt: number
}

/** The voice API's settings of the numbers that accounts hold, one row each. */
export interface NumberBindingsTable {
  numberSid: string
  accountSid: string
  voiceUrl: UrlColumn<null>
  voiceMethod: WebhookMethod
  voiceFallbackUrl: UrlColumn<null>
  voiceFallbackMethod: WebhookMethod
  voiceApplicationSid: string | null
  voiceCallerIdLookup: number
  voiceReceiveMode: 'voice' | 'fax'
  smsUrl: UrlColumn<null>
  smsMethod: WebhookMethod
  smsFallbackUrl: UrlColumn<null>
  smsFallbackMethod: WebhookMethod
  smsApplicationSid: string | null
  statusCallback: UrlColumn<null>
  statusCallbackMethod: WebhookMethod
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
