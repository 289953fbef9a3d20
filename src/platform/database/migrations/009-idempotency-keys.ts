/** A client's own name for a request that creates a call: sent again, it gets the same call. */
export const idempotencyKeys = `
create table idempotency_keys (
  account_sid text not null,
  key text not null,
  call_sid text not null,
  created_at integer not null,
  primary key (account_sid, key)
) without rowid;
create index idempotency_keys_by_age on idempotency_keys (created_at);
`
