import { z } from '@hono/zod-openapi'
import { refuse } from '../../model/registry-error.js'
import type { Tags } from '../../services/csps/tags.js'
import { described } from '../dialect/field-descriptions.js'
import { list, operation, type RegistryOperation } from '../dialect/operation.js'
import { queryChoice, queryText } from '../dialect/schemas.js'

const RECORD_TYPES = ['BRAND', 'CAMPAIGN'] as const

const tagResource = z
  .object(
    described({
      name: z.string().min(1).max(255),
      recordType: z.enum(RECORD_TYPES),
      recordId: z.string().min(1).max(7),
    }),
  )
  .openapi('Tag')

export function tagOperations(tags: Tags): RegistryOperation[] {
  return [
    list({
      id: 'listTags',
      summary: 'List tags',
      path: '/tag',
      row: 'List tags',
      name: 'tags',
      record: tagResource,
      query: z.object(
        described({
          name: queryText(255),
          recordId: queryText(8),
          recordType: queryChoice(RECORD_TYPES),
        }),
      ),
      run: ({ caller: csp, query }, page) => tags.list(csp.cspId, query, page),
    }),
    operation({
      id: 'createTag',
      summary: 'Put a tag on a brand or campaign',
      method: 'put',
      path: '/tag',
      row: 'Create tag',
      body: tagResource,
      response: tagResource,
      run: ({ caller: csp, body }) => tags.create(csp.cspId, body),
    }),
    operation({
      id: 'deleteTag',
      summary: 'Take a tag off a brand or campaign',
      method: 'delete',
      path: '/tag/name/{name}/recordType/{recordType}/recordId/{recordId}',
      row: 'Delete tag',
      run: ({ caller: csp, params }) => {
        const recordType = RECORD_TYPES.find((each) => each === params.recordType)
        if (recordType === undefined) throw refuse(501, ['recordType'], 'BRAND or CAMPAIGN')
        const tag = { name: params.name, recordType, recordId: params.recordId }
        return tags.remove(csp.cspId, tag)
      },
    }),
  ]
}
