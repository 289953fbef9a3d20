/** The numbers of an account in both styles: list, get, move, remove. */
import { z } from '@hono/zod-openapi'
import type { Account, Accounts } from '../../accounts/accounts.js'
import { ApiFailure } from '../dialect/api-failure.js'
import { legacy, message } from '../dialect/legacy-operation.js'
import { type AccountOperation, operation, rest, type Styles } from '../dialect/rest-operation.js'
import { shownText } from '../fields.js'
import { limitUpTo, MAX_LISTED, shownNext } from '../list-pages.js'
import {
  legacyNumbers,
  number,
  readNumber,
  route,
  shownNumberField,
  shownRoute,
  shownTn,
} from './number-fields.js'
import type { Numbering } from './numbering.js'
import { doneOrPartial, refuseOne } from './refused-numbers.js'
import { numberToWire, shownNumberData, shownNumberSchema } from './shown-number.js'

export const params = {
  number: z.string().openapi({ description: 'The number: ten digits, or E.164.' }),
}

/** Digits of a partial number, found anywhere; with a plus sign, the start of the number. */
const digits = z
  .union([z.string(), z.number().int()], 'up to 15 digits are expected')
  .transform(String)
  .pipe(z.string().regex(/^\+?[0-9]{1,15}$/, 'up to 15 digits are expected'))
  .openapi({
    type: 'string',
    description:
      'Only numbers that have these digits somewhere, or after a plus sign begin with them in E.164.',
  })

/** Filters of a list of numbers. */
const listFields = {
  number: digits.optional(),
  route: route.optional(),
  limit: limitUpTo(MAX_LISTED),
  after: number.optional().openapi({ description: 'The `next` of the page before.' }),
}

/** A page of the account's numbers, and the start of the next page. */
async function listPage(
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

/** Converts the number in a path to E.164. Throws a 400 for an invalid one. */
export function numberOfPath({ number }: { readonly number: string }): string {
  const e164 = readNumber(number)
  if (e164 === undefined)
    throw new ApiFailure(400, 'number: a telephone number of ten digits is expected')
  return e164
}

/** The account's number in the REST style. Rejects with a 404 when the account does not hold it. */
async function shownOf(
  { numbers, messages }: Pick<Numbering, 'numbers' | 'messages'>,
  sid: string,
  e164: string,
) {
  const found = await numbers.find(sid, e164)
  if (found === undefined) throw new ApiFailure(404, 'Number not found on account')
  return numberToWire(found, await messages.disabledOf(sid))
}

/** Finds an account by username or sid; undefined when there is none. */
async function accountNamed(
  accounts: Pick<Accounts, 'find' | 'findByUsername'>,
  text: string,
): Promise<Account | undefined> {
  return (await accounts.findByUsername(text)) ?? (await accounts.find(text))
}

export function numberOperations(deps: Numbering): Styles {
  return {
    rest: [...readOperations(deps), moveOperation(deps), ...releaseOperations(deps)],
    legacy: [legacyListOperation(deps), legacyMoveOperation(deps), ...legacyReleases(deps)],
  }
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
  const common = {
    params,
    errors: [404, 409],
    run: async ({ caller, params: named }: { caller: Account; params: { number: string } }) => {
      refuseOne(await numbers.release(caller.sid, [numberOfPath(named)]))
    },
  }
  return [
    operation({
      ...common,
      id: 'removeNumber',
      summary: 'Remove a number from the account',
      method: 'delete',
      path: '/numbers/{number}',
    }),
    operation({
      ...common,
      id: 'disconnectNumber',
      summary: 'Give a number back to the pool',
      method: 'post',
      path: '/numbers/{number}/release',
    }),
  ]
}

/** An account's username: ten digits as a text or an integer. */
const account = z
  .union([z.string(), z.number().int()], 'a username is expected')
  .transform((value) => String(value).trim())
  .pipe(z.string().min(1).max(64))
  .openapi({ type: 'string', description: 'The username of the account that gets the number.' })

function legacyListOperation({ numbers }: Numbering): AccountOperation {
  const item = z
    .object({
      number: shownNumberField,
      route: shownRoute,
      ip: shownText("The gateway's address, or the name of the system route."),
    })
    .openapi('LegacyListedNumber')
  return legacy({
    id: 'legacyListNumbers',
    summary: 'List the numbers of the account, in their order',
    description: 'No number at all is a 404.',
    path: '/numbers/list/',
    row: 'List numbers',
    idempotency: 'none',
    body: listFields,
    keys: {
      numbers: z.array(item).openapi({ description: 'The numbers.' }),
      next: shownNext,
    },
    errors: [404],
    run: async ({ caller, body }) => {
      const { found, next } = await listPage(numbers, caller.sid, body)
      if (found.length === 0) throw new ApiFailure(404, 'Not Found', { numbers: [] })
      const names = new Map<number, string>()
      for (const { settings } of found)
        if (!names.has(settings.route))
          names.set(settings.route, (await numbers.routeName(caller.sid, settings.route)) ?? '')
      return {
        numbers: found.map(({ number: { e164 }, settings }) => ({
          number: shownTn(e164),
          route: settings.route,
          ip: names.get(settings.route) ?? '',
        })),
        next,
      }
    },
  })
}

function legacyMoveOperation({ numbers, accounts }: Numbering): AccountOperation {
  const moved = z
    .object({
      number: shownNumberField,
      route: shownRoute,
      account: shownText('The account that has it now.'),
    })
    .openapi('LegacyMovedNumber')
  return legacy({
    id: 'legacyMoveNumbers',
    summary: 'Move numbers to another account with the same payer',
    path: '/numbers/move/',
    row: 'Move numbers',
    body: { numbers: legacyNumbers({ route, account }) },
    keys: { message, numbers: z.array(moved).openapi({ description: 'What was moved.' }) },
    errors: [409],
    run: async ({ caller, body }) => {
      const moves = []
      for (const each of body.numbers) {
        const target = await accountNamed(accounts, each.account)
        moves.push({ e164: each.number, route: each.route, toSid: target?.sid })
      }
      const outcomes = await numbers.move(caller.sid, moves)
      const done = doneOrPartial(body.numbers, outcomes, {
        keys: { done: 'numbers_success', failed: 'numbers_failed' },
        shown: (each) => ({ ...each, number: shownTn(each.number) }),
      })
      return { message: 'Move results', numbers: done }
    },
  })
}

function legacyReleases({ numbers }: Numbering): AccountOperation[] {
  const released = z
    .array(z.object({ number: shownNumberField }).openapi('LegacyNumber'))
    .openapi({ description: 'What was removed.' })
  const release = (id: string, path: string, row: string, summary: string) =>
    legacy({
      ...{ id, path, row, summary },
      body: { numbers: legacyNumbers({}) },
      keys: { message, numbers: released },
      errors: [409],
      run: async ({ caller, body }) => {
        const e164s = body.numbers.map((each) => each.number)
        const outcomes = await numbers.release(caller.sid, e164s)
        const done = doneOrPartial(body.numbers, outcomes, {
          keys: { done: 'numbers_success', failed: 'numbers_error' },
          shown: (each) => ({ number: shownTn(each.number) }),
        })
        return { message: 'Numbers removed', numbers: done }
      },
    })
  return [
    release(
      'legacyDisconnectNumbers',
      '/numbers/disconnect/',
      'Disconnect numbers',
      'Give numbers back to the pool',
    ),
    release(
      'legacyRemoveNumbers',
      '/numbers/remove/',
      'Remove numbers',
      'Remove numbers from the account',
    ),
  ]
}
