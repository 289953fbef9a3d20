/** Images of brands for rich messages (RCS), fetched from the customer's server. */
import { randomUUID } from 'node:crypto'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Reader } from '../../../platform/database/database.js'
import type { KeepFiles, KeptFiles } from '../../../platform/files/kept-files.js'
import { readKept, uploadKind } from '../../../platform/files/kept-files.js'
import type { Outbound } from '../../../platform/http/outbound.js'
import { OutboundError, type OutboundErrorKind } from '../../../platform/http/outbound-error.js'
import type { Core } from '../../model/core.js'
import { refuse, throwIfAny } from '../../model/registry-error.js'
import { checkAsset, checkImage, type WantedAsset } from '../../rules/asset.js'
import {
  type Asset,
  assetsOf,
  deleteAsset,
  existingAssets,
  findAsset,
  isAssetNameTaken,
  saveAsset,
} from '../../storage/assets.js'
import type { Csp } from '../../storage/csps.js'
import { liveBrand, ownBrand } from '../brands/brand-facts.js'

export interface NewAssetAppeal {
  readonly appealCategories: readonly string[]
  readonly explanation: string
}

export interface AssetDecision {
  readonly status: Asset['status']
  readonly explanation: string
}

export interface Assets {
  /**
   * Adds an image. RegistryError 568 without RCS, 503 name taken, 544 too many or too big; other
   * codes as in `checkAsset`, `fetchAsset` and `checkImage`.
   */
  add(csp: Csp, brandId: string, wanted: WantedAsset, signal: AbortSignal): Promise<Asset>
  list(cspId: string, brandId: string): Promise<Asset[]>
  /** Resolves with an image of the brand; RegistryError 502 when it has none of that id. */
  find(cspId: string, brandId: string, assetId: string): Promise<Asset>
  read(asset: Asset): Promise<Buffer>
  remove(cspId: string, brandId: string, assetId: string): Promise<void>
  /**
   * Appeals against a rejection. RegistryError 566 unless rejected, 559 unknown category, 592 while
   * an appeal is pending.
   */
  appeal(cspId: string, brandId: string, assetId: string, appeal: NewAssetAppeal): Promise<Asset>
  /** Stores an operator's decision and ends a pending appeal. */
  decide(assetId: string, decision: AssetDecision): Promise<void>
  /** Removes files without a row, left by a crash; called before any request. */
  recover(): Promise<void>
}

export interface AssetPlace {
  readonly folder: string
  readonly keepFiles: KeepFiles
}

const TIMEOUT_MS = 10_000

const CODES: Partial<Readonly<Record<OutboundErrorKind, number>>> = {
  'bad-url': 573,
  'blocked-address': 573,
  'connect-timeout': 574,
  'response-timeout': 574,
  'total-timeout': 574,
  'too-large': 544,
}

export function createAssets(
  core: Core,
  outbound: Outbound,
  { folder, keepFiles }: AssetPlace,
): Assets {
  const { db } = core
  const files = keepFiles(
    uploadKind('registry-assets', folder, (ids) => existingAssets(db.read, ids)),
  )
  return {
    add: async (csp, brandId, wanted, signal) => {
      await liveBrand(db.read, csp.cspId, brandId)
      if (csp.rcsEnabled !== true) throw refuse(568, [], 'RCS is not enabled for this CSP')
      throwIfAny(checkAsset(wanted, core.tables))
      // The check runs before the fetch, and again at the write.
      await checkRoom(core, db.read, brandId, wanted)
      const max = core.tables.assetTypes[wanted.assetType]?.maxBytes ?? 0
      const bytes = await fetchAsset(outbound, wanted.assetUrl, max, signal)
      const { mimeType, problems } = checkImage(bytes, wanted.assetType, core.tables)
      throwIfAny(problems)
      const now = core.clock.now()
      const base = {
        assetId: randomUUID(),
        brandId,
        ...wanted,
        mimeType,
        status: 'ACTIVE',
      } as const
      const asset: Asset = { ...base, createdAt: now, statusAt: now, appeals: [] }
      await keep(core, files, csp, { asset, bytes })
      return asset
    },
    list: async (cspId, brandId) => {
      await ownBrand(db.read, cspId, brandId)
      return assetsOf(db.read, brandId)
    },
    find: (cspId, brandId, assetId) => ownAsset(db.read, cspId, brandId, assetId),
    read: ({ assetId }) => readKept(files, assetId),
    remove: async (cspId, brandId, assetId) => {
      await ownAsset(db.read, cspId, brandId, assetId)
      await db.write(async (tx) => {
        await deleteAsset(tx, assetId)
        await files.enqueueRemoval(tx, assetId)
      })
      files.wake()
      await files.forget([assetId])
    },
    appeal: (...asked) => appealAsset(core, ...asked),
    decide: (assetId, decision) =>
      db.write(async (tx) => {
        const asset = await findAsset(tx, assetId)
        if (asset === undefined) throw refuse(502, ['assetId'], `there is no asset ${assetId}`)
        const appeals = asset.appeals.map((each) => ({ ...each, status: 'COMPLETE' }) as const)
        await saveAsset(tx, { ...asset, ...decision, appeals, statusAt: core.clock.now() })
      }),
    recover: () => files.recover(),
  }
}

/**
 * Fetches the image at a public https URL. RegistryError 544, 573, 574, 575 (redirect), or 566 for
 * any other failure.
 */
export async function fetchAsset(
  outbound: Outbound,
  url: string,
  maxBytes: number,
  signal: AbortSignal,
): Promise<Buffer> {
  try {
    const { status, body } = await outbound.request(
      {
        method: 'GET',
        url,
        allowedSchemes: ['https:'],
        maxRedirects: 0,
        totalTimeoutMs: TIMEOUT_MS,
        responseTimeoutMs: TIMEOUT_MS,
        maxBodyBytes: maxBytes,
      },
      signal,
    )
    if (status >= 300 && status < 400) throw refuse(575, ['assetUrl'], 'the URL redirects')
    if (status !== 200) throw refuse(566, ['assetUrl'], `the URL answers ${status}`)
    return body
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error
    throw refuse(CODES[error.kind] ?? 566, ['assetUrl'], error.message)
  }
}

function appealAsset(
  core: Core,
  ...[cspId, brandId, assetId, appeal]: Parameters<Assets['appeal']>
): Promise<Asset> {
  return core.db.write(async (tx) => {
    const asset = await ownAsset(tx, cspId, brandId, assetId)
    const known = core.tables.enumerations['assetAppealCategory'] ?? []
    if (appeal.appealCategories.some((each) => !known.includes(each)))
      throw refuse(559, ['appealCategories'], 'of /enum/assetAppealCategory')
    if (asset.status !== 'REJECTED') throw refuse(566, ['assetId'], 'it was not rejected')
    if (asset.appeals.some(({ status }) => status === 'PENDING'))
      throw refuse(592, ['assetId'], 'an appeal is pending already')
    const added = { ...appeal, status: 'PENDING', requestedAt: core.clock.now() } as const
    const appealed: Asset = { ...asset, appeals: [...asset.appeals, added] }
    await saveAsset(tx, appealed)
    return appealed
  })
}

async function ownAsset(
  db: Reader,
  cspId: string,
  brandId: string,
  assetId: string,
): Promise<Asset> {
  await ownBrand(db, cspId, brandId)
  const asset = await findAsset(db, assetId)
  if (asset?.brandId !== brandId) throw refuse(502, ['assetId'], `there is no asset ${assetId}`)
  return asset
}

async function checkRoom(core: Core, db: Reader, brandId: string, { assetName }: WantedAsset) {
  if (await isAssetNameTaken(db, brandId, assetName))
    throw refuse(503, ['assetName'], 'another asset of the brand has this name')
  const max = core.tables.limits.maxAssetsPerBrand
  if ((await assetsOf(db, brandId)).length >= max)
    throw refuse(544, ['brandId'], `a brand has at most ${max} assets`)
}

/** Stores a fetched image. RegistryError 502 when the brand was deleted in the meantime. */
async function keep(
  core: Core,
  files: KeptFiles,
  { cspId }: Csp,
  { asset, bytes }: { readonly asset: Asset; readonly bytes: Buffer },
): Promise<void> {
  const file = files.pathOf(asset.assetId)
  await mkdir(dirname(file), { recursive: true, mode: 0o700 })
  try {
    await writeFile(file, bytes, { mode: 0o600, flush: true })
    await core.db.write(async (tx) => {
      await liveBrand(tx, cspId, asset.brandId)
      await checkRoom(core, tx, asset.brandId, asset)
      await saveAsset(tx, asset)
      await files.enqueue(tx, asset.assetId)
    })
  } catch (error) {
    await rm(file, { force: true })
    throw error
  }
  files.wake()
}
