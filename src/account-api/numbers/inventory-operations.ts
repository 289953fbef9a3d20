/** Orderable numbers and their coverage, in both styles. */
import { z } from '@hono/zod-openapi'
import { GROUPINGS, type Grouping } from '../../numbers/coverage.js'
import type { OfferedNumber } from '../../numbers/inventory-number.js'
import type { BlockFilter } from '../../numbers/number-blocks.js'
import { readMask } from '../../numbers/number-mask.js'
import { ApiFailure } from '../dialect/api-failure.js'
import { type LegacyCommand, legacy, legacyOver } from '../dialect/legacy-operation.js'
import { type AccountOperation, rest, type Styles } from '../dialect/rest-operation.js'
import { integer, shownText } from '../fields.js'
import { shownNumberField, shownTn } from './number-fields.js'
import type { Numbering } from './numbering.js'

type Provider = Numbering['provider']

const MAX_PLACE = 100
const MAX_LATA = 99_999
/** Maximum quantity in the REST style, then in the legacy style. */
const MAX_QUANTITY = 1_000
const MAX_LEGACY_QUANTITY = 100_000
const DEFAULT_QUANTITY = 10

const MASK_EXPECTED = 'ten digits, with x for any, are expected'
const mask = z
  .union([z.string().min(1), z.number().int()], MASK_EXPECTED)
  .transform((value, context) => {
    const read = readMask(String(value))
    if (read !== undefined) return read
    context.addIssue({ code: 'custom', message: MASK_EXPECTED })
    return z.NEVER
  })
  .openapi({
    type: 'string',
    description: 'Ten characters: digits, and x for any digit; fewer are the beginning.',
  })

const place = (description: string) =>
  z.string().trim().min(1).max(MAX_PLACE).optional().openapi({ description })
const lata = integer('Only this LATA.', { min: 0, max: MAX_LATA }).optional()
const npa = z
  .union([z.string(), z.number().int()], 'an area code is expected')
  .transform(String)
  .pipe(z.string().regex(/^[2-9][0-9]{2}$/, 'an area code is expected'))
  .optional()
  .openapi({ type: 'string', description: 'Only this area code.' })

const searchFields = {
  tnMask: mask,
  province: place('Only this state: two letters.'),
  rateCenter: place('Only this rate center.'),
  lata,
}
const offered = z
  .object({
    number: shownNumberField,
    city: shownText('Its city; empty when it is not known.'),
    province: shownText('Its state; empty when it is not known.'),
    rateCenter: shownText('Its rate center; empty when it is not known.'),
    lata: shownText('Its LATA; empty when it is not known.'),
  })
  .openapi('OfferedNumber')

const coverageItem = z
  .object({
    block: shownText('The first of the last four digits; empty in other groups.'),
    nxx: shownText('The exchange; empty in larger groups.'),
    rcAbbre: shownText('The rate center; empty in larger groups.'),
    city: shownText('The city; empty in larger groups.'),
    npa: shownText('The area code; empty in groups by place.'),
    locState: shownText('The state.'),
    lata: shownText('The LATA; empty in larger groups.'),
    count: z.number().int().openapi({ description: 'The numbers that can be ordered.' }),
  })
  .openapi('CoverageItem')
const coverageFilter = {
  locState: place('Only this state: two letters.'),
  city: place('Only this city.'),
  rcAbbre: place('Only this rate center.'),
  npa,
  lata,
}

export function inventoryOperations(provider: Provider): Styles {
  const operations = [
    rest({
      id: 'searchInventory',
      summary: 'Search numbers that can be ordered',
      method: 'get',
      path: '/inventory',
      query: z.object({
        ...searchFields,
        quantity: integer('How many at most, by default 10.', {
          min: 1,
          max: MAX_QUANTITY,
        }).default(DEFAULT_QUANTITY),
      }),
      data: z.object({
        numbers: z.array(offered).openapi({ description: 'The numbers, in their order.' }),
      }),
      errors: [502],
      run: async ({ query }) => {
        const { tnMask, quantity } = query
        const search = { mask: tnMask, filter: filterOfSearch(query), limit: quantity }
        const found = await provider.search(search)
        return {
          numbers: found.map((each) => ({ ...placeOf(each), lata: each.lata ?? '' })),
        }
      },
    }),
    rest({
      id: 'getCoverage',
      summary: 'Count the numbers that can be ordered',
      description: 'An answer may be ten minutes old.',
      method: 'get',
      path: '/inventory/coverage',
      row: 'Number coverage',
      query: z.object({
        countBy: z.enum(GROUPINGS).openapi({ description: 'What the groups have in common.' }),
        ...coverageFilter,
      }),
      data: z.object({
        coverage: z
          .array(coverageItem)
          .openapi({ description: 'The groups, in the order of their digits or names.' }),
      }),
      errors: [502],
      run: async ({ query }) => ({
        coverage: await covered(provider, query.countBy, {
          state: query.locState,
          city: query.city,
          rateCenter: query.rcAbbre,
          npa: query.npa,
          lata: textOf(query.lata),
        }),
      }),
    }),
  ]
  return {
    rest: operations,
    numbering: [tnInventory(provider), ...legacyOver(operations, COVERAGE_COMMAND)],
  }
}

const LEGACY_GROUPINGS = ['state', 'rateCenter', 'npaNxx', 'block'] as const
const LEGACY_FILTERS = ['npa', 'lata', 'rcAbbre', 'locState'] as const

const COVERAGE_COMMAND: LegacyCommand = {
  id: 'tnInventoryCoverage',
  does: 'getCoverage',
  description: 'At most one filter. An answer may be ten minutes old.',
  path: '/numbering/tnInventoryCoverage/',
  aliases: ['/iNumbering/tnInventoryCoverage/'],
  row: 'Inventory coverage',
  body: {
    countBy: z
      .enum(LEGACY_GROUPINGS)
      .default('npaNxx')
      .openapi({ description: 'What the groups have in common, by default npaNxx.' })
      // The REST operation spells this grouping in lower case.
      .overwrite((name) => name.replace('Nxx', 'nxx') as typeof name),
    npa: coverageFilter.npa,
    lata: coverageFilter.lata,
    rcAbbre: coverageFilter.rcAbbre,
    locState: coverageFilter.locState,
  },
  check: (fields, context) => {
    const filters = LEGACY_FILTERS.filter((name) => fields[name] !== undefined)
    if (filters.length < 2) return
    context.addIssue({
      code: 'custom',
      message: `${filters.join(', ')}: at most one filter is expected`,
    })
  },
  gives: { tnInventoryCoverageList: 'coverage' },
}

const tnResult = z
  .object({
    telephoneNumber: shownNumberField,
    rateCenter: shownText('Its rate center; empty when it is not known.'),
    city: shownText('Its city; empty when it is not known.'),
    lata: z.number().int().openapi({ description: 'Its LATA; 0 when it is not known.' }),
    province: shownText('Its state; empty when it is not known.'),
  })
  .openapi('TnResult')

function tnInventory(provider: Provider): AccountOperation {
  return legacy({
    id: 'tnInventory',
    summary: 'Search numbers that can be ordered',
    description: 'A quantity over 100,000 is a 422.',
    path: '/numbering/tnInventory/',
    aliases: ['/iNumbering/tnInventory/'],
    row: 'Inventory search',
    idempotency: 'none',
    body: {
      ...searchFields,
      quantity: integer('How many at most, up to 100,000.', { min: 1 }),
    },
    keys: {
      tnResult: z.array(tnResult).openapi({ description: 'The numbers, in their order.' }),
    },
    errors: [422, 502],
    run: async ({ body }) => {
      const { tnMask, quantity } = body
      if (quantity > MAX_LEGACY_QUANTITY)
        throw new ApiFailure(422, `quantity: at most ${MAX_LEGACY_QUANTITY}`)
      const search = { mask: tnMask, filter: filterOfSearch(body), limit: quantity }
      const found = await provider.search(search)
      return {
        tnResult: found.map((each) => {
          const { number, ...at } = placeOf(each)
          return { telephoneNumber: number, ...at, lata: Number(each.lata ?? 0) || 0 }
        }),
      }
    },
  })
}

interface SearchedPlace {
  readonly province?: string | undefined
  readonly rateCenter?: string | undefined
  readonly lata?: number | undefined
}

function filterOfSearch({ province, rateCenter, lata: area }: SearchedPlace): BlockFilter {
  return { state: province?.toUpperCase(), rateCenter, lata: textOf(area) }
}

function textOf(value: number | undefined): string | undefined {
  return value === undefined ? undefined : String(value)
}

function placeOf(each: OfferedNumber) {
  return {
    number: shownTn(each.e164),
    city: each.locality ?? '',
    province: each.region ?? '',
    rateCenter: each.rateCenter ?? '',
  }
}

async function covered(provider: Provider, countBy: Grouping, filter: BlockFilter) {
  const found = await provider.coverage.count({ countBy, filter })
  return found.map((each) => ({
    block: each.block,
    nxx: each.nxx,
    rcAbbre: each.rateCenter,
    city: each.city,
    npa: each.npa,
    locState: each.state,
    lata: each.lata,
    count: each.count,
  }))
}
