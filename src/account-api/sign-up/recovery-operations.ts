import { z } from '@hono/zod-openapi'
import type { AccountProfile } from '../../accounts/account-profile.js'
import { isCommonPassword } from '../../accounts/common-passwords.js'
import type { Recoveries } from '../../accounts/recoveries.js'
import { lastOf } from '../../platform/api/repeated.js'
import { legacyOver } from '../dialect/legacy-operation.js'
import { type AccountOperation, operation, rest, type Styles } from '../dialect/rest-operation.js'
import { email, shownText } from '../fields.js'
import { passwordPage, passwordSetPage } from './link-pages.js'
import { linkParams, orDead, page } from './sign-up-operations.js'

/** Same answer for every address, so that it does not reveal accounts. */
const MESSAGE = 'If the address has an account, a link for a new password is on its way to it'
const SHORTEST_PASSWORD = 8
const LONGEST_PASSWORD = 128

const description = 'The answer is the same whether the address has an account or not.'

export function recoveryOperations(recoveries: Recoveries): Styles {
  const operations = [
    rest({
      id: 'requestRecovery',
      summary: 'Ask for a link to set a new password',
      description,
      method: 'post',
      path: '/account/recovery',
      aliases: ['/account/recover'],
      row: 'Request password recovery (no auth)',
      isOpen: true,
      addressLimit: 'recovery',
      body: z.strictObject({ email }),
      data: z.object({ message: shownText('What happens now; the same for every address.') }),
      run: async ({ body }) => {
        await recoveries.request(body.email)
        return { message: MESSAGE }
      },
    }),
    ...recoveryPages(recoveries),
  ]
  const command = { id: 'legacyRequestRecovery', does: 'requestRecovery', description }
  return {
    rest: operations,
    legacy: legacyOver(operations, { ...command, path: '/account/recover/' }),
  }
}

/** The password field of the form. An invalid one shows the page again instead of an error. */
const formField = z
  .preprocess(
    lastOf,
    z.unknown().transform((value) => (typeof value === 'string' ? value : '')),
  )
  .openapi({ type: 'string', description: 'The new password: 8 to 128 characters.' })

/** Why a password is refused; undefined when it is acceptable. */
function problemOf(
  password: string,
  { username, email }: Pick<AccountProfile, 'username' | 'email'>,
): string | undefined {
  if (password.length < SHORTEST_PASSWORD || password.length > LONGEST_PASSWORD)
    return 'A password has 8 to 128 characters.'
  if (isCommonPassword(password, [username, email ?? '']))
    return 'Everybody tries this password. Choose another one.'
  return undefined
}

function recoveryPages(recoveries: Recoveries): AccountOperation[] {
  const common_ = { path: '/account/recovery/{token}', isOpen: true } as const
  return [
    operation({
      ...common_,
      id: 'showRecovery',
      summary: 'Show the page on which a new password is set',
      method: 'get',
      params: linkParams,
      response: page,
      errors: [404],
      run: ({ params: { token } }) =>
        orDead(async () => passwordPage((await recoveries.open(token)).profile.username)),
    }),
    operation({
      ...common_,
      id: 'recover',
      summary: 'Set a new password, by the page',
      description: 'The API key changes with it, and every other link of the account stops.',
      method: 'post',
      params: linkParams,
      response: page,
      formats: ['form', 'json'],
      body: z.object({ password: formField }).openapi('RecoveredPassword'),
      errors: [400, 404],
      idempotency: 'none',
      run: ({ params: { token }, body: { password } }) =>
        orDead(async () => {
          const { profile } = await recoveries.open(token)
          const problem = problemOf(password, profile)
          if (problem !== undefined) return await passwordPage(profile.username, problem)
          await recoveries.setPassword(token, password)
          return await passwordSetPage(profile.username)
        }),
    }),
  ]
}
