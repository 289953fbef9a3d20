import { z } from '@hono/zod-openapi'
import { refuse } from '../model/registry-error.js'
import type { Tags } from '../services/csps/tags.js'
import { type Operation, operation } from './operation.js'
import { pageQuery, queryChoice, queryText, recordSet, recordSetOf } from './schemas.js'

const TEST = 'resellers-and-tags.test.ts'
const RECORD_TYPES = ['BRAND', 'CAMPAIGN'] as const

const tagResource = z
  .object({
    name: z.string().min(1).max(255),
    recordType: z.enum(RECORD_TYPES),
    recordId: z.string().min(1).max(7),
  })
  .openapi('Tag')

export function tagOperations(tags: Tags): Operation[] {
  return [
    operation({
      id: 'listTags',
      method: 'get',
      path: '/tag',
      row: 'List tags',
      test: TEST,
      query: pageQuery.extend({
        name: queryText(50),
        recordId: queryText(8),
        recordType: queryChoice(RECORD_TYPES),
      }),
      response: recordSet(tagResource),
      run: async ({ csp, query: { page, recordsPerPage, ...filter } }) => {
        const paging = { offset: (page - 1) * recordsPerPage, limit: recordsPerPage }
        const found = await tags.list(csp.cspId, filter, paging)
        return recordSetOf({ page, recordsPerPage }, found)
      },
    }),
    operation({
      id: 'createTag',
      method: 'put',
      path: '/tag',
      row: 'Create tag',
      test: TEST,
      body: tagResource,
      response: tagResource,
      run: ({ csp, body }) => tags.create(csp.cspId, body),
    }),
    operation({
      id: 'deleteTag',
      method: 'delete',
      path: '/tag/name/{name}/recordType/{recordType}/recordId/{recordId}',
      row: 'Delete tag',
      test: TEST,
      run: ({ csp, param }) => {
        const recordType = RECORD_TYPES.find((each) => each === param('recordType'))
        if (recordType === undefined) throw refuse(501, ['recordType'], 'BRAND or CAMPAIGN')
        const tag = { name: param('name'), recordType, recordId: param('recordId') }
        return tags.remove(csp.cspId, tag)
      },
    }),
  ]
}
