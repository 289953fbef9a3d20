import { AddressRejectedError } from '../../emergency/emergency-addresses.js'
import { EmergencyProviderError } from '../../emergency/emergency-provider.js'
import {
  AddressNotFoundError,
  NumberNotOwnedError,
  RecordNotFoundError,
} from '../../emergency/emergency-service.js'
import { ApiFailure } from '../dialect/api-failure.js'

/** Runs `work`; a failure of an emergency address is worded as both styles answer it. */
export async function orEmergencyFailure<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    throw failureOf(error)
  }
}

function failureOf(error: unknown): unknown {
  if (error instanceof AddressRejectedError) {
    const { field, message: reason, suggestion } = error
    const said = suggestion === undefined ? { field, reason } : { field, reason, suggestion }
    return new ApiFailure(409, `${field}: ${reason}${wordsOf(suggestion)}`, { data: said })
  }
  if (error instanceof NumberNotOwnedError) return new ApiFailure(403, `dn: ${error.message}`)
  if (error instanceof AddressNotFoundError)
    return new ApiFailure(409, `addressid: ${error.message}`)
  if (error instanceof RecordNotFoundError) return new ApiFailure(404, `dn: ${error.message}`)
  if (error instanceof EmergencyProviderError) return new ApiFailure(502, error.message)
  return error
}

function wordsOf(suggestion: AddressRejectedError['suggestion']): string {
  if (suggestion === undefined) return ''
  const words = Object.entries(suggestion).map(([name, value]) => `${name} ${value}`)
  return `; perhaps ${words.join(', ')}`
}
