/** Recordings, in the order of their lists: of an account, and of a call. */
export const recordings = `
create table recordings (
  sid text primary key,
  account_sid text not null,
  call_sid text not null,
  status text not null,
  source text not null,
  channels integer not null,
  track text not null,
  trim text not null,
  max_ms integer,
  callback text,
  started_at integer not null,
  duration_ms integer,
  error_code integer,
  created_at integer not null,
  updated_at integer not null
) without rowid;
create index recordings_by_account on recordings (account_sid, created_at desc, sid desc);
create index recordings_by_call on recordings (call_sid, created_at desc, sid desc);
create index recordings_unfinished on recordings (status)
  where status in ('in-progress', 'paused', 'stopped', 'processing');
`
