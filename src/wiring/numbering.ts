import { createAccountNumbers } from '../numbers/account-numbers.js'
import { createHttpSeller } from '../numbers/http-seller.js'
import { createNumberOrders } from '../numbers/number-orders.js'
import { createLocalProvider, createProviderBeside } from '../numbers/number-provider.js'
import type { NumberSeller } from '../numbers/number-seller.js'
import { startOrderRetention } from '../numbers/provider/order-retention.js'
import { ProviderOrders, type ProviderOrdersDeps } from '../numbers/provider-orders.js'
import type { TakingDeps } from '../numbers/take-number.js'
import { portedNumbers as ported } from '../porting/porting-accounts.js'
import type { Registry } from '../registry/registry.js'
import type { Base } from './base.js'
import { problemOf } from './campaigns.js'
import type { Billing } from './ledger.js'

/** Wires accounts' numbers, number orders, and the number provider. */
export function wireNumbering(
  base: Base,
  { ledger }: Pick<Billing, 'ledger'>,
  { numbers: campaigns }: Pick<Registry, 'numbers'>,
) {
  const { clock, config, db, disposer, gateways, log, outbound, vault } = base
  // Runs also without a provider: an earlier configuration may have left orders.
  disposer.use(startOrderRetention({ db, clock, log }))
  const joinCampaign: TakingDeps['joinCampaign'] = async (...asked) =>
    (await problemOf(() => campaigns.provisionIn(...asked)))?.reason
  const taking = { db, clock, ledger, gateways, joinCampaign, ported }
  const numbers = createAccountNumbers({ db, clock, vault, gateways })
  const orders = createNumberOrders(taking)
  const { numberProvider: settings } = config
  if (settings === undefined)
    return { numbers, orders, provider: createLocalProvider({ db, clock, ported }) }
  const seller = createHttpSeller(outbound, settings)
  return {
    numbers,
    orders,
    provider: createProviderBeside({ db, clock, ported }, seller),
    providerOrders: openProviderOrders(base, { ...taking, log, seller }),
  }
}

/** Opens orders at a provider, and resumes those of the previous process. */
function openProviderOrders(
  { disposer, log }: Base,
  deps: ProviderOrdersDeps & { readonly seller: NumberSeller },
): ProviderOrders {
  const orders = disposer.use(new ProviderOrders(deps))
  orders.start().catch((err: unknown) => {
    log.error({ err }, 'could not resume number orders')
  })
  return orders
}
