import { z } from '@hono/zod-openapi'
import type { Brands } from '../services/brands/brands.js'
import {
  brandResource,
  createBrandBody,
  feedbackResource,
  listBrandsQuery,
  updateBrandBody,
} from './brand-schemas.js'
import { brandChangeOf, brandDetailsOf, brandToWire } from './brand-wire.js'
import { type Operation, operation } from './operation.js'
import { recordSet, recordSetOf } from './schemas.js'

const TEST = 'brands.test.ts'

export function brandOperations(brands: Brands): Operation[] {
  return [
    operation({
      id: 'listBrands',
      method: 'get',
      path: '/brand',
      row: 'List brands',
      test: TEST,
      query: listBrandsQuery,
      response: recordSet(brandResource),
      run: async ({ csp, query }) => {
        const { page, recordsPerPage, status, ...filter } = query
        const offset = (page - 1) * recordsPerPage
        const wanted = { ...filter, status: status ?? ('ACTIVE' as const) }
        const { items, total } = await brands.list(csp.cspId, wanted, {
          offset,
          limit: recordsPerPage,
        })
        return recordSetOf(query, {
          items: items.map((each) => brandToWire(each, csp.name)),
          total,
        })
      },
    }),
    operation({
      id: 'registerBrand',
      method: 'post',
      path: '/brand/nonBlocking',
      aliases: ['/brand'],
      row: 'Register brand',
      test: TEST,
      body: createBrandBody,
      response: brandResource,
      run: async ({ csp, body }) => {
        const wanted = {
          details: brandDetailsOf(body),
          isMock: body.mock ?? false,
          tags: body.tag ?? [],
        }
        return brandToWire(await brands.register(csp, wanted), csp.name)
      },
    }),
    ...readOperations(brands),
    ...changeOperations(brands),
  ]
}

function readOperations(brands: Brands): Operation[] {
  return [
    operation({
      id: 'getFeedback',
      method: 'get',
      path: '/brand/feedback/{brandId}',
      row: 'Brand feedback',
      test: TEST,
      response: feedbackResource,
      run: async ({ csp, param }) => {
        const brandId = param('brandId')
        return { brandId, category: await brands.feedback(csp.cspId, brandId) }
      },
    }),
    operation({
      id: 'getBrand',
      method: 'get',
      path: '/brand/{brandId}',
      row: 'Get brand',
      test: TEST,
      response: brandResource,
      run: async ({ csp, param }) =>
        brandToWire(await brands.find(csp.cspId, param('brandId')), csp.name),
    }),
    operation({
      id: 'getFreeTrialBrand',
      method: 'get',
      path: '/pft/brand',
      row: 'Get platform-free-trial brand',
      test: TEST,
      response: brandResource,
      run: async ({ csp }) => brandToWire(await brands.freeTrial(csp), csp.name),
    }),
  ]
}

function changeOperations(brands: Brands): Operation[] {
  return [
    operation({
      id: 'updateBrand',
      method: 'put',
      path: '/brand/{brandId}',
      row: 'Update brand',
      test: TEST,
      body: updateBrandBody,
      response: brandResource,
      run: async ({ csp, param, body }) =>
        brandToWire(await brands.update(csp, param('brandId'), brandChangeOf(body)), csp.name),
    }),
    operation({
      id: 'deleteBrand',
      method: 'delete',
      path: '/brand/{brandId}',
      test: TEST,
      run: ({ csp, param }) => brands.remove(csp.cspId, param('brandId')),
    }),
    operation({
      id: 'revetBrand',
      method: 'put',
      path: '/brand/{brandId}/revet',
      row: 'Re-vet brand',
      test: TEST,
      body: z.object({}),
      response: brandResource,
      run: async ({ csp, param }) =>
        brandToWire(await brands.revet(csp, param('brandId')), csp.name),
    }),
  ]
}
