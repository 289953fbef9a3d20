import { z } from '@hono/zod-openapi'
import type { Account, Accounts } from '../accounts/accounts.js'
import { withoutSecrets } from '../accounts/settings.js'
import {
  accountChangeBody,
  accountResource,
  changeOf,
  newAccountBody,
  newAccountResource,
} from './account-schemas.js'
import { type AdminOperation, operation } from './admin-operation.js'
import { notFound } from './private-dialect.js'

const PATH = '/accounts/{accountSid}'
const params = {
  accountSid: z.string().openapi({ description: 'The sid of the account: AC and 32 hex digits.' }),
}

/** The operations that make and change accounts. Only the answer to a POST shows the token. */
export function accountOperations(accounts: Accounts): AdminOperation[] {
  return [
    operation({
      id: 'createAccount',
      summary: 'Create an account',
      description: 'The answer is the only one that shows the token.',
      method: 'post',
      path: '/accounts',
      body: newAccountBody,
      status: 201,
      response: newAccountResource,
      run: async ({ body: { friendlyName } }) => {
        const { sid, secret, ...account } = await accounts.create({ friendlyName })
        return { accountSid: sid, authToken: secret, friendlyName: account.friendlyName }
      },
    }),
    operation({
      id: 'getAccount',
      summary: 'Get an account',
      method: 'get',
      path: PATH,
      params,
      response: accountResource,
      errors: [404],
      run: async ({ params: { accountSid } }) => accountToWire(await accounts.find(accountSid)),
    }),
    operation({
      id: 'updateAccount',
      summary: 'Change an account',
      description: 'What is absent stays as it is; what is null is cleared.',
      method: 'patch',
      path: PATH,
      params,
      body: accountChangeBody,
      response: accountResource,
      errors: [404],
      run: async ({ params: { accountSid }, body }) =>
        accountToWire(await accounts.update(accountSid, changeOf(body))),
    }),
  ]
}

function accountToWire(account: Account | undefined) {
  if (account === undefined) throw notFound()
  return {
    accountSid: account.sid,
    friendlyName: account.friendlyName,
    status: account.status,
    phoneRegions: account.phoneRegions,
    settings: withoutSecrets(account.settings),
  }
}
