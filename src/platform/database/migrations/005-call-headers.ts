/** Headers of an INVITE that the application is told with every webhook: JSON pairs, or null. */
export const callHeaders = `
alter table calls add column sip_headers text;
`
