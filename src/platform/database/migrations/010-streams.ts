/** Streams of calls. No call has two that go on, whoever started them. */
export const streams = `
create table streams (
  sid text primary key,
  account_sid text not null,
  call_sid text not null,
  name text,
  url text not null,
  track text not null,
  kind text not null,
  status text not null,
  callback_url text,
  callback_method text not null,
  created_at integer not null,
  updated_at integer not null
) without rowid;
create index streams_by_call on streams (call_sid, created_at desc);
create unique index streams_going_on on streams (call_sid) where status = 'in-progress';
`
