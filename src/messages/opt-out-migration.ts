import type { Migration } from '../platform/database/migration.js'
import { messageDeliveryBaseline } from './tables.js'

/**
 * A STOP to a toll-free or foreign number under a campaign used to be noted for the campaign, under
 * which such a number does not send. Nobody can tell by now to which number of the campaign it came:
 * it holds for each of them, as the documents said. The tables of the registry come before those of
 * messages.
 */
export const ownOptOuts: Migration = {
  name: 'messages/6-own-opt-outs',
  after: [messageDeliveryBaseline],
  statements: () => `
insert into message_opt_outs (scope, recipient, opted_out_at)
select 'number:' || registry_numbers.phone_number, stopped.recipient, min(stopped.opted_out_at)
from registry_numbers
join message_opt_outs as stopped on stopped.scope = 'campaign:' || registry_numbers.campaign_id
where registry_numbers.phone_number not like '+1%'
  or substr(registry_numbers.phone_number, 1, 5)
    in ('+1800', '+1833', '+1844', '+1855', '+1866', '+1877', '+1888')
group by registry_numbers.phone_number, stopped.recipient
on conflict (scope, recipient) do nothing;
`,
}
