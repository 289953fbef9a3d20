import { z } from '@hono/zod-openapi'
import type { AccessLists } from '../../accounts/access-lists.js'
import type { AuthType } from '../../accounts/account-profile.js'
import type { Account } from '../../accounts/accounts.js'
import {
  AUTH_TYPE_DESCRIPTIONS,
  AUTH_TYPES,
  isSipPassword,
  type SipAuthentication,
} from '../../accounts/sip-authentication.js'
import { ApiFailure } from '../dialect/api-failure.js'
import { legacy, legacyOver } from '../dialect/legacy-operation.js'
import { rest, type Styles } from '../dialect/rest-operation.js'
import { shownText, shownUsername } from '../fields.js'

const authType = z
  .number()
  .int()
  .openapi({ description: '0: digest, 1: the access list, 2: either, 3: both.' })
const acl = z
  .array(z.object({ cidr: shownText('A range of addresses.') }))
  .openapi({ description: 'The access list.' })
const change = {
  password: z
    .string()
    .max(1_000)
    .optional()
    .openapi({ description: 'The password of digest: 6 to 10 letters and digits, one of each.' }),
  authType: authType.optional(),
}
const updated = z
  .array(
    z.object({
      field: shownText('The field.'),
      value: z
        .union([z.string(), z.number()])
        .openapi({ description: 'Its value; a password is not shown.' }),
    }),
  )
  .openapi({ description: 'What has changed.' })

export interface AuthDeps {
  readonly lists: AccessLists
  readonly sipAuthentication: SipAuthentication
}

export function authOperations(deps: AuthDeps): Styles {
  const operations = [
    rest({
      id: 'getAuthentication',
      summary: 'Get how SIP requests of the account are authenticated',
      method: 'get',
      path: '/auth',
      row: 'Get authentication',
      data: z.object({
        authType,
        authTypeDescription: shownText('What the number means.'),
        acl,
      }),
      run: async ({ caller }) => ({
        authType: caller.profile.authType,
        authTypeDescription: AUTH_TYPE_DESCRIPTIONS[caller.profile.authType],
        acl: await aclOf(deps.lists, caller),
      }),
    }),
    rest({
      id: 'updateAuthentication',
      summary: 'Change how SIP requests of the account are authenticated',
      description: 'Of two fields the right one is set when the other is wrong: 409 names both.',
      method: 'put',
      path: '/auth',
      row: 'Update authentication',
      body: z.strictObject(change),
      data: z.object({ updated }),
      errors: [409],
      run: async ({ caller, body }) => {
        const result = await update(deps.sipAuthentication, caller, body)
        if (result.errors.length > 0)
          throw new ApiFailure(409, sentenceOf(result.errors), {
            data: { updated: result.updated, errors: result.errors },
          })
        return { updated: result.updated }
      },
    }),
  ]
  return {
    rest: operations,
    legacy: [
      legacyListOperation(deps.lists),
      ...legacyOver(operations, {
        id: 'legacyUpdateAuthentication',
        does: 'updateAuthentication',
        path: '/auth/update/',
        gives: { update: 'updated' },
        refuses: { update: 'updated', errors: 'errors' },
      }),
    ],
  }
}

function legacyListOperation(lists: AccessLists) {
  return legacy({
    id: 'legacyListAuthentication',
    summary: 'Get how SIP requests of the account are authenticated',
    path: '/auth/list/',
    idempotency: 'none',
    keys: {
      account: z
        .object({
          username: shownUsername,
          acl,
          authType,
          instructions: shownText('What the number means.'),
        })
        .openapi({ description: 'The account.' }),
    },
    run: async ({ caller }) => ({
      account: {
        username: caller.profile.username,
        acl: await aclOf(lists, caller),
        authType: caller.profile.authType,
        instructions: AUTH_TYPE_DESCRIPTIONS[caller.profile.authType],
      },
    }),
  })
}

interface Given {
  readonly password?: string | undefined
  readonly authType?: number | undefined
}

interface FieldProblem {
  readonly field: string
  readonly message: string
}

interface Updated {
  readonly updated: { field: string; value: string | number }[]
  readonly errors: readonly FieldProblem[]
}

const HIDDEN = '********'

/** Sets the valid fields. Throws a 400 and sets nothing when none is valid. */
async function update(
  authentication: SipAuthentication,
  { sid }: Account,
  given: Given,
): Promise<Updated> {
  const errors = problemsOf(given)
  const isWrong = (field: string) => errors.some((each) => each.field === field)
  const password = isWrong('password') ? undefined : given.password
  const type = AUTH_TYPES.find((each): each is AuthType => each === given.authType)
  if (given.password === undefined && given.authType === undefined)
    throw new ApiFailure(400, 'Field Required: password or authType')
  if (password === undefined && type === undefined) throw new ApiFailure(400, sentenceOf(errors))
  await authentication.update(sid, { password, authType: type })
  return {
    updated: [
      ...(password === undefined ? [] : [{ field: 'password', value: HIDDEN }]),
      ...(type === undefined ? [] : [{ field: 'authType', value: type }]),
    ],
    errors,
  }
}

function problemsOf({ password, authType: type }: Given): FieldProblem[] {
  const problems: FieldProblem[] = []
  if (password !== undefined && !isSipPassword(password))
    problems.push({
      field: 'password',
      message: '6 to 10 letters and digits are expected, with at least one of each',
    })
  if (type !== undefined && !AUTH_TYPES.some((each) => each === type))
    problems.push({ field: 'authType', message: '0, 1, 2 or 3 is expected' })
  return problems
}

function sentenceOf(problems: readonly FieldProblem[]): string {
  return problems.map(({ field, message }) => `${field}: ${message}`).join('; ')
}

async function aclOf(lists: AccessLists, { sid }: Account): Promise<{ cidr: string }[]> {
  return (await lists.of(sid)).map((cidr) => ({ cidr }))
}
