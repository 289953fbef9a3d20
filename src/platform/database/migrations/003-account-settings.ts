/** AccountSettings as JSON, its secrets sealed. */
export const accountSettings = `
alter table accounts add column settings text not null default '{}';
`
