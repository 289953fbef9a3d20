import type { ClaimColumns } from '../platform/database/claims.js'
import type { Migration } from '../platform/database/migration.js'

declare module '../platform/database/tables.js' {
  interface Tables {
    number_orders: NumberOrdersTable
    number_purchases: NumberPurchasesTable
    number_give_backs: NumberGiveBacksTable
  }
}

/** The orders that go to the number provider. Each is stored before the provider hears of it. */
export interface NumberOrdersTable extends ClaimColumns {
  /** The name of the order, here, in the ledger and at the provider. */
  id: string
  accountSid: string
  /** The `Idempotency-Key` of the customer's request; null without one. */
  requestKey: string | null
  /** What was wanted, as JSON: a repeated request is compared with it. */
  wanted: string
  reference: string
  /** The numbers and where each comes from, as JSON. */
  numbers: string
  /** The price of one number, in millionths of a dollar; it is reserved while the order is placed. */
  price: number
  /** `abandoned`: the provider has not answered in time, and what it may have sold is given back. */
  state: 'placing' | 'settled' | 'abandoned'
  /** What the customer has got, as JSON; null while the order is placed. */
  result: string | null
  attempts: number
  /** The time of the next request to the provider; null when there is none to come. */
  nextAt: number | null
  createdAt: number
  endedAt: number | null
}

/** The numbers that accounts hold and that an order has brought from the provider. */
export interface NumberPurchasesTable {
  phoneNumber: string
  orderId: string
}

/** The numbers that the provider is to get back. */
export interface NumberGiveBacksTable extends ClaimColumns {
  orderId: string
  phoneNumber: string
  attempts: number
  /** Null once nobody tries any more. */
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
