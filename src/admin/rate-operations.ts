/** The operator's rates: import from CSV, list and delete. */
import { z } from '@hono/zod-openapi'
import type { CsvImports } from '../platform/csv-imports/csv-imports.js'
import { MICROS_PER_DOLLAR } from '../rating/rate.js'
import { RATE_COLUMNS } from '../rating/rate-imports.js'
import { DIRECTIONS, listRates, type PrefixRate, removeRate } from '../rating/rates.js'
import { type AccountRateDeps, accountRateOperations } from './account-rate-operations.js'
import { type AdminOperation, operation } from './admin-operation.js'
import { csvImportOperations } from './csv-import-operations.js'
import { AdminError, notFound } from './private-dialect.js'

export interface RateOperationsDeps extends AccountRateDeps {
  readonly rateImports: CsvImports
}

export const RATE_IMPORTS = '/rates/imports'
const MAX_LIMIT = 1_000
const DEFAULT_LIMIT = 100
const AFTER = /^(inbound|outbound|sms|mms) (\+[0-9]{0,15})$/
const PREFIX = /^\+[0-9]{0,15}$/

const direction = z.enum(DIRECTIONS)
const accountSid = z
  .string()
  .max(34)
  .default('')
  .openapi({ description: 'The account whose rates are meant; none: the rates of everybody.' })

const rateResource = z
  .object({
    accountSid: z.string().openapi({ description: 'The account; empty for everybody.' }),
    direction,
    prefix: z.string().openapi({ description: 'The beginning of the numbers: +1415.' }),
    rate: z
      .number()
      .openapi({ description: 'The dollars of a minute, or of a segment of a message.' }),
    minimum: z.number().int().openapi({ description: 'The seconds that are billed at least.' }),
    increment: z
      .number()
      .int()
      .openapi({ description: 'The steps beyond the minimum, in seconds.' }),
    description: z.string().openapi({ description: 'A name for people.' }),
  })
  .openapi('Rate')

export function rateOperations(deps: RateOperationsDeps): AdminOperation[] {
  return [
    ...csvImportOperations({
      path: RATE_IMPORTS,
      name: 'Rates',
      summary: 'Import rates of calls and messages from CSV, up to 1 GB',
      description: `The first line names the columns: ${RATE_COLUMNS.join(', ')}. \`prefix\` and \`rate\`, the dollars of a minute or of a segment, are needed. Rows are stored as they come; a rate of the same account, direction and prefix is replaced.`,
      imports: deps.rateImports,
    }),
    ...prefixRates(deps),
    ...accountRateOperations(deps),
  ]
}

function prefixRates(deps: RateOperationsDeps): AdminOperation[] {
  const { db } = deps
  return [
    operation({
      id: 'listRates',
      summary: 'List the rates of everybody, or of one account, in the order of their prefixes',
      method: 'get',
      path: '/rates',
      query: z.strictObject({
        accountSid,
        after: z
          .string()
          .regex(AFTER, 'must be a direction and a prefix: outbound +1')
          .optional()
          .openapi({ description: 'Only rates after this one: the `next` of the page before.' }),
        limit: z.coerce
          .number()
          .int()
          .min(1)
          .max(MAX_LIMIT)
          .default(DEFAULT_LIMIT)
          .openapi({ description: `How many rates a page has: up to ${MAX_LIMIT}.` }),
      }),
      response: z.object({
        rates: z.array(rateResource),
        next: z
          .string()
          .nullable()
          .openapi({ description: 'The `after` of the next page; null on the last one.' }),
      }),
      run: async ({ query: { accountSid: sid, after, limit } }) => {
        refuseNul(sid)
        const found = await listRates(db.read, sid, { limit: limit + 1, after: positionOf(after) })
        const shown = found.slice(0, limit)
        const last = shown.at(-1)
        const next =
          found.length > limit && last !== undefined ? `${last.direction} ${last.prefix}` : null
        return { rates: shown.map(rateToWire), next }
      },
    }),
    deleteRate(deps),
  ]
}

function deleteRate({ db, rateBook }: RateOperationsDeps): AdminOperation {
  return operation({
    id: 'deleteRate',
    summary: 'Delete a rate; calls under way keep it',
    method: 'delete',
    path: '/rates/{direction}/{prefix}',
    params: {
      direction: z.string().openapi({ description: 'inbound, outbound, sms or mms.' }),
      prefix: z.string().openapi({ description: 'The beginning of the numbers: %2B1415.' }),
    },
    query: z.strictObject({ accountSid }),
    errors: [404],
    run: async ({ params: { direction: given, prefix }, query: { accountSid: sid } }) => {
      const known = direction.safeParse(given)
      refuseNul(sid)
      if (!known.success || !PREFIX.test(prefix)) throw notFound()
      const key = { accountSid: sid, direction: known.data, prefix }
      if (!(await db.write((tx) => removeRate(tx, key)))) throw notFound()
      rateBook.changed()
    },
  })
}

function positionOf(after: string | undefined) {
  const [, where, prefix] = AFTER.exec(after ?? '') ?? []
  return where === undefined || prefix === undefined
    ? undefined
    : { direction: direction.parse(where), prefix }
}

function refuseNul(text: string): void {
  if (text.includes('\0')) throw new AdminError(400, 'accountSid is not a sid')
}

function rateToWire(rate: PrefixRate): z.infer<typeof rateResource> {
  return {
    accountSid: rate.accountSid,
    direction: rate.direction,
    prefix: rate.prefix,
    rate: rate.perMinute / MICROS_PER_DOLLAR,
    minimum: rate.minimumSeconds,
    increment: rate.incrementSeconds,
    description: rate.description,
  }
}
