import { z } from '@hono/zod-openapi'
import type { Account, Accounts } from '../accounts/accounts.js'
import type { Passwords } from '../accounts/passwords.js'
import { withoutSecrets } from '../accounts/settings.js'
import type { AccountLife } from './account-life.js'
import {
  accountChangeBody,
  accountResource,
  changeOf,
  newAccountBody,
  newAccountResource,
  passwordBody,
  passwordResource,
  rotatedKeyResource,
  rotateKeyBody,
} from './account-schemas.js'
import { type AdminOperation, operation } from './admin-operation.js'
import { notFound } from './private-dialect.js'
import { list } from './private-paging.js'

const PATH = '/accounts/{accountSid}'
const params = {
  accountSid: z.string().openapi({ description: 'The sid of the account: AC and 32 hex digits.' }),
}
const SECOND_MS = 1_000

/** Operations that create, change and close accounts. */
export function accountOperations(
  accounts: Accounts,
  passwords: Passwords,
  life: AccountLife,
): AdminOperation[] {
  return [
    ...allAccounts(accounts),
    ...oneAccount(accounts),
    passwordOperation(accounts, passwords),
    ...livesOf(life),
  ]
}

function allAccounts(accounts: Accounts): AdminOperation[] {
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
      errors: [409],
      run: async ({ body }) => {
        const account = await accounts.create({
          ...changeOf(body),
          friendlyName: body.friendlyName,
          ...(body.username === undefined ? {} : { username: body.username }),
        })
        return {
          accountSid: account.sid,
          authToken: account.secret,
          friendlyName: account.friendlyName,
          username: account.profile.username,
        }
      },
    }),
    list({
      id: 'listAccounts',
      summary: 'List accounts, the newest first',
      path: '/accounts',
      name: 'accounts',
      record: accountResource,
      query: z.object({
        status: z
          .enum(['active', 'suspended', 'closed', 'unverified'])
          .optional()
          .openapi({ description: 'Only accounts of this status.' }),
      }),
      run: async ({ query: { status } }, page) => {
        const found = await accounts.list({ status }, page)
        return { ...found, items: found.items.map(accountToWire) }
      },
    }),
  ]
}

function oneAccount(accounts: Accounts): AdminOperation[] {
  return [
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
      errors: [404, 409],
      run: async ({ params: { accountSid }, body }) =>
        accountToWire(await accounts.update(accountSid, changeOf(body))),
    }),
    operation({
      id: 'rotateKey',
      summary: 'Give an account a new token',
      description:
        'Webhooks are signed with the new token at once. The former one stops at once, or after overlapSeconds.',
      method: 'post',
      path: '/Accounts/{accountSid}/RotateKey',
      aliases: ['/accounts/{accountSid}/RotateKey'],
      params,
      body: rotateKeyBody,
      response: rotatedKeyResource,
      errors: [404, 409],
      run: async ({ params: { accountSid }, body: { overlapSeconds } }) => {
        const rotation = await accounts.rotateSecret(accountSid, overlapSeconds * SECOND_MS)
        if (rotation === undefined) throw notFound()
        const { account, formerUntil } = rotation
        return {
          accountSid: account.sid,
          authToken: account.secret,
          formerTokenValidUntil: formerUntil === undefined ? null : iso(formerUntil),
        }
      },
    }),
  ]
}

function passwordOperation(accounts: Accounts, passwords: Passwords): AdminOperation {
  return operation({
    id: 'setPassword',
    summary: 'Give an account a password, and a new token with it',
    description: 'The former token, and every link for recovery, stop at once.',
    method: 'post',
    path: `${PATH}/password`,
    params,
    body: passwordBody,
    response: passwordResource,
    errors: [404, 409],
    run: async ({ params: { accountSid }, body }) => {
      const made =
        body.password === undefined
          ? await passwords.make()
          : { password: body.password, hash: await passwords.hash(body.password) }
      const account = await accounts.setPassword(accountSid, made.hash)
      if (account === undefined) throw notFound()
      return {
        accountSid: account.sid,
        username: account.profile.username,
        password: made.password,
        authToken: account.secret,
      }
    },
  })
}

function livesOf(life: AccountLife): AdminOperation[] {
  return [
    operation({
      id: 'disableAccount',
      summary: 'Disable an account: end its calls, refuse its requests and incoming calls',
      method: 'post',
      path: `${PATH}/disable`,
      params,
      response: accountResource,
      errors: [404, 409],
      run: async ({ params: { accountSid } }) => accountToWire(await life.disable(accountSid)),
    }),
    operation({
      id: 'enableAccount',
      summary: 'Enable a disabled account again',
      method: 'post',
      path: `${PATH}/enable`,
      params,
      response: accountResource,
      errors: [404, 409],
      run: async ({ params: { accountSid } }) => accountToWire(await life.enable(accountSid)),
    }),
    operation({
      id: 'deleteAccount',
      summary:
        'Close an account for ever: end its calls, free its numbers, SIP domains, keys and caller IDs',
      description:
        'What it did stays readable here until its time of keeping is over. 409 while a number of it is porting in or out: complete or cancel that first. 409 too while it pays for other accounts: delete those first.',
      method: 'delete',
      path: PATH,
      params,
      errors: [404, 409],
      run: async ({ params: { accountSid } }) => {
        if ((await life.close(accountSid)) === undefined) throw notFound()
      },
    }),
  ]
}

function accountToWire(account: Account | undefined) {
  if (account === undefined) throw notFound()
  return {
    accountSid: account.sid,
    friendlyName: account.friendlyName,
    status: account.status,
    username: account.profile.username,
    email: account.profile.email ?? null,
    promo: account.profile.promo ?? null,
    isAdministrator: account.profile.isAdministrator,
    intl: account.profile.services.intl,
    masterAccount: account.profile.masterSid ?? null,
    phoneRegions: [...account.phoneRegions],
    settings: { ...withoutSecrets(account.settings), allowCidr: [...account.settings.allowCidr] },
    createdAt: iso(account.createdAt),
    updatedAt: iso(account.updatedAt),
  }
}

function iso(epochMs: number): string {
  return new Date(epochMs).toISOString()
}
