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
  account_sid: string
  /** Hosts with optional ports, the preferred one first, with commas. */
  gateway: string
  prefix: string
  /** The calls to it that may be under way at once. */
  call_limit: number
  forwarded_caller: ForwardedCaller
  created_at: number
  updated_at: number
}

export const gatewaysBaseline: Migration = {
  name: 'gateways/1-baseline',
  after: [accountsBaseline],
  statements: ({ serial }) => `
create table gateways (
  id ${serial},
  account_sid text not null references accounts (sid),
  gateway text not null,
  prefix text not null,
  call_limit integer not null,
  created_at bigint not null,
  updated_at bigint not null,
  unique (account_sid, gateway, prefix)
);
`,
}

export const gatewayForwardedCallers: Migration = {
  name: 'gateways/2-forwarded-callers',
  after: [gatewaysBaseline],
  statements: () => `
alter table gateways add column forwarded_caller text not null default 'caller';
`,
}
