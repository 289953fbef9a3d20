/** Lists of numbers and campaigns in a query, and the wire form of a number's messaging settings. */

import { z } from '@hono/zod-openapi'
import type { ShownMessaging } from '../../messages/messages.js'
import { maskedUrl } from '../../platform/url-passwords.js'
import type { ProvisioningCampaign } from '../../registry/registry.js'
import { shownText } from '../fields.js'
import {
  campaignId,
  MAX_NUMBERS,
  number,
  shownNumberField,
  shownTn,
} from '../numbers/number-fields.js'

const listed = <Item extends z.ZodType>(item: Item, description: string) =>
  z
    .preprocess(
      (text) => (typeof text === 'string' ? text.split(',').map((each) => each.trim()) : text),
      z.array(item).min(1).max(MAX_NUMBERS),
    )
    .openapi({ type: 'string', description })

export const listedNumbers = listed(number, 'The numbers, at most 100, with commas between them.')
export const listedCampaigns = listed(
  campaignId,
  'The ids of campaigns, at most 100, with commas between them.',
)

export const shownMessaging = z.object({
  number: shownNumberField,
  enabled: z.boolean().openapi({
    description: 'Whether messaging is enabled for it. A local number needs a campaign besides.',
  }),
  onAccount: z.boolean().openapi({ description: 'Whether the account holds it.' }),
  carrier: shownText('The carrier that takes its messages; empty: not on the account.'),
  network: shownText('10DLC, TOLL_FREE or INTERNATIONAL; empty: not on the account.'),
  routeIn: shownText(
    'Where its incoming messages go: `default` (by the settings of the number), webhook, email or sip.',
  ),
  resource: shownText('The URL, the address of mail, or the softphone of `routeIn`; empty: none.'),
  routeOut: shownText('The route of its outgoing messages: `default`, or a carrier.'),
  campaign: z
    .object({
      id: shownText('The id of its campaign; empty: none.'),
      status: shownText("The campaign's last event."),
      network: shownText('10DLC.'),
      upstreamCnpId: shownText('The CNP with which the campaign is shared; empty: none.'),
    })
    .nullable()
    .openapi({ description: 'Its campaign; null: none.' }),
})
export const listedMessaging = z.object(shownMessaging.shape).openapi('NumberMessaging')

export const DEFAULT_ROUTE = 'default'

/** The name of the route for outgoing messages. */
export const routeOut = z
  .string()
  .trim()
  .min(1)
  .max(64)
  .openapi({ description: 'The carrier that takes outgoing messages, or `default`.' })

/** The stored route of that name; null for the default. */
export function routeOf(name: string): string | null {
  return name === DEFAULT_ROUTE ? null : name
}

export function routesOf(routes: readonly string[]): string {
  return [DEFAULT_ROUTE, ...routes].join(', ')
}

const NOT_FOUND = { routeIn: undefined, routeOut: undefined, hasMessaging: false }

export function toMessaging(
  e164: string,
  found: ShownMessaging | undefined,
  campaign: ProvisioningCampaign | undefined,
  routes: readonly string[],
) {
  const [first = ''] = routes
  const { routeIn, routeOut, hasMessaging } = found ?? NOT_FOUND
  return {
    number: shownTn(e164),
    enabled: hasMessaging,
    onAccount: found !== undefined,
    carrier: found === undefined ? '' : (routeOut ?? first),
    network: found === undefined ? '' : networkOf(found),
    routeIn: routeIn?.type ?? DEFAULT_ROUTE,
    resource: maskedUrl(routeIn?.resource ?? ''),
    routeOut: routeOut ?? DEFAULT_ROUTE,
    campaign: campaign === undefined ? null : toCampaign(campaign),
  }
}

function toCampaign({ campaignId: id, status, upstreamCnpId }: ProvisioningCampaign) {
  return { id, status, network: '10DLC', upstreamCnpId: upstreamCnpId ?? '' }
}

function networkOf({ number: { e164, kind } }: ShownMessaging): string {
  if (!e164.startsWith('+1')) return 'INTERNATIONAL'
  return kind === 'toll-free' ? 'TOLL_FREE' : '10DLC'
}
