import type { ClaimColumns } from '../platform/database/claims.js'
import type { Migration } from '../platform/database/migration.js'

declare module '../platform/database/tables.js' {
  interface Tables {
    number_orders: NumberOrdersTable
    number_purchases: NumberPurchasesTable
    number_give_backs: NumberGiveBacksTable
  }
}

/** Orders at the number provider. Each is stored before the provider is contacted. */
export interface NumberOrdersTable extends ClaimColumns {
  /** Order name here, in the ledger and at the provider. */
  id: string
  accountSid: string
  /** `Idempotency-Key` of the customer's request; null without one. */
  requestKey: string | null
  /** The request as JSON, to compare repeated requests. */
  wanted: string
  reference: string
  /** The numbers and their sources, as JSON. */
  numbers: string
  /** Price of one number, in millionths of a dollar; reserved while the order is open. */
  price: number
  /** `abandoned`: the provider did not answer in time; anything that it sold is returned. */
  state: 'placing' | 'settled' | 'abandoned'
  /** The result as JSON; null while the order is open. */
  result: string | null
  attempts: number
  /** Time of the next request to the provider; null when none is due. */
  nextAt: number | null
  createdAt: number
  endedAt: number | null
}

/** Held numbers that were bought from the provider. */
export interface NumberPurchasesTable {
  phoneNumber: string
  orderId: string
}

/** Numbers to return to the provider. */
export interface NumberGiveBacksTable extends ClaimColumns {
  orderId: string
  phoneNumber: string
  attempts: number
  /** Null after the last attempt. */
  nextAt: number | null
  createdAt: number
}

export const numberOrdersBaseline: Migration = {
  name: 'phone-numbers/5-orders',
  statements: ({ byKey }) => `
create table number_orders (
  id text primary key,
  "accountSid" text not null,
  "requestKey" text,
  wanted text not null,
  reference text not null,
  numbers text not null,
  price bigint not null,
  state text not null,
  result text,
  attempts integer not null,
  "nextAt" bigint,
  "claimedBy" text,
  "claimedUntil" bigint,
  "createdAt" bigint not null,
  "endedAt" bigint
)${byKey};
create unique index number_orders_by_request on number_orders ("accountSid", "requestKey");
create index number_orders_due on number_orders ("nextAt", id) where "nextAt" is not null;
create index number_orders_ended on number_orders ("endedAt", id) where "endedAt" is not null;
create table number_purchases (
  "phoneNumber" text primary key,
  "orderId" text not null
)${byKey};
create table number_give_backs (
  "orderId" text not null,
  "phoneNumber" text not null,
  attempts integer not null,
  "nextAt" bigint,
  "claimedBy" text,
  "claimedUntil" bigint,
  "createdAt" bigint not null,
  primary key ("orderId", "phoneNumber")
)${byKey};
create index number_give_backs_due on number_give_backs ("nextAt", "orderId", "phoneNumber")
  where "nextAt" is not null;
`,
}
