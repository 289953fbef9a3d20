import { randomBytes } from 'node:crypto'
import type { Database } from '../../platform/database/database.js'
import type { Vault } from '../../platform/secrets.js'

const NAME = 'nonces'
const KEY_BYTES = 32

/**
 * Reads the key that signs nonces, or makes it. Every process on the database has the same one, so a
 * nonce of one is valid at all.
 */
export async function openNonceKey(db: Database, vault: Vault): Promise<Buffer> {
  const sealed = vault.seal(randomBytes(KEY_BYTES).toString('hex'))
  const row = await db.write(async (tx) => {
    await tx
      .insertInto('sip_signing_keys')
      .values({ name: NAME, key_sealed: sealed })
      .onConflict((conflict) => conflict.column('name').doNothing())
      .execute()
    return tx
      .selectFrom('sip_signing_keys')
      .select('key_sealed')
      .where('name', '=', NAME)
      .executeTakeFirstOrThrow()
  })
  return Buffer.from(vault.open(row.key_sealed), 'hex')
}
