/** The numbers of an account in the legacy style: list, move, give back. */
import { z } from '@hono/zod-openapi'
import { ApiFailure } from '../dialect/api-failure.js'
import { legacy } from '../dialect/legacy-operation.js'
import type { AccountOperation } from '../dialect/rest-operation.js'
import { shownText } from '../fields.js'
import { shownNext } from '../list-pages.js'
import { legacyNumbers, route, shownNumberField, shownRoute, shownTn } from './number-fields.js'
import { accountNamed, listFields, listPage } from './number-operations.js'
import type { Numbering } from './numbering.js'
import { doneOrPartial } from './refused-numbers.js'

export const message = shownText('What was done, for a person.')
const named = z.object({ number: shownNumberField }).openapi('LegacyNumber')
/** An account as clients write it: a username of ten digits, perhaps as an integer. */
const account = z
  .union([z.string(), z.number().int()], 'a username is expected')
  .transform((value) => String(value).trim())
  .pipe(z.string().min(1).max(64))
  .openapi({ type: 'string', description: 'The username of the account that gets the number.' })

export function legacyNumberOperations(deps: Numbering): AccountOperation[] {
  return [listOperation(deps), moveOperation(deps), ...releaseOperations(deps)]
}

function listOperation({ numbers }: Numbering): AccountOperation {
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

function moveOperation({ numbers, accounts }: Numbering): AccountOperation {
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

function releaseOperations({ numbers }: Numbering): AccountOperation[] {
  const release = (id: string, path: '/numbers/disconnect/' | '/numbers/remove/') =>
    legacy({
      id,
      summary:
        path === '/numbers/remove/'
          ? 'Remove numbers from the account'
          : 'Give numbers back to the pool',
      path,
      row: path === '/numbers/remove/' ? 'Remove numbers' : 'Disconnect numbers',
      body: { numbers: legacyNumbers({}) },
      keys: { message, numbers: z.array(named).openapi({ description: 'What was removed.' }) },
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
    release('legacyDisconnectNumbers', '/numbers/disconnect/'),
    release('legacyRemoveNumbers', '/numbers/remove/'),
  ]
}
