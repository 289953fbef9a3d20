/** Messaging settings of numbers in the legacy style: enable, disable, status and routes. */
import { z } from '@hono/zod-openapi'
import { applyInOrder } from '../../platform/database/in-order.js'
import { maskedUrl } from '../../platform/url-passwords.js'
import { refuseFailed } from '../dialect/api-failure.js'
import { legacy, message } from '../dialect/legacy-operation.js'
import type { AccountOperation } from '../dialect/rest-operation.js'
import { shownText } from '../fields.js'
import { legacyNumbers, shownNumberField, shownTn } from '../numbers/number-fields.js'
import { assignHeld, NOT_FOUND } from './account-campaigns.js'
import type { MessagingDeps } from './message-operations.js'
import { routeOf, routeOut, routesOf } from './messaging-fields.js'
import { readRouteIn, routeIn, routeInResource } from './route-in-fields.js'
import { NOT_HELD } from './send-message.js'

const INVALID_CAMPAIGN = 'Campaign ID Status: CAMPAIGN_INVALID_ID'
const RESULTS = 'Number results'
/** Notice when messaging is enabled for local numbers without a campaign. */
const ANNOUNCEMENT =
  'an approved 10DLC campaign ID will soon be required to enable messaging, and local numbers send nothing without one'

export function legacyMessagingOperations(deps: MessagingDeps): AccountOperation[] {
  return [
    enableOperation(deps),
    disableOperation(deps),
    statusOperation(deps),
    ...routeOperations(deps),
  ]
}

/** The changed numbers, keyed by their digits with the country code. */
const numbers_enabled = z
  .record(z.string(), z.array(z.number().int()))
  .openapi({ description: 'The numbers that were changed, with their country code.' })

function shownEnabled(e164s: readonly string[]): Record<string, number[]> {
  const digits = e164s.map((e164) => e164.slice(1))
  return Object.fromEntries(digits.map((each) => [each, [Number(each)]]))
}

/** Changes each number; `change` resolves with the reason of a refusal. */
async function changeEach<Item extends { readonly number: string }>(
  items: readonly Item[],
  change: (item: Item) => Promise<string | undefined>,
) {
  const done: Item[] = []
  const failed: { number: string; reason: string }[] = []
  const changes = await applyInOrder(items, ({ number: e164 }) => e164, change)
  for (const { item, result: reason } of changes)
    if (reason === undefined) done.push(item)
    else failed.push({ number: shownTn(item.number), reason })
  return { done, failed }
}

const NOT_ALL = 'Not every number was changed'

/** Throws a 409 that lists both changed and refused numbers if any was refused; completed changes stay. */
function enabledOrPartial({ done, failed }: Awaited<ReturnType<typeof changeEach>>) {
  const numbers_enabled = shownEnabled(done.map(({ number: e164 }) => e164))
  // For a number that is listed twice, the last reason counts.
  const byNumber = Object.fromEntries(failed.map(({ number: tn, reason }) => [tn, reason]))
  const reasons = Object.entries(byNumber).map(([tn, reason]) => ({ number: tn, reason }))
  refuseFailed(NOT_ALL, reasons, { numbers_enabled, numbers_failed: byNumber })
  return numbers_enabled
}

function enableOperation(deps: MessagingDeps): AccountOperation {
  return legacy({
    id: 'legacyEnableMessaging',
    summary: 'Enable the messages of numbers, perhaps under campaigns',
    description: 'What can be enabled is enabled; with anything else the answer is 409.',
    path: '/messaging/enable/',
    row: 'Enable messaging',
    body: {
      numbers: legacyNumbers({
        campaignID: z
          .string()
          .trim()
          .max(64)
          .optional()
          .openapi({ description: 'The campaign that it sends for; by default the one it has.' }),
      }),
    },
    keys: { message, numbers_enabled },
    errors: [409],
    run: async ({ caller, body }) => {
      const changed = await changeEach(body.numbers, ({ number: e164, campaignID = '' }) =>
        enable(deps, caller.sid, e164, campaignID),
      )
      const done = changed.done.map(({ number: e164 }) => e164)
      const without = await withoutCampaign(deps, caller.sid, done)
      if (without.length > 0) await deps.announceCampaigns(caller.sid, without.map(shownTn))
      const enabled = enabledOrPartial(changed)
      const announced =
        without.length === 0
          ? RESULTS
          : `${RESULTS}. ${without.map(shownTn).join(', ')}: ${ANNOUNCEMENT}.`
      return { message: announced, numbers_enabled: enabled }
    },
  })
}

/** Resolves with the reason of a refusal; undefined once enabled. */
async function enable(
  deps: MessagingDeps,
  accountSid: string,
  e164: string,
  campaignID: string,
): Promise<string | undefined> {
  const { messages } = deps
  if ((await messages.stateOf(accountSid, e164)) === 'not-held') return NOT_HELD
  if (campaignID !== '') {
    const problem = await assignHeld(deps, accountSid, campaignID, e164)
    if (problem === 'not-held') return NOT_HELD
    if (problem?.code === NOT_FOUND) return INVALID_CAMPAIGN
    if (problem !== undefined) return `Campaign ID Status: ${problem.reason}`
  }
  const refused = await messages.changeMessaging(accountSid, e164, { isEnabled: true })
  return refused === undefined ? undefined : NOT_HELD
}

/** Resolves with the numbers that need a campaign for sending, and have none. */
async function withoutCampaign(
  { messages }: MessagingDeps,
  accountSid: string,
  e164s: readonly string[],
): Promise<readonly string[]> {
  const without: string[] = []
  for (const e164 of e164s) {
    const found = await messages.messagingOf(accountSid, e164)
    const isLocal = e164.startsWith('+1') && found?.number.kind === 'local'
    if (isLocal && !found.permission.isAllowed && isWithout(found.permission.reason))
      without.push(e164)
  }
  return without
}

function isWithout(reason: string): boolean {
  return reason === 'no-campaign' || reason === 'not-provisioned'
}

function disableOperation({ messages }: MessagingDeps): AccountOperation {
  return legacy({
    id: 'legacyDisableMessaging',
    summary: 'Disable the messages of numbers',
    description: 'They keep their campaigns.',
    path: '/messaging/disable/',
    row: 'Disable messaging',
    body: { numbers: legacyNumbers({}) },
    keys: { message, numbers_enabled },
    errors: [409],
    run: async ({ caller, body }) => {
      const changed = await changeEach(body.numbers, async ({ number: e164 }) => {
        const refused = await messages.changeMessaging(caller.sid, e164, { isEnabled: false })
        return refused === undefined ? undefined : NOT_HELD
      })
      return { message: RESULTS, numbers_enabled: enabledOrPartial(changed) }
    },
  })
}

function statusOperation({ messages }: MessagingDeps): AccountOperation {
  const shown = z
    .object({
      number: shownNumberField,
      status: z
        .enum(['Enabled', 'Not Enabled'])
        .openapi({ description: 'Whether messaging is enabled for it.' }),
    })
    .openapi('LegacyMessagingNumber')
  return legacy({
    id: 'legacyMessagingStatus',
    summary: 'Tell for which numbers messaging is enabled',
    path: '/messaging/status/',
    row: 'Number status',
    idempotency: 'none',
    body: { numbers: legacyNumbers({}) },
    keys: { message, numbers: z.array(shown).openapi({ description: 'What was asked for.' }) },
    errors: [409],
    run: async ({ caller, body }) => {
      const states = await Promise.all(
        body.numbers.map(async (each) => ({
          number: shownTn(each.number),
          state: await messages.stateOf(caller.sid, each.number),
        })),
      )
      const numbers = states.flatMap(({ number: tn, state }) =>
        state === 'not-held'
          ? []
          : [{ number: tn, status: state === 'enabled' ? 'Enabled' : 'Not Enabled' }],
      )
      const failed = states.flatMap(({ number: tn, state }) =>
        state === 'not-held' ? [{ number: tn, reason: NOT_HELD }] : [],
      )
      const beside = { numbers_success: numbers, numbers_fail: failed }
      refuseFailed('Not every number is known', failed, beside)
      return { message: RESULTS, numbers }
    },
  })
}

const ROW = 'Route incoming / outgoing messages'

const routed = z
  .object({ number: shownNumberField, route: shownText('Its route.') })
  .openapi('LegacyMessageRoute')
const numbers = z.array(routed).openapi({ description: 'What was changed.' })

/** Routes each number; throws a 409 that lists both routed and refused numbers if any was refused. */
async function routeEach<Item extends { readonly number: string; readonly route: string }>(
  items: readonly Item[],
  change: (item: Item) => Promise<string | undefined>,
) {
  const { done, failed } = await changeEach(items, change)
  const shown = done.map(({ number: e164, route }) => ({
    number: shownTn(e164),
    route: maskedUrl(route),
  }))
  refuseFailed(NOT_ALL, failed, { numbers_success: shown, numbers_failed: failed })
  return { message: 'Route results', numbers: shown }
}

function routeOperations({ messages }: MessagingDeps): AccountOperation[] {
  return [
    legacy({
      id: 'legacyRouteIn',
      summary: 'Route the incoming messages of numbers',
      description: 'The next message obeys it, whatever the settings of the number say.',
      path: '/messaging/routein/',
      row: ROW,
      body: { numbers: legacyNumbers({ route: routeIn, resource: routeInResource.optional() }) },
      keys: { message, numbers },
      errors: [409],
      run: ({ caller, body }) =>
        routeEach(body.numbers, async ({ number: e164, route, resource }) => {
          const wanted = readRouteIn(route, resource)
          if (wanted !== null && 'problem' in wanted) return wanted.problem
          const refused = await messages.changeMessaging(caller.sid, e164, { routeIn: wanted })
          return refused === undefined ? undefined : NOT_HELD
        }),
    }),
    legacy({
      id: 'legacyRouteOut',
      summary: 'Route the outgoing messages of numbers',
      path: '/messaging/routeout/',
      row: ROW,
      body: { numbers: legacyNumbers({ route: routeOut }) },
      keys: { message, numbers },
      errors: [409],
      run: ({ caller, body }) =>
        routeEach(body.numbers, async ({ number: e164, route }) => {
          const change = { routeOut: routeOf(route) }
          const refused = await messages.changeMessaging(caller.sid, e164, change)
          if (refused === undefined) return undefined
          return refused === 'not-held'
            ? NOT_HELD
            : `The routes are ${routesOf(messages.routesOut)}`
        }),
    }),
  ]
}
