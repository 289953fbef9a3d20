/** Dependencies of the operations on numbers. */
import type { Accounts } from '../../accounts/accounts.js'
import type { Messages } from '../../messages/messages.js'
import type { AccountNumbers } from '../../numbers/account-numbers.js'
import type { NumberOrders } from '../../numbers/number-orders.js'
import type { NumberProvider } from '../../numbers/number-provider.js'
import type { ProviderOrders } from '../../numbers/provider-orders.js'

export interface Numbering {
  readonly accounts: Pick<Accounts, 'find' | 'findByUsername'>
  readonly numbers: AccountNumbers
  readonly messages: Pick<Messages, 'disabledOf'>
  readonly orders: NumberOrders
  /** Orders at the number provider; undefined without a provider. */
  readonly providerOrders?: Pick<ProviderOrders, 'place'> | undefined
  readonly provider: Pick<NumberProvider, 'search' | 'coverage'>
}
