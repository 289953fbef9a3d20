import { z } from '@hono/zod-openapi'
import type { Resellers } from '../../services/csps/resellers.js'
import { described } from '../dialect/field-descriptions.js'
import { list, operation, type RegistryOperation } from '../dialect/operation.js'
import { queryText } from '../dialect/schemas.js'

const details = {
  companyName: z.string().min(1).max(100),
  phone: z.string().min(1).max(20),
  email: z.string().min(1).max(100),
}
const resellerBody = z.object(described(details)).openapi('ResellerDetails')
const resellerResource = z
  .object(described({ resellerId: z.string(), cspId: z.string(), ...details }))
  .openapi('Reseller')

export function resellerOperations(resellers: Resellers): RegistryOperation[] {
  const ROW = 'Get / update / delete reseller'
  const path = '/reseller/{resellerId}'
  return [
    list({
      id: 'searchResellers',
      summary: 'List resellers',
      path: '/reseller',
      row: 'Search resellers',
      name: 'resellers',
      record: resellerResource,
      query: z.object(described({ companyName: queryText(100) })),
      run: ({ caller: csp, query: { companyName } }, page) =>
        resellers.list(csp.cspId, companyName, page),
    }),
    operation({
      id: 'createReseller',
      summary: 'Create a reseller',
      method: 'post',
      path: '/reseller',
      row: 'Create reseller',
      body: resellerBody,
      response: resellerResource,
      run: ({ caller: csp, body }) => resellers.create(csp.cspId, body),
    }),
    operation({
      id: 'getReseller',
      summary: 'Get a reseller',
      method: 'get',
      path,
      row: ROW,
      response: resellerResource,
      run: ({ caller: csp, params }) => resellers.find(csp.cspId, params.resellerId),
    }),
    operation({
      id: 'updateReseller',
      summary: 'Change a reseller',
      method: 'put',
      path,
      row: ROW,
      body: resellerBody,
      response: resellerResource,
      run: ({ caller: csp, params, body }) => resellers.update(csp.cspId, params.resellerId, body),
    }),
    operation({
      id: 'deleteReseller',
      summary: 'Delete a reseller that no campaign uses',
      method: 'delete',
      path,
      row: ROW,
      run: ({ caller: csp, params }) => resellers.remove(csp.cspId, params.resellerId),
    }),
  ]
}
