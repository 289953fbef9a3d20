import { z } from '@hono/zod-openapi'
import type { Paging } from '../../../platform/api/list-operation.js'
import { lastOf } from '../../../platform/api/repeated.js'
import { described } from './field-descriptions.js'

const MAX_PAGE = 1_000_000
const MAX_RECORDS_PER_PAGE = 500

const wholeNumber = (fallback: number, max: number) =>
  z.preprocess((value) => {
    const single = lastOf(value)
    if (single === undefined || single === '') return fallback
    return typeof single === 'string' && /^\d{1,9}$/.test(single) ? Number(single) : single
  }, z.number().int().min(1).max(max))

const pageQuery = z.object(
  described({
    page: wholeNumber(1, MAX_PAGE).openapi({ description: 'The number of the page, from 1.' }),
    recordsPerPage: wholeNumber(10, MAX_RECORDS_PER_PAGE).openapi({
      description: 'How many records a page has.',
    }),
  }),
)

/** Paging by page number, from 1: `{ records, page, totalRecords }`. */
export const registryPaging: Paging = {
  query: pageQuery,
  isStrict: true,
  records: (_name, record) =>
    z.object(
      described({
        records: z.array(record),
        page: z.number().int(),
        totalRecords: z.number().int(),
      }),
    ),
  read: (query) => {
    const { page, recordsPerPage } = query as z.infer<typeof pageQuery> // parsed by it
    return { offset: (page - 1) * recordsPerPage, limit: recordsPerPage }
  },
  wrap: (_name, { items, total }, { offset, limit }) => ({
    records: items,
    page: offset / limit + 1,
    totalRecords: total,
  }),
}
