/** Rooms, those that are over included; who is in one is known to the running process alone. */
export const conferences = `
create table conferences (
  sid text primary key,
  account_sid text not null,
  friendly_name text not null,
  status text not null,
  reason_ended text,
  ended_by text,
  created_at integer not null,
  updated_at integer not null
) without rowid;
create index conferences_by_account on conferences (account_sid, created_at desc, sid desc);
create index conferences_live on conferences (status) where status <> 'completed';
`
