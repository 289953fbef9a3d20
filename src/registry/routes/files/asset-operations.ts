import { z } from '@hono/zod-openapi'
import type { Assets } from '../../services/files/assets.js'
import type { Asset } from '../../storage/assets.js'
import { described } from '../dialect/field-descriptions.js'
import { operation, type RegistryOperation } from '../dialect/operation.js'
import { isoTime, timestamp } from '../dialect/schemas.js'

const PATH = '/brand/{brandId}/asset'
const ONE = `${PATH}/{assetId}`

const appealResource = z.object(
  described({
    appealCategories: z.array(z.string()),
    explanation: z.string(),
    appealStatus: z.enum(['PENDING', 'COMPLETE']),
    requestDate: timestamp(),
  }),
)
const assetResource = z
  .object(
    described({
      assetId: z.string(),
      brandId: z.string(),
      assetName: z.string(),
      assetType: z.string(),
      assetUrl: z.string(),
      mimeType: z.string(),
      status: z.enum(['ACTIVE', 'REJECTED']),
      explanation: z.string().nullable(),
      createDate: timestamp(),
      statusDate: timestamp(),
    }),
  )
  .openapi('BrandAsset')

/** The operations on RCS assets: images of a brand for rich messages. */
export function assetOperations(assets: Assets): RegistryOperation[] {
  return [...collection(assets), ...oneAsset(assets), ...appealOperations(assets)]
}

function collection(assets: Assets): RegistryOperation[] {
  return [
    operation({
      id: 'listBrandAssets',
      summary: 'List the images of a brand',
      method: 'get',
      path: PATH,
      response: z.array(assetResource),
      run: async ({ caller: csp, params }) =>
        (await assets.list(csp.cspId, params.brandId)).map(assetToWire),
    }),
    operation({
      id: 'addBrandAsset',
      idempotency: 'after',
      summary: 'Fetch an image from a URL and keep it for a brand',
      method: 'post',
      path: PATH,
      body: z.object(
        described({
          assetName: z.string().max(255),
          assetType: z.string().max(60),
          assetUrl: z.string().max(2048),
        }),
      ),
      response: assetResource,
      run: async ({ caller: csp, params, body, http }) =>
        assetToWire(await assets.add(csp, params.brandId, body, http.signal)),
    }),
  ]
}

function oneAsset(assets: Assets): RegistryOperation[] {
  return [
    operation({
      id: 'getBrandAsset',
      summary: 'Get an image of a brand',
      method: 'get',
      path: ONE,
      response: assetResource,
      run: async ({ caller: csp, params }) =>
        assetToWire(await assets.find(csp.cspId, params.brandId, params.assetId)),
    }),
    operation({
      id: 'downloadBrandAsset',
      summary: 'Download the file of an image',
      method: 'get',
      path: `${ONE}/file`,
      response: 'file',
      run: async ({ caller: csp, params }) => {
        const asset = await assets.find(csp.cspId, params.brandId, params.assetId)
        const { assetName: fileName, mimeType } = asset
        return { fileName, mimeType, bytes: await assets.read(asset) }
      },
    }),
    operation({
      id: 'deleteBrandAsset',
      summary: 'Delete an image of a brand',
      method: 'delete',
      path: ONE,
      run: ({ caller: csp, params }) => assets.remove(csp.cspId, params.brandId, params.assetId),
    }),
  ]
}

function appealOperations(assets: Assets): RegistryOperation[] {
  return [
    operation({
      id: 'listBrandAssetAppeals',
      summary: 'List the appeals against the rejection of an image',
      method: 'get',
      path: `${ONE}/appeal`,
      response: z.array(appealResource),
      run: async ({ caller: csp, params }) =>
        appealsToWire(await assets.find(csp.cspId, params.brandId, params.assetId)),
    }),
    operation({
      id: 'appealBrandAsset',
      summary: 'Appeal against the rejection of an image',
      method: 'post',
      path: `${ONE}/appeal`,
      body: z.object(
        described({
          appealCategories: z.array(z.string().max(60)).min(1).max(10),
          explanation: z.string().max(1024).nullish(),
        }),
      ),
      response: z.array(appealResource),
      run: async ({ caller: csp, params, body: { appealCategories, explanation } }) => {
        const appeal = { appealCategories, explanation: explanation ?? '' }
        const [brandId, assetId] = [params.brandId, params.assetId]
        return appealsToWire(await assets.appeal(csp.cspId, brandId, assetId, appeal))
      },
    }),
  ]
}

function assetToWire(asset: Asset): z.infer<typeof assetResource> {
  const { appeals: _, createdAt, statusAt, explanation, ...rest } = asset
  return {
    ...rest,
    explanation: explanation ?? null,
    createDate: isoTime(createdAt),
    statusDate: isoTime(statusAt),
  }
}

function appealsToWire({ appeals }: Asset): z.infer<typeof appealResource>[] {
  return appeals.map(({ appealCategories, explanation, status, requestedAt }) => ({
    appealCategories: [...appealCategories],
    explanation,
    appealStatus: status,
    requestDate: isoTime(requestedAt),
  }))
}
