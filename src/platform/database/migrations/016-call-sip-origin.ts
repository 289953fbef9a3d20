/** Whom the INVITE of an inbound call named, and who sent it: told with every webhook of the call. */
export const callSipOrigin = `
alter table calls add column sip_domain text;
alter table calls add column sip_source_ip text;
`
