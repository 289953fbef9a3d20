import type { Reader, Writer } from '../../platform/database/database.js'

/** Migration of a campaign to another CNP. */
export interface Migration {
  readonly campaignId: string
  readonly upstreamCnpId: string
  readonly status: 'ACTIVE' | 'COMPLETED' | 'CANCELLED'
  readonly startedAt: number
  readonly statusAt: number
}

export async function findMigration(
  db: Reader,
  campaignId: string,
): Promise<Migration | undefined> {
  const row = await db
    .selectFrom('registry_migrations')
    .select('record')
    .where('campaignId', '=', campaignId)
    .executeTakeFirst()
  return row === undefined ? undefined : (JSON.parse(row.record) as Migration) // written below only
}

export async function saveMigration(tx: Writer, migration: Migration): Promise<void> {
  const { campaignId, status } = migration
  const record = JSON.stringify(migration)
  await tx
    .insertInto('registry_migrations')
    .values({ campaignId, status, record })
    .onConflict((conflict) => conflict.column('campaignId').doUpdateSet({ status, record }))
    .execute()
}
