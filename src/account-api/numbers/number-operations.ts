/** The numbers of an account in the REST style: list, show, move, remove. */
import { z } from '@hono/zod-openapi'
import type { Account, Accounts } from '../../accounts/accounts.js'
import { ApiFailure } from '../dialect/api-failure.js'
import { type AccountOperation, operation, rest } from '../dialect/rest-operation.js'
import { limitUpTo, MAX_LISTED, shownNext } from '../list-pages.js'
import { number, readNumber, route, shownTn } from './number-fields.js'
import type { Numbering } from './numbering.js'
import { refuseOne } from './refused-numbers.js'
import { numberToWire, shownNumberData, shownNumberSchema } from './shown-number.js'

export const params = {
  number: z.string().openapi({ description: 'The number: ten digits, or E.164.' }),
}

/** The digits of a partial number; after a plus sign, those that it begins with. */
export const digits = z
  .union([z.string(), z.number().int()], 'up to 15 digits are expected')
  .transform(String)
  .pipe(z.string().regex(/^\+?[0-9]{1,15}$/, 'up to 15 digits are expected'))
  .openapi({
    type: 'string',
    description:
      'Only numbers that have these digits somewhere, or after a plus sign begin with them in E.164.',
  })

/** What is asked of a list of numbers. */
export const listFields = {
  number: digits.optional(),
  route: route.optional(),
  limit: limitUpTo(MAX_LISTED),
  after: number.optional().openapi({ description: 'The `next` of the page before.' }),
}

/** A page of the account's numbers, and where the next one begins. */
export async function listPage(
  numbers: Pick<Numbering['numbers'], 'list'>,
  sid: string,
  asked: z.output<z.ZodObject<typeof listFields>>,
) {
  const { number: digitsOf, route: routeOf, limit, after } = asked
  const filter = { digits: digitsOf, route: routeOf, after }
  const found = await numbers.list(sid, filter, limit + 1)
  const page = found.slice(0, limit)
  const last = found.length > limit ? page.at(-1) : undefined
  return { found: page, next: last === undefined ? null : shownTn(last.number.e164) }
}

/** The number of a path, in E.164. Throws a 400 for what is no number. */
export function numberOfPath({ number }: { readonly number: string }): string {
  const e164 = readNumber(number)
  if (e164 === undefined)
    throw new ApiFailure(400, 'number: a telephone number of ten digits is expected')
  return e164
}

/** The account's number as the REST style shows it. Throws a 404 when the account has none such. */
export async function shownOf(
  { numbers, messages }: Pick<Numbering, 'numbers' | 'messages'>,
  sid: string,
  e164: string,
) {
  const found = await numbers.find(sid, e164)
  if (found === undefined) throw new ApiFailure(404, 'Number not found on account')
  return numberToWire(found, await messages.disabledOf(sid))
}

/** The account of a username or sid; undefined when there is none. */
export async function accountNamed(
  accounts: Pick<Accounts, 'find' | 'findByUsername'>,
  text: string,
): Promise<Account | undefined> {
  return (await accounts.findByUsername(text)) ?? (await accounts.find(text))
}

export function numberOperations(deps: Numbering): AccountOperation[] {
  return [...readOperations(deps), moveOperation(deps), ...releaseOperations(deps)]
}

function readOperations(deps: Numbering): AccountOperation[] {
  const { numbers, messages } = deps
  return [
    rest({
      id: 'listNumbers',
      summary: 'List the numbers of the account, in their order',
      method: 'get',
      path: '/numbers',
      query: z.object(listFields),
      data: z.object({
        numbers: z.array(shownNumberSchema).openapi({ description: 'The numbers.' }),
        next: shownNext,
      }),
      run: async ({ caller, query }) => {
        const { found, next } = await listPage(numbers, caller.sid, query)
        const silent = await messages.disabledOf(caller.sid)
        return { numbers: found.map((each) => numberToWire(each, silent)), next }
      },
    }),
    rest({
      id: 'getNumber',
      summary: 'Get a number of the account',
      method: 'get',
      path: '/numbers/{number}',
      params,
      data: shownNumberData,
      errors: [404],
      run: ({ caller, params: named }) => shownOf(deps, caller.sid, numberOfPath(named)),
    }),
  ]
}

function moveOperation(deps: Numbering): AccountOperation {
  const { numbers, accounts } = deps
  return rest({
    id: 'moveNumber',
    summary: 'Move a number to another account with the same payer, or to another route',
    method: 'patch',
    path: '/numbers/{number}',
    params,
    body: z.strictObject({
      route: route.optional(),
      accountId: z
        .string()
        .trim()
        .min(1)
        .max(64)
        .optional()
        .openapi({ description: 'The username, or the sid, of the account that gets it.' }),
    }),
    data: shownNumberData,
    errors: [404, 409],
    run: async ({ caller, params: named, body }) => {
      const e164 = numberOfPath(named)
      const shown = await shownOf(deps, caller.sid, e164)
      const { accountId } = body
      const target = accountId === undefined ? caller : await accountNamed(accounts, accountId)
      const move = { e164, route: body.route ?? shown.route, toSid: target?.sid }
      refuseOne(await numbers.move(caller.sid, [move]))
      return await shownOf(deps, target?.sid ?? caller.sid, e164)
    },
  })
}

function releaseOperations({ numbers }: Numbering): AccountOperation[] {
  return [
    operation({
      id: 'removeNumber',
      summary: 'Remove a number from the account',
      method: 'delete',
      path: '/numbers/{number}',
      params,
      errors: [404, 409],
      run: async ({ caller, params: named }) => {
        refuseOne(await numbers.release(caller.sid, [numberOfPath(named)]))
      },
    }),
    operation({
      id: 'disconnectNumber',
      summary: 'Give a number back to the pool',
      method: 'post',
      path: '/numbers/{number}/release',
      params,
      errors: [404, 409],
      run: async ({ caller, params: named }) => {
        refuseOne(await numbers.release(caller.sid, [numberOfPath(named)]))
      },
    }),
  ]
}
