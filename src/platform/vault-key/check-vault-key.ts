import type { Database } from '../database/database.js'
import type { Vault } from '../secrets.js'

/** The secrets in the database were sealed with a key other than this server's. */
export class VaultKeyError extends Error {
  override readonly name = 'VaultKeyError'
}

const ID = 1
const KNOWN_TEXT = 'trunkline'

/**
 * Checks that the vault's key sealed the secrets of this database: the first server that starts on it stores
 * a proof. Rejects with a VaultKeyError that says what to do.
 */
export async function checkVaultKey(db: Database, vault: Vault, keyFile: string): Promise<void> {
  const mine = { id: ID, sealed: vault.seal(KNOWN_TEXT) }
  const { sealed } = await db.write(async (tx) => {
    await tx
      .insertInto('vault_keys')
      .values(mine)
      .onConflict((conflict) => conflict.doNothing())
      .execute()
    return tx
      .selectFrom('vault_keys')
      .select('sealed')
      .where('id', '=', ID)
      .executeTakeFirstOrThrow()
  })
  if (!opens(vault, sealed))
    throw new VaultKeyError(
      `the secrets in the database were sealed with another key than ${keyFile}: copy vault.key from a server that uses this database, or from a backup, to that place. docs/storage.md says what to do when it is lost`,
    )
}

function opens(vault: Vault, sealed: string): boolean {
  try {
    return vault.open(sealed) === KNOWN_TEXT
  } catch {
    // GCM authentication failed: the text was sealed with another key.
    return false
  }
}
