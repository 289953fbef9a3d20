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
  /** The reason of the last rejection; undefined when none counts any more. */
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

/** The key of an asset name: names that differ in case only are the same. */
export function assetNameKey(assetName: string): string {
  return assetName.trim().toLowerCase()
}

export async function saveAsset(tx: Writer, asset: Asset): Promise<void> {
  const record = JSON.stringify(asset)
  await tx
    .insertInto('registry_assets')
    .values({
      asset_id: asset.assetId,
      brand_id: asset.brandId,
      name_key: assetNameKey(asset.assetName),
      record,
      created_at: asset.createdAt,
    })
    .onConflict((conflict) => conflict.column('asset_id').doUpdateSet({ record }))
    .execute()
}

/** The ids in the list that assets have. */
export async function existingAssets(db: Reader, ids: readonly string[]): Promise<string[]> {
  const rows = await db
    .selectFrom('registry_assets')
    .select('asset_id')
    .where('asset_id', 'in', ids)
    .execute()
  return rows.map(({ asset_id }) => asset_id)
}

export async function findAsset(db: Reader, assetId: string): Promise<Asset | undefined> {
  const row = await db
    .selectFrom('registry_assets')
    .select('record')
    .where('asset_id', '=', assetId)
    .executeTakeFirst()
  return row === undefined ? undefined : parse(row)
}

export async function assetsOf(db: Reader, brandId: string): Promise<Asset[]> {
  const rows = await db
    .selectFrom('registry_assets')
    .select('record')
    .where('brand_id', '=', brandId)
    .orderBy('created_at')
    .orderBy('asset_id')
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
    .select('asset_id')
    .where('brand_id', '=', brandId)
    .where('name_key', '=', assetNameKey(name))
    .executeTakeFirst()
  return row !== undefined
}

export async function deleteAsset(tx: Writer, assetId: string): Promise<void> {
  await tx.deleteFrom('registry_assets').where('asset_id', '=', assetId).execute()
}

function parse(row: { readonly record: string }): Asset {
  return JSON.parse(row.record) as Asset // written by `saveAsset` only
}
