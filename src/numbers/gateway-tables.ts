import { accountsBaseline } from '../accounts/tables.js'
import type { Migration } from '../platform/database/migration.js'
import type { Generated } from '../platform/database/tables.js'
import type { ForwardedCaller } from './forwarded-caller.js'

declare module '../platform/database/tables.js' {
  interface Tables {
    gateways: GatewaysTable
  }
}

/** Gateways of accounts: customers' equipment that takes calls to their numbers. */
export interface GatewaysTable {
  /** Creation order; the id that customers see starts at `FIRST_GATEWAY_ID`. */
  id: Generated<number>
  accountSid: string
  /** Comma-separated hosts with optional ports, the preferred one first. */
  gateway: string
  prefix: string
  /** Maximum concurrent calls to it. */
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
