import { createAccountNumbers } from '../numbers/account-numbers.js'
import { createNumberOrders } from '../numbers/number-orders.js'
import { createLocalProvider } from '../numbers/number-provider.js'
import type { Registry } from '../registry/registry.js'
import type { Base } from './base.js'
import { problemOf } from './campaigns.js'
import type { Billing } from './ledger.js'

/** The numbers of accounts, the orders of more, and where those come from. */
export function wireNumbering(
  { clock, db, gateways, vault }: Base,
  { ledger }: Pick<Billing, 'ledger'>,
  { numbers: campaigns }: Pick<Registry, 'numbers'>,
) {
  return {
    numbers: createAccountNumbers({ db, clock, vault, gateways }),
    orders: createNumberOrders({
      db,
      clock,
      ledger,
      gateways,
      joinCampaign: async (...asked) =>
        (await problemOf(() => campaigns.provisionIn(...asked)))?.reason,
    }),
    provider: createLocalProvider({ db, clock }),
  }
}
