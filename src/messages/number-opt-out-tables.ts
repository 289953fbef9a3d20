import type { Migration } from '../platform/database/migration.js'
import { ownOptOuts } from './opt-out-migration.js'

declare module '../platform/database/tables.js' {
  interface Tables {
    message_number_opt_outs: MessageNumberOptOutsTable
  }
}

/** Recipients who sent STOP to a number while this payer's accounts held it. */
export interface MessageNumberOptOutsTable {
  phoneNumber: string
  payerSid: string
  recipient: string
  optedOutAt: number
}

const payerOf = (accounts: string) => `coalesce(${accounts}."masterSid", ${accounts}.sid)`

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
  "phoneNumber" text not null,
  "payerSid" text not null references accounts (sid),
  recipient text not null,
  "optedOutAt" bigint not null,
  primary key ("phoneNumber", "payerSid", recipient)
)${byKey};
insert into message_number_opt_outs ("phoneNumber", "payerSid", recipient, "optedOutAt")
select phone_numbers."phoneNumber", ${payerOf('accounts')}, stopped.recipient, stopped."optedOutAt"
from phone_numbers
join accounts on accounts.sid = phone_numbers."accountSid"
join message_opt_outs as stopped on stopped.scope = 'number:' || phone_numbers."phoneNumber";
delete from message_opt_outs where scope like 'number:%';
insert into message_number_opt_outs ("phoneNumber", "payerSid", recipient, "optedOutAt")
select said."toNumber", ${payerOf('accounts')}, stopped.recipient, min(said."createdAt")
from message_opt_outs as stopped
join messages as said on said."fromNumber" = stopped.recipient and said.scope = stopped.scope
join accounts on accounts.sid = said."accountSid"
where said.direction = 'inbound'
  and (said."createdAt" = stopped."optedOutAt"
    or (said."createdAt" > stopped."optedOutAt"
      and upper(trim(rtrim(trim(said.body), '.!'))) in ('STOP', 'STOPALL', 'STOP ALL', 'UNSUBSCRIBE',
        'CANCEL', 'END', 'QUIT', 'REVOKE', 'OPT OUT', 'OPTOUT', 'OPT-OUT', 'REMOVE', 'ARRET', 'TD')))
group by said."toNumber", ${payerOf('accounts')}, stopped.recipient
on conflict ("phoneNumber", "payerSid", recipient) do nothing;
insert into message_number_opt_outs ("phoneNumber", "payerSid", recipient, "optedOutAt")
select phone_numbers."phoneNumber", ${payerOf('accounts')}, stopped.recipient, min(stopped."optedOutAt")
from message_opt_outs as stopped
join registry_numbers on 'campaign:' || registry_numbers."campaignId" = stopped.scope
join phone_numbers on phone_numbers."phoneNumber" = registry_numbers."phoneNumber"
join accounts on accounts.sid = phone_numbers."accountSid"
where registry_numbers."isCurrent" = 1
  and not exists (
    select 1 from messages as said
    where said."fromNumber" = stopped.recipient
      and said.scope = stopped.scope
      and said.direction = 'inbound'
      and said."createdAt" = stopped."optedOutAt"
  )
group by phone_numbers."phoneNumber", ${payerOf('accounts')}, stopped.recipient
on conflict ("phoneNumber", "payerSid", recipient) do nothing;
`,
}
