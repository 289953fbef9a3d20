/** Rows behind another one of their stream leave the index of what may be due. */
export const outboxHeads = `
update outbox set state = 'waiting' where state = 'pending' and exists (
  select 1 from outbox earlier
  where earlier.stream = outbox.stream and earlier.state = 'pending' and earlier.id < outbox.id
);
`
