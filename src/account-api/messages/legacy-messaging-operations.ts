/** What messaging sets on numbers, in the legacy style: on, off and status. */
import { z } from '@hono/zod-openapi'
import { applyInOrder } from '../../platform/database/in-order.js'
import { ApiFailure } from '../dialect/api-failure.js'
import { legacy } from '../dialect/legacy-operation.js'
import type { AccountOperation } from '../dialect/rest-operation.js'
import { message } from '../numbers/legacy-number-operations.js'
import { legacyNumbers, shownNumberField, shownTn } from '../numbers/number-fields.js'
import { assignHeld, NOT_FOUND } from './account-campaigns.js'
import type { MessagingDeps } from './message-operations.js'

export const NOT_HELD = 'Number not found on account'
const INVALID_CAMPAIGN = 'Campaign ID Status: CAMPAIGN_INVALID_ID'
const RESULTS = 'Number results'
/** The announcement that enabling makes for local numbers without a campaign. */
const ANNOUNCEMENT =
  'an approved 10DLC campaign ID will soon be required to enable messaging, and local numbers send nothing without one'

export function legacyMessagingOperations(deps: MessagingDeps): AccountOperation[] {
  return [enableOperation(deps), disableOperation(deps), statusOperation(deps)]
}

/** The numbers, each by its digits with the country code, as this style shows them. */
const numbers_enabled = z
  .record(z.string(), z.array(z.number().int()))
  .openapi({ description: 'The numbers that were changed, with their country code.' })

function shownEnabled(e164s: readonly string[]): Record<string, number[]> {
  const digits = e164s.map((e164) => e164.slice(1))
  return Object.fromEntries(digits.map((each) => [each, [Number(each)]]))
}

interface Changed {
  readonly done: string[]
  readonly failed: Map<string, string>
}

/** Changes each number; `change` resolves with the reason why it was not changed. */
async function changedInOrder<Item extends { readonly number: string }>(
  items: readonly Item[],
  change: (item: Item) => Promise<string | undefined>,
): Promise<Changed> {
  const changed: Changed = { done: [], failed: new Map() }
  const changes = await applyInOrder(items, ({ number: e164 }) => e164, change)
  for (const { item, result: reason } of changes)
    if (reason === undefined) changed.done.push(item.number)
    else changed.failed.set(shownTn(item.number), reason)
  return changed
}

/** Throws a 409 that names both parts when some numbers were refused; what was done stays done. */
function enabledOrPartial({ done, failed }: Changed): Record<string, number[]> {
  const [first] = failed
  if (first === undefined) return shownEnabled(done)
  const [number, reason] = first
  throw new ApiFailure(409, `Not every number was changed: ${number}: ${reason}`, {
    numbers_enabled: shownEnabled(done),
    numbers_failed: Object.fromEntries(failed),
  })
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
      const changed = await changedInOrder(body.numbers, ({ number: e164, campaignID = '' }) =>
        enable(deps, caller.sid, e164, campaignID),
      )
      const without = await withoutCampaign(deps, caller.sid, changed.done)
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

/** Resolves with the reason why the number was not enabled. */
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

/** Finds which of the numbers need a campaign to send messages, and have none. */
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
      const changed = await changedInOrder(body.numbers, async ({ number: e164 }) => {
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
      const failed = states.filter(({ state }) => state === 'not-held')
      const [first] = failed
      if (first === undefined) return { message: RESULTS, numbers }
      throw new ApiFailure(409, `Not every number is known: ${first.number}: ${NOT_HELD}`, {
        numbers_success: numbers,
        numbers_fail: failed.map(({ number: tn }) => ({ number: tn, reason: NOT_HELD })),
      })
    },
  })
}
