/** Recordings of what all in a room say. */
export const conferenceRecordings = `
alter table recordings add column conference_sid text;
create index recordings_by_conference on recordings (conference_sid, created_at desc, sid desc)
  where conference_sid is not null;
`
