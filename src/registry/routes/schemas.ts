/** Schemas that several resources share. */
import { z } from '@hono/zod-openapi'

const MAX_PAGE = 1_000_000
const emptyAsAbsent = (value: unknown): unknown => {
  const single: unknown = Array.isArray(value) ? value.at(-1) : value
  return single === '' ? undefined : single
}

/** Text of a query; empty and absent mean the same. */
export const queryText = (max = 255) => z.preprocess(emptyAsAbsent, z.string().max(max).optional())

export const queryChoice = <const Values extends readonly [string, ...string[]]>(values: Values) =>
  z.preprocess(emptyAsAbsent, z.enum(values).optional())

export const queryFlag = () =>
  z.preprocess((value) => {
    const single = emptyAsAbsent(value)
    return single === 'true' ? true : single === 'false' ? false : single
  }, z.boolean().optional())

export const queryList = () =>
  z.preprocess(
    (value) => {
      const all: unknown[] = Array.isArray(value) ? value : value === undefined ? [] : [value]
      return all.filter((each) => each !== '')
    },
    z.array(z.string().max(50)).max(50),
  )

const wholeNumber = (fallback: number, max: number) =>
  z.preprocess((value) => {
    const single = emptyAsAbsent(value)
    if (single === undefined) return fallback
    return typeof single === 'string' && /^\d{1,9}$/.test(single) ? Number(single) : single
  }, z.number().int().min(1).max(max))

export const pageQuery = z.object({
  page: wholeNumber(1, MAX_PAGE),
  recordsPerPage: wholeNumber(10, 500),
})

export type PageQuery = z.infer<typeof pageQuery>

export const recordSet = <Record extends z.ZodType>(record: Record) =>
  z.object({
    records: z.array(record),
    page: z.number().int(),
    totalRecords: z.number().int(),
  })

export const timestamp = () => z.iso.datetime().nullable()

export const errorArray = z
  .array(
    z.object({
      code: z.number().int(),
      description: z.string(),
      fields: z.array(z.string()),
    }),
  )
  .openapi('RegistryErrors')

export function isoTime(at: number | undefined): string | null {
  return at === undefined ? null : new Date(at).toISOString()
}

export function recordSetOf<Item>(
  page: PageQuery,
  found: { readonly items: readonly Item[]; readonly total: number },
) {
  return { records: found.items, page: page.page, totalRecords: found.total }
}

/** Text of a JSON body that may be left out; null says the same as leaving it out. */
export const bodyText = (max: number) => z.string().max(max).nullish()
