import { z } from '@hono/zod-openapi'
import type { Resellers } from '../services/csps/resellers.js'
import { type Operation, operation } from './operation.js'
import { pageQuery, queryText, recordSet, recordSetOf } from './schemas.js'

const TEST = 'resellers-and-tags.test.ts'

const details = {
  companyName: z.string().min(1).max(100),
  phone: z.string().min(1).max(20),
  email: z.string().min(1).max(100),
}
const resellerBody = z.object(details).openapi('ResellerDetails')
const resellerResource = z
  .object({ resellerId: z.string(), cspId: z.string(), ...details })
  .openapi('Reseller')

export function resellerOperations(resellers: Resellers): Operation[] {
  const ROW = 'Get / update / delete reseller'
  const path = '/reseller/{resellerId}'
  return [
    operation({
      id: 'searchResellers',
      method: 'get',
      path: '/reseller',
      row: 'Search resellers',
      test: TEST,
      query: pageQuery.extend({ companyName: queryText(100) }),
      response: recordSet(resellerResource),
      run: async ({ csp, query: { companyName, ...page } }) => {
        const paging = {
          offset: (page.page - 1) * page.recordsPerPage,
          limit: page.recordsPerPage,
        }
        return recordSetOf(page, await resellers.list(csp.cspId, companyName, paging))
      },
    }),
    operation({
      id: 'createReseller',
      method: 'post',
      path: '/reseller',
      row: 'Create reseller',
      test: TEST,
      body: resellerBody,
      response: resellerResource,
      run: ({ csp, body }) => resellers.create(csp.cspId, body),
    }),
    operation({
      id: 'getReseller',
      method: 'get',
      path,
      row: ROW,
      test: TEST,
      response: resellerResource,
      run: ({ csp, param }) => resellers.find(csp.cspId, param('resellerId')),
    }),
    operation({
      id: 'updateReseller',
      method: 'put',
      path,
      row: ROW,
      test: TEST,
      body: resellerBody,
      response: resellerResource,
      run: ({ csp, param, body }) => resellers.update(csp.cspId, param('resellerId'), body),
    }),
    operation({
      id: 'deleteReseller',
      method: 'delete',
      path,
      row: ROW,
      test: TEST,
      run: ({ csp, param }) => resellers.remove(csp.cspId, param('resellerId')),
    }),
  ]
}
