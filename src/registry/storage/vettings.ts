import type { Reader, Writer } from '../../platform/database/database.js'

export interface Vetting {
  readonly vettingId: string
  readonly brandId: string
  readonly evpId: string
  readonly vettingClass: string
  readonly status: 'PENDING' | 'UNSCORE' | 'ACTIVE' | 'FAILED' | 'EXPIRED'
  readonly score?: number | undefined
  readonly reasons: readonly string[]
  readonly createdAt: number
  readonly vettedAt?: number | undefined
  /** The id of the first vetting in a chain of imports; absent when it is no import. */
  readonly originalId?: string | undefined
}

export interface Appeal {
  readonly appealId: string
  readonly brandId: string
  readonly vettingId?: string
  readonly appealCategories: readonly string[]
  readonly explanation: string
  readonly attachmentUuids: readonly string[]
  readonly status: 'PENDING' | 'COMPLETE'
  readonly requestedAt: number
  readonly statusAt: number
  readonly outcome?: { readonly isGranted: boolean; readonly explanation: string }
}

/** Stores a new or changed vetting. */
export async function saveVetting(tx: Writer, vetting: Vetting): Promise<void> {
  const { vettingId, brandId, status, createdAt } = vetting
  const record = JSON.stringify(vetting)
  await tx
    .insertInto('registry_vettings')
    .values({
      vettingId,
      brandId,
      status,
      record,
      createdAt,
    })
    .onConflict((conflict) => conflict.column('vettingId').doUpdateSet({ status, record }))
    .execute()
}

export async function findVetting(db: Reader, vettingId: string): Promise<Vetting | undefined> {
  const row = await db
    .selectFrom('registry_vettings')
    .select('record')
    .where('vettingId', '=', vettingId)
    .executeTakeFirst()
  return row === undefined ? undefined : (JSON.parse(row.record) as Vetting) // written above only
}

/** Counts a brand's vettings that have a score or may still receive one. */
export async function countLiveVettings(db: Reader, brandId: string): Promise<number> {
  const row = await db
    .selectFrom('registry_vettings')
    .select((select) => select.fn.countAll<number>().as('count'))
    .where('brandId', '=', brandId)
    .where('status', 'in', ['PENDING', 'ACTIVE', 'UNSCORE'])
    .executeTakeFirstOrThrow()
  return row.count
}

/** Lists the vettings of a brand, oldest first. */
export async function listVettings(db: Reader, brandId: string): Promise<Vetting[]> {
  const rows = await db
    .selectFrom('registry_vettings')
    .select('record')
    .where('brandId', '=', brandId)
    .orderBy('createdAt')
    .orderBy('vettingId')
    .execute()
  return rows.map((row) => JSON.parse(row.record) as Vetting) // written above only
}

/** Stores a new or changed appeal. */
export async function saveAppeal(tx: Writer, appeal: Appeal): Promise<void> {
  const { appealId, brandId, vettingId, status, requestedAt } = appeal
  const record = JSON.stringify(appeal)
  await tx
    .insertInto('registry_appeals')
    .values({
      appealId,
      brandId,
      vettingId: vettingId ?? null,
      status,
      record,
      createdAt: requestedAt,
    })
    .onConflict((conflict) => conflict.column('appealId').doUpdateSet({ status, record }))
    .execute()
}

export async function findAppeal(db: Reader, appealId: string): Promise<Appeal | undefined> {
  const row = await db
    .selectFrom('registry_appeals')
    .select('record')
    .where('appealId', '=', appealId)
    .executeTakeFirst()
  return row === undefined ? undefined : (JSON.parse(row.record) as Appeal) // written above only
}

/** Lists the appeals of a brand, oldest first. */
export async function listAppeals(db: Reader, brandId: string): Promise<Appeal[]> {
  const rows = await db
    .selectFrom('registry_appeals')
    .select('record')
    .where('brandId', '=', brandId)
    .orderBy('createdAt')
    .orderBy('appealId')
    .execute()
  return rows.map((row) => JSON.parse(row.record) as Appeal) // written above only
}
