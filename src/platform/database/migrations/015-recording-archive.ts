/** Of recordings whose account has a bucket: what is in it, and what is still to be done there. */
export const recordingArchive = `
create table recording_archive (
  sid text primary key,
  account_sid text not null,
  call_sid text not null,
  action text not null,
  state text not null,
  url text,
  region text,
  attempts integer not null,
  next_attempt_at integer not null,
  error_code integer,
  created_at integer not null
) without rowid;
create index recording_archive_due on recording_archive (next_attempt_at) where state = 'pending';
`
