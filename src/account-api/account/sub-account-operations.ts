import { z } from '@hono/zod-openapi'
import { statusOfAccount } from '../../accounts/account-status.js'
import type { Account, Accounts } from '../../accounts/accounts.js'
import type { NewPassword, Passwords } from '../../accounts/passwords.js'
import { ApiFailure, refuseUnless } from '../dialect/api-failure.js'
import { legacyOver } from '../dialect/legacy-operation.js'
import { rest, type Styles } from '../dialect/rest-operation.js'
import { email, name, shownText, shownUsername, username } from '../fields.js'

const fields = {
  username,
  name,
  email,
  masterAccount: username
    .optional()
    .openapi({ description: 'The account that is billed; by default the new one.' }),
}
const made = {
  username: shownUsername,
  password: shownText('The password; only this answer has it.'),
  name: shownText('The name for people.'),
  email: shownText('The address of mail.'),
  masterAccount: shownText('The account that is billed.'),
}

export interface SubAccountDeps {
  readonly accounts: Accounts
  readonly passwords: Passwords
}

export function subAccountOperations(deps: SubAccountDeps): Styles {
  const operations = [
    rest({
      id: 'createSubAccount',
      summary: 'Create an account, as an administrator',
      method: 'post',
      path: '/account',
      row: 'Create sub-account (administrator)',
      beforeBody: ({ caller: { profile } }) =>
        refuseUnless(profile.isAdministrator, 'Only an administrator may create accounts'),
      prepare: () => deps.passwords.make(),
      body: z.strictObject(fields),
      status: 201,
      data: z.object(made),
      errors: [409],
      run: ({ body }, password) => create(deps.accounts, body, password),
    }),
  ]
  const command = { id: 'legacyCreateSubAccount', does: 'createSubAccount' }
  return {
    rest: operations,
    legacy: legacyOver(operations, { ...command, path: '/account/add/' }),
  }
}

interface Wanted {
  readonly username: string
  readonly name: string
  readonly email: string
  readonly masterAccount?: string | undefined
}

async function create(accounts: Accounts, wanted: Wanted, { password, hash }: NewPassword) {
  const { username: own, masterAccount = own } = wanted
  const master = masterAccount === own ? undefined : await billedAccount(accounts, masterAccount)
  const account = await accounts.create(
    {
      friendlyName: wanted.name,
      username: own,
      passwordHash: hash,
      profile: { email: wanted.email, masterSid: master?.sid },
    },
    async (tx) => {
      if (master === undefined || (await statusOfAccount(tx, master.sid)) !== 'closed') return
      // The master account was closed since the check, and cannot pay.
      throw noSuchMaster()
    },
  )
  return {
    username: account.profile.username,
    password,
    name: account.friendlyName,
    email: wanted.email,
    masterAccount,
  }
}

/** Resolves with the master account: open, and not billed to another one. Rejects with ApiFailure. */
async function billedAccount(accounts: Accounts, named: string): Promise<Account> {
  const master = await accounts.findByUsername(named)
  if (master === undefined || master.status === 'closed') throw noSuchMaster()
  if (master.profile.masterSid !== undefined)
    throw new ApiFailure(400, 'masterAccount: this account is billed to another one')
  return master
}

function noSuchMaster(): ApiFailure {
  return new ApiFailure(400, 'masterAccount: there is no such account')
}
