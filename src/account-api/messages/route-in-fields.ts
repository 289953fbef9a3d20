/** Routes of incoming messages, in the form of both styles. */
import { z } from '@hono/zod-openapi'
import { ROUTE_IN_TYPES, type RouteIn, type RouteInType } from '../../messages/route-in.js'
import { createAddressPolicy } from '../../platform/http/address-policy.js'
import { readWebUrl } from '../../platform/http/web-url.js'
import { parseUri } from '../../platform/sip-grammar/uri.js'
import { email } from '../fields.js'
import { DEFAULT_ROUTE } from './messaging-fields.js'

const MAX_RESOURCE = 2_000
const USER = /^[A-Za-z0-9][A-Za-z0-9._+-]{0,63}$/

export const ROUTES_IN = `${DEFAULT_ROUTE}, ${ROUTE_IN_TYPES.join(', ')}`

export const routeInType = z
  .enum(ROUTE_IN_TYPES)
  .openapi({ description: 'Where incoming messages go: email, webhook or sip.' })
export const routeInResource = z.string().trim().min(1).max(MAX_RESOURCE).openapi({
  description:
    'The address of mail, the URL, or the softphone: `sip:user@domain`, or the user alone.',
})
/** The route as one text: a type with a separate `resource`, or the resource alone. */
export const routeIn = z.string().trim().min(1).max(MAX_RESOURCE).openapi({
  description:
    '`default`; `webhook`, `email` or `sip` with a `resource`; or the URL, `mailto:` or `sip:` address itself.',
})

/** Why a route is invalid, for people. */
export interface RouteInProblem {
  readonly problem: string
}

/** Parses a route. Null is the default: the settings of the number decide. */
export function readRouteIn(
  route: string,
  resource: string | undefined,
): RouteIn | null | RouteInProblem {
  if (route === DEFAULT_ROUTE) return null
  const type = ROUTE_IN_TYPES.find((each) => each === route.toLowerCase())
  if (type !== undefined) {
    if (resource === undefined) return { problem: 'Field Required: resource' }
    return readResource(type, resource)
  }
  if (/^https?:/i.test(route)) return readResource('webhook', route)
  if (/^mailto:/i.test(route)) return readResource('email', route)
  if (/^sip:/i.test(route)) return readResource('sip', route)
  if (email.safeParse(route).success) return readResource('email', route)
  return { problem: `the routes are ${ROUTES_IN}, and URLs, addresses of mail and sip: addresses` }
}

const READERS: Readonly<Record<RouteInType, (text: string) => string | RouteInProblem>> = {
  webhook: readUrl,
  email: readAddress,
  sip: readSoftphone,
}

/** Parses the resource of a route of that type. */
export function readResource(type: RouteInType, text: string): RouteIn | RouteInProblem {
  const resource = READERS[type](text.trim())
  return typeof resource === 'string' ? { type, resource } : resource
}

function readAddress(text: string): string | RouteInProblem {
  const address = text.replace(/^mailto:/i, '')
  return email.safeParse(address).success ? address : { problem: 'an address of mail is expected' }
}

/** Requires https, because texts cross public networks; http is allowed for local addresses only. */
function readUrl(text: string): string | RouteInProblem {
  const url = readWebUrl(text)
  if (url === undefined) return { problem: 'an absolute https URL is expected' }
  if (url.protocol === 'http:' && !isLocal(url.hostname))
    return { problem: 'an https URL is expected: http is for addresses of a local network' }
  return text
}

const classifyAddress = createAddressPolicy({ mode: 'public-only', allow: [] })
const ADDRESS = /^(?:[0-9.]+|\[[0-9a-f:.]+\])$/

function isLocal(host: string): boolean {
  if (host === 'localhost' || host.endsWith('.localhost')) return true
  return ADDRESS.test(host) && !classifyAddress(host.replace(/^\[|\]$/g, '')).isAllowed
}

/** A user without a domain matches any domain of the account. */
function readSoftphone(text: string): string | RouteInProblem {
  const user = text.replace(/^client:/i, '')
  if (USER.test(user)) return `client:${user}`
  const uri = /^sip:/i.test(text) ? parseUri(text) : undefined
  if (uri?.user === undefined || !USER.test(uri.user) || !uri.host.includes('.'))
    return { problem: 'sip:user@domain, or the user of a softphone, is expected' }
  return `sip:${uri.user}@${uri.host.toLowerCase()}`
}
