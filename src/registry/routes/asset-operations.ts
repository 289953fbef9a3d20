import { z } from '@hono/zod-openapi'
import type { Assets } from '../services/files/assets.js'
import type { Asset } from '../storage/assets.js'
import { type Operation, operation } from './operation.js'
import { isoTime, timestamp } from './schemas.js'

const TEST = 'assets.test.ts'
const PATH = '/brand/{brandId}/asset'
const ONE = `${PATH}/{assetId}`

const appealResource = z.object({
  appealCategories: z.array(z.string()),
  explanation: z.string(),
  appealStatus: z.enum(['PENDING', 'COMPLETE']),
  requestDate: timestamp(),
})
const assetResource = z
  .object({
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
  })
  .openapi('BrandAsset')

/** Images of a brand for rich messages. */
export function assetOperations(assets: Assets): Operation[] {
  return [...resourceOperations(assets), ...appealOperations(assets)]
}

function resourceOperations(assets: Assets): Operation[] {
  return [
    operation({
      id: 'listBrandAssets',
      method: 'get',
      path: PATH,
      test: TEST,
      response: z.array(assetResource),
      run: async ({ csp, param }) =>
        (await assets.list(csp.cspId, param('brandId'))).map(assetToWire),
    }),
    operation({
      id: 'addBrandAsset',
      method: 'post',
      path: PATH,
      test: TEST,
      body: z.object({
        assetName: z.string().max(255),
        assetType: z.string().max(60),
        assetUrl: z.string().max(2048),
      }),
      response: assetResource,
      run: async ({ csp, param, body, signal }) =>
        assetToWire(await assets.add(csp, param('brandId'), body, signal)),
    }),
    operation({
      id: 'getBrandAsset',
      method: 'get',
      path: ONE,
      test: TEST,
      response: assetResource,
      run: async ({ csp, param }) =>
        assetToWire(await assets.find(csp.cspId, param('brandId'), param('assetId'))),
    }),
    operation({
      id: 'downloadBrandAsset',
      method: 'get',
      path: `${ONE}/file`,
      test: TEST,
      response: 'file',
      run: async ({ csp, param }) => {
        const asset = await assets.find(csp.cspId, param('brandId'), param('assetId'))
        const { assetName: fileName, mimeType } = asset
        return { fileName, mimeType, bytes: await assets.read(asset) }
      },
    }),
    operation({
      id: 'deleteBrandAsset',
      method: 'delete',
      path: ONE,
      test: TEST,
      run: ({ csp, param }) => assets.remove(csp.cspId, param('brandId'), param('assetId')),
    }),
  ]
}

function appealOperations(assets: Assets): Operation[] {
  return [
    operation({
      id: 'listBrandAssetAppeals',
      method: 'get',
      path: `${ONE}/appeal`,
      test: TEST,
      response: z.array(appealResource),
      run: async ({ csp, param }) =>
        appealsToWire(await assets.find(csp.cspId, param('brandId'), param('assetId'))),
    }),
    operation({
      id: 'appealBrandAsset',
      method: 'post',
      path: `${ONE}/appeal`,
      test: TEST,
      body: z.object({
        appealCategories: z.array(z.string().max(60)).min(1).max(10),
        explanation: z.string().max(1024).nullish(),
      }),
      response: z.array(appealResource),
      run: async ({ csp, param, body: { appealCategories, explanation } }) => {
        const appeal = { appealCategories, explanation: explanation ?? '' }
        const [brandId, assetId] = [param('brandId'), param('assetId')]
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
