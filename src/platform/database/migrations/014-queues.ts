/** Queues of callers; the rows of those who are in one are what a killed process left. */
export const queues = `
create table queues (
  sid text primary key,
  account_sid text not null,
  friendly_name text not null,
  max_size integer not null,
  created_at integer not null,
  updated_at integer not null
) without rowid;
create unique index queues_by_name on queues (account_sid, friendly_name);
create index queues_by_account on queues (account_sid, created_at desc, sid desc);
create table queue_members (
  call_sid text primary key,
  account_sid text not null,
  queue_sid text not null,
  enqueued_at integer not null,
  bridged_at integer,
  action_url text,
  action_method text not null
) without rowid;
create index queue_members_by_queue on queue_members (queue_sid);
`
