/**
 * An emergency provider validates addresses and stores the records that dispatchers see. Each call succeeds as
 * a whole or rejects.
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
  /** The name of what has judged an address. Every answer shows it. */
  readonly source: string
  /** Rejects with EmergencyProviderError. */
  validate(address: PostalAddress): Promise<AddressVerdict>
  /** Stores or replaces the record of a number. It may be repeated. Rejects with EmergencyProviderError. */
  provision(record: ProvidedRecord): Promise<void>
  /** Removes the record of a number, if there is one. Rejects with EmergencyProviderError. */
  remove(number: string): Promise<void>
}

/** The provider did not answer, or not as it should. Nothing was stored here. */
export class EmergencyProviderError extends AdapterError {
  override readonly name = 'EmergencyProviderError'
}

/** The source of a verdict that rests on the form of the address alone. */
export const LOCAL_SOURCE = 'local-syntax-only'

/**
 * The default provider. It checks the form of an address, and whether ZIP code and state agree; it knows
 * neither streets nor the areas of emergency services.
 */
export function createLocalProvider(states: UsStates): EmergencyProvider {
  return {
    source: LOCAL_SOURCE,
    validate: (address) => Promise.resolve(judgeAddress(address, states)),
    provision: () => Promise.resolve(),
    remove: () => Promise.resolve(),
  }
}
