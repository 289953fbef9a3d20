/** Whom a room's end is told, also when the process that had it was killed; and what lists filter by. */
export const conferenceCallbacks = `
alter table conferences add column callback text;
alter table conferences add column sequence integer not null default 0;
create index conferences_by_name on conferences (account_sid, friendly_name, created_at desc, sid desc);
`
