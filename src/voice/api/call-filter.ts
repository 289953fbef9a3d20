/** What a list of calls is filtered by. Pure. */
import type { CallFilter } from '../calls/list-calls.js'
import { formatAddress, parseCallAddress } from '../model/address.js'
import { callResource } from './call-schemas.js'
import { readTimeRange } from './date-filter.js'
import { ApiError } from './errors.js'

const STATUSES = callResource.shape.status

export function callFilterOf(query: URLSearchParams, regions: readonly string[]): CallFilter {
  const given = (name: string) => {
    const value = query.get(name)?.trim()
    return value === '' ? undefined : value
  }
  const address = (name: string) => {
    const text = given(name)
    if (text === undefined) return undefined
    // As calls are stored; a bare plus sign in a query string has become a space.
    const known = parseCallAddress(text, regions)
    return known === undefined ? text : formatAddress(known)
  }
  const started = readTimeRange(query, 'StartTime')
  const ended = readTimeRange(query, 'EndTime')
  return present({
    to: address('To'),
    from: address('From'),
    parentCallSid: given('ParentCallSid'),
    status: readStatus(given('Status')),
    startedFrom: started.from,
    startedBefore: started.before,
    endedFrom: ended.from,
    endedBefore: ended.before,
  })
}

type Optional<Fields> = { readonly [Name in keyof Fields]: Fields[Name] | undefined }

function present(fields: Optional<Required<CallFilter>>): CallFilter {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
}

function readStatus(status: string | undefined) {
  if (status === undefined) return undefined
  const known = STATUSES.safeParse(status)
  if (known.success) return known.data
  throw new ApiError(400, 20422, "'Status' is not valid: not a call status")
}
