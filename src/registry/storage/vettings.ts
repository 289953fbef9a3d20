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
  /** The vetting that this one was imported from, over all imports. */
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
      vetting_id: vettingId,
      brand_id: brandId,
      status,
      record,
      created_at: createdAt,
    })
    .onConflict((conflict) => conflict.column('vetting_id').doUpdateSet({ status, record }))
    .execute()
}

export async function findVetting(db: Reader, vettingId: string): Promise<Vetting | undefined> {
  const row = await db
    .selectFrom('registry_vettings')
    .select('record')
    .where('vetting_id', '=', vettingId)
    .executeTakeFirst()
  return row === undefined ? undefined : (JSON.parse(row.record) as Vetting) // written above only
}

/** Counts the vettings of a brand that have a score or may still get one. */
export async function countLiveVettings(db: Reader, brandId: string): Promise<number> {
  const row = await db
    .selectFrom('registry_vettings')
    .select((select) => select.fn.countAll<number>().as('count'))
    .where('brand_id', '=', brandId)
    .where('status', 'in', ['PENDING', 'ACTIVE', 'UNSCORE'])
    .executeTakeFirstOrThrow()
  return row.count
}

/** Lists the vettings of a brand, oldest first. */
export async function listVettings(db: Reader, brandId: string): Promise<Vetting[]> {
  const rows = await db
    .selectFrom('registry_vettings')
    .select('record')
    .where('brand_id', '=', brandId)
    .orderBy('created_at')
    .orderBy('vetting_id')
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
      appeal_id: appealId,
      brand_id: brandId,
      vetting_id: vettingId ?? null,
      status,
      record,
      created_at: requestedAt,
    })
    .onConflict((conflict) => conflict.column('appeal_id').doUpdateSet({ status, record }))
    .execute()
}

export async function findAppeal(db: Reader, appealId: string): Promise<Appeal | undefined> {
  const row = await db
    .selectFrom('registry_appeals')
    .select('record')
    .where('appeal_id', '=', appealId)
    .executeTakeFirst()
  return row === undefined ? undefined : (JSON.parse(row.record) as Appeal) // written above only
}

/** Lists the appeals of a brand, oldest first. */
export async function listAppeals(db: Reader, brandId: string): Promise<Appeal[]> {
  const rows = await db
    .selectFrom('registry_appeals')
    .select('record')
    .where('brand_id', '=', brandId)
    .orderBy('created_at')
    .orderBy('appeal_id')
    .execute()
  return rows.map((row) => JSON.parse(row.record) as Appeal) // written above only
}
