import { accountsBaseline } from '../../accounts/tables.js'
import type { Migration } from '../../platform/database/migration.js'
import type { UrlColumn } from '../../platform/database/tables.js'
import type { WebhookMethod } from '../../platform/http/http-method.js'

declare module '../../platform/database/tables.js' {
  interface Tables {
    caller_ids: CallerId
    caller_id_verifications: CallerIdVerificationsTable
    caller_id_attempts: CallerIdAttemptsTable
  }
}

/** A number that an account has verified and may use as From of its calls. */
export interface CallerId {
  readonly sid: string
  readonly accountSid: string
  readonly phoneNumber: string
  readonly friendlyName: string
  readonly createdAt: number
  readonly updatedAt: number
}

/** Verification calls in progress. */
export interface CallerIdVerificationsTable {
  callSid: string
  accountSid: string
  phoneNumber: string
  friendlyName: string
  /** The code that the callee must enter, encrypted. */
  codeSealed: string
  statusCallback: UrlColumn<null>
  statusCallbackMethod: WebhookMethod
  createdAt: number
}

/** Verification calls of the last hour, for the rate limit. */
export interface CallerIdAttemptsTable {
  callSid: string
  accountSid: string
  phoneNumber: string
  createdAt: number
}

export const callerIdsBaseline: Migration = {
  name: 'caller-ids/1-baseline',
  after: [accountsBaseline],
  statements: ({ byKey }) => `
create table caller_ids (
  sid text primary key,
  "accountSid" text not null references accounts (sid),
  "phoneNumber" text not null,
  "friendlyName" text not null,
  "createdAt" bigint not null,
  "updatedAt" bigint not null
)${byKey};
create unique index caller_ids_by_number on caller_ids ("accountSid", "phoneNumber");
create index caller_ids_by_account on caller_ids ("accountSid", "createdAt" desc, sid desc);
create table caller_id_verifications (
  "callSid" text primary key,
  "accountSid" text not null,
  "phoneNumber" text not null,
  "friendlyName" text not null,
  "codeSealed" text not null,
  "statusCallback" text,
  "statusCallbackMethod" text not null,
  "createdAt" bigint not null
)${byKey};
create unique index caller_id_verifications_by_number
  on caller_id_verifications ("accountSid", "phoneNumber");
`,
}

export const callerIdAttempts: Migration = {
  name: 'caller-ids/2-attempts',
  after: [callerIdsBaseline],
  statements: ({ byKey }) => `
create table caller_id_attempts (
  "callSid" text primary key,
  "accountSid" text not null,
  "phoneNumber" text not null,
  "createdAt" bigint not null
)${byKey};
create index caller_id_attempts_by_account on caller_id_attempts ("accountSid", "createdAt");
create index caller_id_attempts_by_number on caller_id_attempts ("phoneNumber", "createdAt");
create index caller_id_attempts_by_time on caller_id_attempts ("createdAt");
`,
}
