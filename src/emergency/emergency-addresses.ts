/** Validated addresses of accounts; emergency records refer to them later. */
import { createHash } from 'node:crypto'
import type { Clock } from '../platform/clock.js'
import type { Database, Reader, Writer } from '../platform/database/database.js'
import { DomainError } from '../platform/errors.js'
import type { CivicAddress, PostalAddress } from './civic-address.js'
import type { EmergencyProvider } from './emergency-provider.js'

/** An address that the provider accepted. */
export interface ValidAddress extends PostalAddress {
  readonly location: CivicAddress
  /** Name of the provider that validated it. */
  readonly source: string
}

export interface KeptAddress extends ValidAddress {
  readonly addressId: number
}

/** The provider rejected the address; `field` is the one to correct. */
export class AddressRejectedError extends DomainError {
  override readonly name = 'AddressRejectedError'
  readonly code = 'address-rejected'
  readonly field: keyof PostalAddress
  readonly suggestion: Partial<PostalAddress> | undefined

  constructor(
    field: keyof PostalAddress,
    reason: string,
    suggestion: Partial<PostalAddress> | undefined,
  ) {
    super(reason)
    this.field = field
    this.suggestion = suggestion
  }
}

/** Time for which a validated address can be used for a record, ms. */
export const ADDRESS_LIFE_MS = 90 * 86_400_000
/** Maximum number of expired addresses deleted with each new one. */
const SWEEP = 10

/** Validates an address at the provider. Rejects with AddressRejectedError and EmergencyProviderError. */
export async function validAddress(
  provider: Pick<EmergencyProvider, 'source' | 'validate'>,
  given: PostalAddress,
): Promise<ValidAddress> {
  const verdict = await provider.validate(given)
  if (verdict.type === 'valid')
    return { ...verdict.address, location: verdict.location, source: provider.source }
  throw new AddressRejectedError(verdict.field, verdict.reason, verdict.suggestion)
}

/** Stores an address; an account's address that is stored already keeps its id. */
export async function keepAddress(
  { db, clock }: { readonly db: Database; readonly clock: Pick<Clock, 'now'> },
  accountSid: string,
  address: ValidAddress,
): Promise<KeptAddress> {
  const now = clock.now()
  return await db.write(async (tx) => {
    await removeOld(tx, now)
    const { id } = await tx
      .insertInto('emergency_addresses')
      .values({
        accountSid,
        digest: digestOf(address),
        address1: address.address1,
        address2: address.address2,
        city: address.city,
        state: address.state,
        zip: address.zip,
        location: JSON.stringify(address.location),
        source: address.source,
        validatedAt: now,
      })
      .onConflict((known) =>
        known.columns(['accountSid', 'digest']).doUpdateSet({ validatedAt: now }),
      )
      .returning('id')
      .executeTakeFirstOrThrow()
    return { ...address, addressId: id }
  })
}

/** The account's address with that id; undefined when it does not exist or has expired. */
export async function findAddress(
  read: Reader,
  accountSid: string,
  addressId: number,
  now: number,
): Promise<KeptAddress | undefined> {
  const row = await read
    .selectFrom('emergency_addresses')
    .selectAll()
    .where('id', '=', addressId)
    .where('accountSid', '=', accountSid)
    .where('validatedAt', '>', now - ADDRESS_LIFE_MS)
    .executeTakeFirst()
  return (
    row && {
      addressId: row.id,
      address1: row.address1,
      address2: row.address2,
      city: row.city,
      state: row.state,
      zip: row.zip,
      location: JSON.parse(row.location) as CivicAddress, // written by `keepAddress`
      source: row.source,
    }
  )
}

async function removeOld(tx: Writer, now: number): Promise<void> {
  const old = await tx
    .selectFrom('emergency_addresses')
    .select('id')
    .where('validatedAt', '<=', now - ADDRESS_LIFE_MS)
    .orderBy('validatedAt')
    .limit(SWEEP)
    .execute()
  for (const { id } of old)
    await tx.deleteFrom('emergency_addresses').where('id', '=', id).execute()
}

function digestOf({ address1, address2, city, state, zip, source }: ValidAddress): string {
  const whole = JSON.stringify([address1, address2, city, state, zip, source])
  return createHash('sha256').update(whole).digest('hex')
}
