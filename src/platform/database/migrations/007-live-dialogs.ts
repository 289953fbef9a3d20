/** What is needed to end a live call's SIP dialog when the process that made it is gone. */
export const liveDialogs = `
create table live_dialogs (
  call_sid text primary key,
  facts text not null
) without rowid;
`
