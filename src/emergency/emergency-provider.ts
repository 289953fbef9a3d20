/**
 * An emergency provider validates addresses and stores the records that dispatchers see. Each method either
 * succeeds completely or rejects.
 */
import { AdapterError } from '../platform/errors.js'
import type { AddressVerdict, UsStates } from './address/judge-address.js'
import { judgeAddress } from './address/judge-address.js'
import type { PostalAddress } from './civic-address.js'

export interface ProvidedRecord {
  /** The number in E.164. */
  readonly number: string
  readonly callerName: string
  readonly address: PostalAddress
}

export interface EmergencyProvider {
  /** Name of the validator; every response shows it. */
  readonly source: string
  /** Rejects with EmergencyProviderError. */
  validate(address: PostalAddress): Promise<AddressVerdict>
  /** Stores or replaces the record of a number. Idempotent. Rejects with EmergencyProviderError. */
  provision(record: ProvidedRecord): Promise<void>
  /** Removes the record of a number, if there is one. Rejects with EmergencyProviderError. */
  remove(number: string): Promise<void>
}

/** The provider did not respond, or sent an invalid response. Nothing was stored here. */
export class EmergencyProviderError extends AdapterError {
  override readonly name = 'EmergencyProviderError'
}

/** Source of a verdict on the form of the address alone. */
export const LOCAL_SOURCE = 'local-syntax-only'

/**
 * The default provider. It checks an address's form, and that ZIP code and state match; it has no data on
 * streets or the areas of emergency services.
 */
export function createLocalProvider(states: UsStates): EmergencyProvider {
  return {
    source: LOCAL_SOURCE,
    validate: (address) => Promise.resolve(judgeAddress(address, states)),
    provision: () => Promise.resolve(),
    remove: () => Promise.resolve(),
  }
}
