import type { Hono } from 'hono'
import type { Account, Accounts } from '../accounts/accounts.js'
import { withoutSecrets } from '../accounts/settings.js'
import { newAccountBody, readAccountChange } from './account-schemas.js'

/** Accounts, as the operator makes and changes them. Only the answer to a POST shows the token. */
export function addAccountRoutes(app: Hono, accounts: Accounts): void {
  const notFound = { error: 'not found' }
  app.post('/accounts', async (c) => {
    const { friendlyName } = newAccountBody.parse(await c.req.json())
    const account = await accounts.create({ friendlyName })
    return c.json(
      { accountSid: account.sid, authToken: account.secret, friendlyName: account.friendlyName },
      201,
    )
  })
  app.get('/accounts/:sid', async (c) => {
    const account = await accounts.find(c.req.param('sid'))
    return account === undefined ? c.json(notFound, 404) : c.json(accountToWire(account))
  })
  app.patch('/accounts/:sid', async (c) => {
    const change = readAccountChange(await c.req.json())
    const account = await accounts.update(c.req.param('sid'), change)
    return account === undefined ? c.json(notFound, 404) : c.json(accountToWire(account))
  })
}

function accountToWire(account: Account) {
  return {
    accountSid: account.sid,
    friendlyName: account.friendlyName,
    status: account.status,
    phoneRegions: account.phoneRegions,
    settings: withoutSecrets(account.settings),
  }
}
