import type { Migration } from '../platform/database/migration.js'
import { ownOptOuts } from './opt-out-migration.js'

declare module '../platform/database/tables.js' {
  interface Tables {
    message_number_opt_outs: MessageNumberOptOutsTable
  }
}

/** Recipients who have sent STOP to a number, while this payer's accounts held it. */
export interface MessageNumberOptOutsTable {
  phone_number: string
  payer_sid: string
  recipient: string
  opted_out_at: number
}

const payerOf = (accounts: string) => `coalesce(${accounts}.master_sid, ${accounts}.sid)`

/**
 * Opt-outs of numbers used to have no holder, and those of campaigns no number. The holder of today gets
 * the former; who held the number then is not known, and an opt-out that holds too long does less harm.
 * For the latter the messages say which numbers were told STOP: the first one at the very time of the
 * opt-out. Where no message is left, it holds for every number of the campaign. The words are written
 * out, since what a migration does must not change with later ones.
 */
export const numberOptOuts: Migration = {
  name: 'messages/9-number-opt-outs',
  after: [ownOptOuts],
  statements: ({ byKey }) => `
create table message_number_opt_outs (
  phone_number text not null,
  payer_sid text not null references accounts (sid),
  recipient text not null,
  opted_out_at bigint not null,
  primary key (phone_number, payer_sid, recipient)
)${byKey};
insert into message_number_opt_outs (phone_number, payer_sid, recipient, opted_out_at)
select phone_numbers.phone_number, ${payerOf('accounts')}, stopped.recipient, stopped.opted_out_at
from phone_numbers
join accounts on accounts.sid = phone_numbers.account_sid
join message_opt_outs as stopped on stopped.scope = 'number:' || phone_numbers.phone_number;
delete from message_opt_outs where scope like 'number:%';
insert into message_number_opt_outs (phone_number, payer_sid, recipient, opted_out_at)
select said.to_number, ${payerOf('accounts')}, stopped.recipient, min(said.created_at)
from message_opt_outs as stopped
join messages as said on said.from_number = stopped.recipient and said.scope = stopped.scope
join accounts on accounts.sid = said.account_sid
where said.direction = 'inbound'
  and (said.created_at = stopped.opted_out_at
    or (said.created_at > stopped.opted_out_at
      and upper(trim(rtrim(trim(said.body), '.!'))) in ('STOP', 'STOPALL', 'STOP ALL', 'UNSUBSCRIBE',
        'CANCEL', 'END', 'QUIT', 'REVOKE', 'OPT OUT', 'OPTOUT', 'OPT-OUT', 'REMOVE', 'ARRET', 'TD')))
group by said.to_number, ${payerOf('accounts')}, stopped.recipient
on conflict (phone_number, payer_sid, recipient) do nothing;
insert into message_number_opt_outs (phone_number, payer_sid, recipient, opted_out_at)
select phone_numbers.phone_number, ${payerOf('accounts')}, stopped.recipient, min(stopped.opted_out_at)
from message_opt_outs as stopped
join registry_numbers on 'campaign:' || registry_numbers.campaign_id = stopped.scope
join phone_numbers on phone_numbers.phone_number = registry_numbers.phone_number
join accounts on accounts.sid = phone_numbers.account_sid
where registry_numbers.is_current = 1
  and not exists (
    select 1 from messages as said
    where said.from_number = stopped.recipient
      and said.scope = stopped.scope
      and said.direction = 'inbound'
      and said.created_at = stopped.opted_out_at
  )
group by phone_numbers.phone_number, ${payerOf('accounts')}, stopped.recipient
on conflict (phone_number, payer_sid, recipient) do nothing;
`,
}
