import type { Migration } from '../platform/database/migration.js'
import { messageDeliveryBaseline } from './tables.js'

/** The text of a message as it is compared with keywords: the signs around a word count nothing. */
const said = (message: string) => `upper(trim(rtrim(trim(${message}.body), '.!')))`
/** True for a word of a list with commas between the words; the signs of `replace` mean nothing. */
const isListed = (word: string, list: string) =>
  `(${word} <> '' and replace(',' || upper(${list}) || ',', ',' || ${word} || ',', '') <> ',' || upper(${list}) || ',')`
/** A message of the recipient to the number, by the index of messages. */
const between = (message: string) => `
    ${message}."accountSid" = phone_numbers."accountSid"
    and ${message}."fromNumber" = stopped.recipient
    and ${message}."toNumber" = registry_numbers."phoneNumber"
    and ${message}.direction = 'inbound'`

/**
 * A STOP to a toll-free or foreign number under a campaign used to be noted for the campaign, under
 * which such a number does not send. Nobody can tell by now to which number of the campaign it came:
 * it holds for each of them, as the documents said, except for one to which the recipient has sent START
 * since. Only its holder's messages say so: to another account it was no consent. A STOP after that START
 * counts, also in the campaign's own words. A START counts in the usual words alone: an opt-out that holds
 * too long does less harm. The tables of the registry come before those of messages. The keywords are
 * written out, since what a migration does must not change with later ones.
 */
export const ownOptOuts: Migration = {
  name: 'messages/6-own-opt-outs',
  after: [messageDeliveryBaseline],
  statements: ({ jsonText }) => `
insert into message_opt_outs (scope, recipient, "optedOutAt")
select 'number:' || registry_numbers."phoneNumber", stopped.recipient, min(stopped."optedOutAt")
from registry_numbers
join message_opt_outs as stopped on stopped.scope = 'campaign:' || registry_numbers."campaignId"
where (registry_numbers."phoneNumber" not like '+1%'
  or substr(registry_numbers."phoneNumber", 1, 5)
    in ('+1800', '+1833', '+1844', '+1855', '+1866', '+1877', '+1888'))
and not exists (
  select 1 from messages as started
  join phone_numbers on phone_numbers."phoneNumber" = started."toNumber"
  where ${between('started')}
    and started."createdAt" > stopped."optedOutAt"
    and ${said('started')} in ('START', 'YES', 'UNSTOP')
    and not exists (
      select 1 from messages as later
      where ${between('later')}
        and later."createdAt" >= started."createdAt"
        and (${said('later')} in ('STOP', 'STOPALL', 'STOP ALL', 'UNSUBSCRIBE', 'CANCEL', 'END', 'QUIT',
          'REVOKE', 'OPT OUT', 'OPTOUT', 'OPT-OUT', 'REMOVE', 'ARRET', 'TD')
          or exists (
            select 1 from registry_campaigns
            where registry_campaigns."campaignId" = registry_numbers."campaignId"
              and ${isListed(said('later'), jsonText('registry_campaigns.record', 'details', 'optoutKeywords'))}
          ))
    )
)
group by registry_numbers."phoneNumber", stopped.recipient
on conflict (scope, recipient) do nothing;
`,
}
