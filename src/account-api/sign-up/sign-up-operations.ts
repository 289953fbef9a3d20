import { z } from '@hono/zod-openapi'
import type { Passwords } from '../../accounts/passwords.js'
import { DeadLinkError, type SignUps } from '../../accounts/sign-ups.js'
import { legacyOver } from '../dialect/legacy-operation.js'
import { type AccountOperation, operation, rest, type Styles } from '../dialect/rest-operation.js'
import { email, name, shownText, shownUsername } from '../fields.js'
import { deadLinkPage, verificationPage, verifiedPage } from './link-pages.js'

const fields = {
  name,
  email,
  promo: z.string().max(64).optional().openapi({ description: 'A code for the operator.' }),
}
const made = {
  username: shownUsername,
  password: shownText('The password; only this answer has it.'),
  name: shownText('The name for people.'),
  email: shownText('The address of mail, to which the link for confirmation goes.'),
}
export const linkParams = {
  token: z.string().openapi({ description: 'The token from the link in the mail.' }),
}
export const page = { mediaTypes: ['text/html'], description: 'A page for a browser.' }

export interface SignUpOperationDeps {
  readonly signUps: SignUps
  readonly passwords: Passwords
}

export function signUpOperations({ signUps, passwords }: SignUpOperationDeps): Styles {
  const operations = [
    rest({
      id: 'signUp',
      summary: 'Sign up: make an account that works once its address is confirmed',
      method: 'post',
      path: '/accounts',
      aliases: ['/account/signup'],
      row: 'Sign up (no auth)',
      isOpen: true,
      addressLimit: 'sign-up',
      body: z.strictObject(fields),
      prepare: () => passwords.make(),
      status: 201,
      data: z.object(made),
      run: async ({ body }, { password, hash }) => {
        const { profile } = await signUps.signUp({ ...body, passwordHash: hash })
        return { username: profile.username, password, name: body.name, email: body.email }
      },
    }),
    ...verificationPages(signUps),
  ]
  const command = { id: 'legacySignUp', does: 'signUp', path: '/account/signup/' }
  return { rest: operations, legacy: legacyOver(operations, command) }
}

/** Opening a link does not use it: mail scanners open every link. */
function verificationPages(signUps: SignUps): AccountOperation[] {
  const page_ = { path: '/account/verification/{token}', isOpen: true } as const
  return [
    operation({
      ...page_,
      id: 'showVerification',
      summary: 'Show the page on which a sign-up is confirmed',
      method: 'get',
      params: linkParams,
      response: page,
      errors: [404],
      run: ({ params: { token } }) =>
        orDead(async () => verificationPage((await signUps.open(token)).profile.username)),
    }),
    operation({
      ...page_,
      id: 'verify',
      summary: 'Confirm a sign-up, by the page',
      method: 'post',
      params: linkParams,
      response: page,
      errors: [404],
      idempotency: 'none',
      run: ({ params: { token } }) =>
        orDead(async () => verifiedPage((await signUps.verify(token)).profile.username)),
    }),
  ]
}

/** Returns the answer; for a DeadLinkError, the page of a dead link. */
export async function orDead(answer: () => Promise<Response>): Promise<Response> {
  try {
    return await answer()
  } catch (error) {
    if (error instanceof DeadLinkError) return await deadLinkPage()
    throw error
  }
}
