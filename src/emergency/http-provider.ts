/**
 * An emergency provider over HTTP and JSON: `POST validate`, `PUT records/{number}` and `DELETE
 * records/{number}` below its URL. docs/emergency.md describes each.
 */
import { z } from '@hono/zod-openapi'
import type { Outbound } from '../platform/http/outbound.js'
import { createProviderClient, type JsonServer } from '../platform/http/provider-client.js'
import type { AddressVerdict } from './address/judge-address.js'
import { parseStreet } from './address/parse-street.js'
import type { CivicAddress, PostalAddress } from './civic-address.js'
import { type EmergencyProvider, EmergencyProviderError } from './emergency-provider.js'

const MAX_TEXT = 200

const text = z.string().trim().max(MAX_TEXT)
const postal = z.object({
  address1: text.min(1),
  address2: text.default(''),
  city: text.min(1),
  state: z.string().regex(/^[A-Z]{2}$/),
  zip: z.string().regex(/^\d{5}(-\d{4})?$/),
})
const validAnswer = z.object({ address: postal })
const rejection = z.object({
  field: z.enum(['address1', 'address2', 'city', 'state', 'zip']).default('address1'),
  message: text.min(1),
  suggestion: postal.partial().optional(),
})

export function createHttpProvider(
  outbound: Pick<Outbound, 'request'>,
  server: JsonServer,
): EmergencyProvider {
  const provider = createProviderClient(outbound, server, {
    name: 'the emergency provider',
    Failure: EmergencyProviderError,
  })
  return {
    source: provider.host,
    validate: async (address) => {
      const answer = await provider.send('POST', '/validate', address)
      if (answer.status === 200) return verdictOf(provider.read(validAnswer, answer))
      if (answer.status !== 409 && answer.status !== 422) throw provider.unexpected(answer)
      const { field, message, suggestion } = provider.read(rejection, answer)
      return { type: 'rejected', field, reason: message, suggestion: suggested(suggestion) }
    },
    provision: ({ number, ...record }) =>
      againAfterFailure(async () => {
        const path = `/records/${encodeURIComponent(number)}`
        const answer = await provider.send('PUT', path, record)
        if (answer.status >= 300) throw provider.unexpected(answer)
      }),
    remove: (number) =>
      againAfterFailure(async () => {
        const answer = await provider.send('DELETE', `/records/${encodeURIComponent(number)}`)
        if (answer.status >= 300 && answer.status !== 404) throw provider.unexpected(answer)
      }),
  }
}

/**
 * Retries a request whose response was lost: the provider may have carried it out, and a reported failure
 * would leave the customer with an address other than the emergency service's. PUT and DELETE are idempotent
 * (RFC 9110 §9.2.2).
 */
async function againAfterFailure(send: () => Promise<void>): Promise<void> {
  try {
    await send()
  } catch (error) {
    if (!(error instanceof EmergencyProviderError && error.isRetryable)) throw error
    await send()
  }
}

function verdictOf({ address }: z.infer<typeof validAnswer>): AddressVerdict {
  return { type: 'valid', address, location: locationOf(address) }
}

/** A street line that cannot be parsed becomes the street's name as a whole. */
function locationOf({ address1, address2, city, state, zip }: PostalAddress): CivicAddress {
  const place = { country: 'US', state, city, postalCode: zip } as const
  const parts = parseStreet(address1, address2)
  if (parts !== undefined) return { ...place, ...parts }
  return {
    ...place,
    houseNumber: '',
    houseNumberSuffix: undefined,
    preDirection: undefined,
    street: address1,
    streetType: undefined,
    postDirection: undefined,
    building: undefined,
    floor: undefined,
    unit: undefined,
    room: undefined,
    additional: address2 === '' ? undefined : address2,
  }
}

/** The suggested fields, without empty ones. */
function suggested(
  given: z.infer<typeof rejection>['suggestion'],
): Partial<PostalAddress> | undefined {
  if (given === undefined) return undefined
  const fields = Object.entries(given).filter(([, value]) => value !== '')
  return Object.fromEntries(fields)
}
