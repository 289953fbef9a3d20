/**
 * Lists of calls: one index for each field that a list is filtered by, in the order of the list, and
 * the number of each account's calls, kept where no code can forget it.
 */
export const callLists = `
create index calls_by_to on calls (account_sid, to_address, created_at desc, sid desc);
create index calls_by_from on calls (account_sid, from_address, created_at desc, sid desc);
create index calls_by_status on calls (account_sid, status, created_at desc, sid desc);
create index calls_by_parent on calls (account_sid, parent_call_sid, created_at desc, sid desc)
  where parent_call_sid is not null;
create table call_counts (
  account_sid text primary key,
  calls integer not null
) without rowid;
insert into call_counts select account_sid, count(*) from calls group by account_sid;
create trigger calls_counted after insert on calls begin
  insert into call_counts values (new.account_sid, 1)
    on conflict (account_sid) do update set calls = calls + 1;
end;
create trigger calls_uncounted after delete on calls begin
  update call_counts set calls = calls - 1 where account_sid = old.account_sid;
end;
`
