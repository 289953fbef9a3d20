import type { Reader, Writer } from '../../platform/database/database.js'

/** Stores the link mailed to the brand's business contact; earlier links become invalid. */
export async function replaceConfirmation(
  tx: Writer,
  brandId: string,
  tokenHash: string,
): Promise<void> {
  await deleteConfirmations(tx, brandId)
  await tx.insertInto('registry_confirmations').values({ tokenHash, brandId }).execute()
}

/** Resolves with the id of the brand whose mailed link has this token. */
export async function findConfirmation(db: Reader, tokenHash: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('registry_confirmations')
    .select('brandId')
    .where('tokenHash', '=', tokenHash)
    .executeTakeFirst()
  return row?.brandId
}

export async function deleteConfirmations(tx: Writer, brandId: string): Promise<void> {
  await tx.deleteFrom('registry_confirmations').where('brandId', '=', brandId).execute()
}
