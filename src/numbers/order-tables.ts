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
  account_sid: string
  /** The `Idempotency-Key` of the customer's request; null without one. */
  request_key: string | null
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
  next_at: number | null
  created_at: number
  ended_at: number | null
}

/** The numbers that accounts hold and that an order has brought from the provider. */
export interface NumberPurchasesTable {
  phone_number: string
  order_id: string
}

/** The numbers that the provider is to get back. */
export interface NumberGiveBacksTable extends ClaimColumns {
  order_id: string
  phone_number: string
  attempts: number
  /** Null once nobody tries any more. */
  next_at: number | null
  created_at: number
}

export const numberOrdersBaseline: Migration = {
  name: 'phone-numbers/5-orders',
  statements: ({ byKey }) => `
create table number_orders (
  id text primary key,
  account_sid text not null,
  request_key text,
  wanted text not null,
  reference text not null,
  numbers text not null,
  price bigint not null,
  state text not null,
  result text,
  attempts integer not null,
  next_at bigint,
  claimed_by text,
  claimed_until bigint,
  created_at bigint not null,
  ended_at bigint
)${byKey};
create unique index number_orders_by_request on number_orders (account_sid, request_key);
create index number_orders_due on number_orders (next_at, id) where next_at is not null;
create index number_orders_ended on number_orders (ended_at, id) where ended_at is not null;
create table number_purchases (
  phone_number text primary key,
  order_id text not null
)${byKey};
create table number_give_backs (
  order_id text not null,
  phone_number text not null,
  attempts integer not null,
  next_at bigint,
  claimed_by text,
  claimed_until bigint,
  created_at bigint not null,
  primary key (order_id, phone_number)
)${byKey};
create index number_give_backs_due on number_give_backs (next_at, order_id, phone_number)
  where next_at is not null;
`,
}
