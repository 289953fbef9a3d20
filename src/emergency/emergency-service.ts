/** Emergency addresses and records of accounts, here and at the provider. */
import type { HeldNumber } from '../numbers/held-numbers.js'
import type { Clock } from '../platform/clock.js'
import type { Database } from '../platform/database/database.js'
import { DomainError } from '../platform/errors.js'
import type { PostalAddress } from './civic-address.js'
import {
  findAddress,
  type KeptAddress,
  keepAddress,
  type ValidAddress,
  validAddress,
} from './emergency-addresses.js'
import { type EmergencyProvider, EmergencyProviderError } from './emergency-provider.js'
import {
  type EmergencyRecord,
  findEmergencyRecord,
  listEmergencyRecords,
  ownNumber,
  putEmergencyRecord,
  removeEmergencyRecord,
} from './emergency-records.js'
import { beginProvision } from './provisions.js'

/** The account does not hold the number. */
export class NumberNotOwnedError extends DomainError {
  override readonly name = 'NumberNotOwnedError'
  readonly code = 'number-not-owned'
}

/** The account has no validated address with that id. */
export class AddressNotFoundError extends DomainError {
  override readonly name = 'AddressNotFoundError'
  readonly code = 'address-not-found'
}

/** The number has no record. */
export class RecordNotFoundError extends DomainError {
  override readonly name = 'RecordNotFoundError'
  readonly code = 'record-not-found'
}

export interface WantedRecord {
  /** The number in E.164. */
  readonly number: string
  readonly callerName: string
  /** The address, or the id of a validated one. */
  readonly address: PostalAddress | { readonly addressId: number }
}

/** A record that is stored at the provider and still to be stored here. */
export interface PreparedRecord {
  readonly held: HeldNumber
  readonly callerName: string
  readonly address: ValidAddress | KeptAddress
}

/** Requests to the provider are separate from storage: `prepare` ends before the transaction starts. */
export interface EmergencyService {
  /** Rejects with AddressRejectedError and EmergencyProviderError. */
  validate(address: PostalAddress): Promise<ValidAddress>
  keep(accountSid: string, address: ValidAddress): Promise<KeptAddress>
  /**
   * Validates the address and sends the record to the provider. Rejects with NumberNotOwnedError,
   * AddressNotFoundError, AddressRejectedError and EmergencyProviderError.
   */
  prepare(accountSid: string, wanted: WantedRecord): Promise<PreparedRecord>
  /**
   * Stores or replaces the record of a number. Rejects with NumberNotOwnedError when the account lost the
   * number during the provider's request; the provider's record is then removed. Rejects with
   * EmergencyProviderError when so much time has passed that the provider's record is being removed.
   */
  store(prepared: PreparedRecord): Promise<EmergencyRecord>
  /** Removes the record from the provider. Rejects with RecordNotFoundError and EmergencyProviderError. */
  prepareRemoval(accountSid: string, number: string): Promise<void>
  remove(accountSid: string, number: string): Promise<void>
  /** Rejects with RecordNotFoundError. */
  get(accountSid: string, number: string): Promise<EmergencyRecord>
  /** The records of an account, sorted by number. */
  list(accountSid: string): Promise<readonly EmergencyRecord[]>
}

export interface EmergencyServiceDeps {
  readonly db: Database
  readonly clock: Pick<Clock, 'now'>
  readonly provider: EmergencyProvider
}

export function createEmergencyService(deps: EmergencyServiceDeps): EmergencyService {
  const { db, clock, provider } = deps
  const get = async (accountSid: string, number: string): Promise<EmergencyRecord> => {
    const record = await findEmergencyRecord(db.read, accountSid, number)
    if (record === undefined) throw new RecordNotFoundError(`${number} has no emergency record`)
    return record
  }
  const addressOf = async (accountSid: string, address: WantedRecord['address']) => {
    if (!('addressId' in address)) return await validAddress(provider, address)
    const kept = await findAddress(db.read, accountSid, address.addressId, clock.now())
    if (kept === undefined)
      throw new AddressNotFoundError(`there is no validated address ${address.addressId}`)
    return kept
  }
  return {
    validate: (address) => validAddress(provider, address),
    keep: (accountSid, address) => keepAddress(deps, accountSid, address),
    prepare: async (accountSid, { number, callerName, address: wanted }) => {
      const held = await ownNumber(db.read, accountSid, number)
      if (held === undefined) throw notOwned(number)
      const address = await addressOf(accountSid, wanted)
      // The sweep removes a provision from the provider if no record is stored here.
      if (!(await beginProvision(db, number, clock.now())))
        throw new EmergencyProviderError(
          `the former record of ${number} is being removed: repeat the request`,
          { isRetryable: true },
        )
      await provider.provision({ number, callerName, address: postalOf(address) })
      return { held, callerName, address }
    },
    store: async ({ held, callerName, address }) => {
      const kept =
        'addressId' in address ? address : await keepAddress(deps, held.accountSid, address)
      const record = await putEmergencyRecord(deps, held, callerName, kept)
      if (record === undefined) throw notOwned(held.e164)
      return record
    },
    prepareRemoval: async (accountSid, number) => {
      await get(accountSid, number)
      await provider.remove(number)
    },
    remove: async (accountSid, number) => {
      await removeEmergencyRecord(db, accountSid, number)
    },
    get,
    list: (accountSid) => listEmergencyRecords(db.read, accountSid),
  }
}

function notOwned(number: string): NumberNotOwnedError {
  return new NumberNotOwnedError(`${number} is not a number of the account`)
}

function postalOf({ address1, address2, city, state, zip }: PostalAddress): PostalAddress {
  return { address1, address2, city, state, zip }
}
