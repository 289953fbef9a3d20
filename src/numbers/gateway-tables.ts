import { accountsBaseline } from '../accounts/tables.js'
import type { Migration } from '../platform/database/migration.js'
import type { Generated } from '../platform/database/tables.js'
import type { ForwardedCaller } from './forwarded-caller.js'

declare module '../platform/database/tables.js' {
  interface Tables {
    gateways: GatewaysTable
  }
}

/** The gateways of accounts: customers' equipment that calls to their numbers are sent to. */
export interface GatewaysTable {
  /** The order of making; the id that customers see begins at `FIRST_GATEWAY_ID`. */
  id: Generated<number>
  accountSid: string
  /** Hosts with optional ports, the preferred one first, with commas. */
  gateway: string
  prefix: string
  /** The calls to it that may be under way at once. */
  callLimit: number
  forwardedCaller: ForwardedCaller
  createdAt: number
  updatedAt: number
}

export const gatewaysBaseline: Migration = {
  name: 'gateways/1-baseline',
  after: [accountsBaseline],
  statements: ({ serial }) => `
create table gateways (
  id ${serial},
  "accountSid" text not null references accounts (sid),
  gateway text not null,
  prefix text not null,
  "callLimit" integer not null,
  "createdAt" bigint not null,
  "updatedAt" bigint not null,
  unique ("accountSid", gateway, prefix)
);
`,
}

export const gatewayForwardedCallers: Migration = {
  name: 'gateways/2-forwarded-callers',
  after: [gatewaysBaseline],
  statements: () => `
alter table gateways add column "forwardedCaller" text not null default 'caller';
`,
}
