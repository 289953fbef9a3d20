/** The Balance resource. The balance is always zero: the operator does the billing. */
import { z } from '@hono/zod-openapi'
import { operation, said, type VoiceOperation } from './dialect/operation.js'

const balanceResource = z
  .object({
    account_sid: said('The sid of the account.'),
    balance: said('Always 0.00: the operator does the billing.'),
    currency: said('Always USD.'),
  })
  .openapi('Balance')

export function balanceOperations(): VoiceOperation[] {
  return [
    operation({
      id: 'fetchBalance',
      summary: 'Get the balance, which is always zero',
      method: 'get',
      path: '/Accounts/{AccountSid}/Balance',
      response: balanceResource,
      run: ({ caller }) => ({ account_sid: caller.sid, balance: '0.00', currency: 'USD' }),
    }),
  ]
}
