/** Append-only: a released migration never changes; what it got wrong, the next one mends. */
export const voiceTables = `
create table accounts (
  sid text primary key,
  friendly_name text not null,
  status text not null,
  secret_hash text not null unique,
  secret_sealed text not null,
  phone_regions text not null,
  created_at integer not null,
  updated_at integer not null
);
create table phone_numbers (
  sid text primary key,
  account_sid text not null references accounts (sid),
  phone_number text not null unique,
  voice_url text,
  voice_method text not null,
  voice_fallback_url text,
  voice_fallback_method text not null,
  status_callback text,
  status_callback_method text not null,
  created_at integer not null,
  updated_at integer not null
);
create index phone_numbers_by_account on phone_numbers (account_sid, created_at);
create table carriers (
  id integer primary key,
  name text not null unique,
  host text not null,
  port integer not null,
  transport text not null,
  prefixes text not null,
  priority integer not null,
  weight integer not null,
  addresses text not null,
  username text,
  password_sealed text,
  created_at integer not null
);
create table calls (
  sid text primary key,
  account_sid text not null references accounts (sid),
  parent_call_sid text,
  direction text not null,
  to_address text not null,
  from_address text not null,
  caller_name text,
  forwarded_from text,
  phone_number_sid text,
  status text not null,
  answered_by text,
  started_at integer,
  answered_at integer,
  ended_at integer,
  duration_seconds integer,
  queue_ms integer not null,
  sip_call_id text,
  sip_status integer,
  end_reason text,
  plan text not null,
  callback_count integer not null,
  created_at integer not null,
  updated_at integer not null
);
create index calls_by_account on calls (account_sid, created_at desc, sid desc);
create index calls_unfinished on calls (status) where ended_at is null;
create table call_events (
  id integer primary key,
  call_sid text not null,
  account_sid text not null,
  at integer not null,
  kind text not null,
  detail text not null
);
create index call_events_by_call on call_events (call_sid, id);
create table outbox (
  id integer primary key,
  stream text not null,
  account_sid text not null,
  kind text not null,
  url text not null,
  method text not null,
  params text not null,
  created_at integer not null,
  next_attempt_at integer not null,
  attempts integer not null,
  state text not null,
  last_status integer,
  last_error text,
  idempotency_token text not null
);
create index outbox_pending on outbox (account_sid, next_attempt_at, id) where state = 'pending';
create index outbox_by_stream on outbox (stream, id);
`
