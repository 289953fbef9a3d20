import type { Reader, Writer } from '../../platform/database/database.js'

/** An image of a brand for rich messages. `assetId` is the name of its file. */
export interface Asset {
  readonly assetId: string
  readonly brandId: string
  readonly assetName: string
  readonly assetType: string
  readonly assetUrl: string
  readonly mimeType: string
  readonly status: 'ACTIVE' | 'REJECTED'
  /** The reason of the last rejection; undefined when it is obsolete. */
  readonly explanation?: string | undefined
  readonly createdAt: number
  readonly statusAt: number
  readonly appeals: readonly AssetAppeal[]
}

export interface AssetAppeal {
  readonly appealCategories: readonly string[]
  readonly explanation: string
  readonly status: 'PENDING' | 'COMPLETE'
  readonly requestedAt: number
}

/** The key of an asset name, which ignores case. */
export function assetNameKey(assetName: string): string {
  return assetName.trim().toLowerCase()
}

export async function saveAsset(tx: Writer, asset: Asset): Promise<void> {
  const record = JSON.stringify(asset)
  await tx
    .insertInto('registry_assets')
    .values({
      assetId: asset.assetId,
      brandId: asset.brandId,
      nameKey: assetNameKey(asset.assetName),
      record,
      createdAt: asset.createdAt,
    })
    .onConflict((conflict) => conflict.column('assetId').doUpdateSet({ record }))
    .execute()
}

/** Returns the ids in the list that belong to existing assets. */
export async function existingAssets(db: Reader, ids: readonly string[]): Promise<string[]> {
  const rows = await db
    .selectFrom('registry_assets')
    .select('assetId')
    .where('assetId', 'in', ids)
    .execute()
  return rows.map(({ assetId }) => assetId)
}

export async function findAsset(db: Reader, assetId: string): Promise<Asset | undefined> {
  const row = await db
    .selectFrom('registry_assets')
    .select('record')
    .where('assetId', '=', assetId)
    .executeTakeFirst()
  return row === undefined ? undefined : parse(row)
}

export async function assetsOf(db: Reader, brandId: string): Promise<Asset[]> {
  const rows = await db
    .selectFrom('registry_assets')
    .select('record')
    .where('brandId', '=', brandId)
    .orderBy('createdAt')
    .orderBy('assetId')
    .execute()
  return rows.map(parse)
}

export async function isAssetNameTaken(
  db: Reader,
  brandId: string,
  name: string,
): Promise<boolean> {
  const row = await db
    .selectFrom('registry_assets')
    .select('assetId')
    .where('brandId', '=', brandId)
    .where('nameKey', '=', assetNameKey(name))
    .executeTakeFirst()
  return row !== undefined
}

export async function deleteAsset(tx: Writer, assetId: string): Promise<void> {
  await tx.deleteFrom('registry_assets').where('assetId', '=', assetId).execute()
}

function parse(row: { readonly record: string }): Asset {
  return JSON.parse(row.record) as Asset // written by `saveAsset` only
}
