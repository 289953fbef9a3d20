/** Look-ups of numbers, in both styles. */
import { z } from '@hono/zod-openapi'
import { InsufficientBalanceError } from '../../ledger/reservations.js'
import { LookupError } from '../../lookups/lookup-provider.js'
import type { FoundName, FoundRoute, Lookups } from '../../lookups/lookups.js'
import { ApiFailure } from '../dialect/api-failure.js'
import { legacyOver } from '../dialect/legacy-operation.js'
import { rest, type Styles } from '../dialect/rest-operation.js'
import { shownText, tenDigitsOf } from '../fields.js'

/** Placeholder that networks show for an unknown name. */
const NO_NAME = 'UNAVAILABLE'

const numberText = (description: string) =>
  z
    .string()
    .max(16)
    .openapi({ description: `${description}, ten digits.` })
/** A number in the legacy style, which sends it as an integer. */
const legacyNumber = (description: string) =>
  z
    .union([z.number().int(), z.string().max(16)], 'ten digits of a North American number')
    .openapi({ type: 'integer', description: `${description}, ten digits.` })

const shownRoute = {
  lrn: shownText('The location routing number, ten digits.'),
  ocn: shownText('The operating company number of the carrier; empty when it is not known.'),
  lec: shownText('The name of the carrier; empty when it is not known.'),
  lecType: shownText('The kind of carrier; empty when it is not known.'),
  city: shownText('The city.'),
  state: shownText('The state.'),
  rc: shownText('The rate center.'),
  lata: shownText('The LATA.'),
  local: shownText('Y when a call from the caller is local, else N.'),
  jurisdiction: shownText('INTRASTATE, INTERSTATE or INDETERMINATE.'),
}

/** Legacy names of the route's fields. */
const LEGACY_ROUTE = {
  LRN: 'lrn',
  OCN: 'ocn',
  LEC: 'lec',
  LECTYPE: 'lecType',
  CITY: 'city',
  STATE: 'state',
  RC: 'rc',
  LATA: 'lata',
  LOCAL: 'local',
  JURISDICTION: 'jurisdiction',
} as const
const legacyRoute = z
  .object(
    Object.fromEntries(Object.entries(LEGACY_ROUTE).map(([key, name]) => [key, shownRoute[name]])),
  )
  .openapi({ description: 'Where the number is reached.' })

const errors = [402, 502]
/** The charge of a look-up is committed with its answer, for every method. */
const idempotency = 'in-one-commit'

const COMMANDS = [
  {
    id: 'legacyLookUpCallerName',
    does: 'lookUpCallerName',
    path: '/info/cnam',
    row: 'Caller-name lookup (legacy)',
    body: { cid: legacyNumber('The number') },
    as: { cid: 'number' },
    gives: { cnam: 'cnam' },
  },
  {
    id: 'legacyLookUpRoute',
    does: 'lookUpRoute',
    path: '/info/lrn/',
    body: { dst: legacyNumber('The number'), cid: legacyNumber("The caller's number") },
    as: { dst: 'number', cid: 'ani' },
    gives: { lrn: { of: 'lrn', schema: legacyRoute, names: LEGACY_ROUTE } },
  },
]

export function lookupOperations(lookups: Lookups): Styles {
  const operations = [
    rest({
      id: 'lookUpCallerName',
      summary: 'Look up the name of a caller',
      method: 'get',
      path: '/cnam/{number}',
      params: { number: numberText('The number') },
      row: 'Caller-name lookup',
      idempotency,
      errors,
      data: z.object({
        number: shownText('The number, ten digits.'),
        cnam: shownText(`The name; ${NO_NAME} when none is known.`),
      }),
      prepare: ({ caller, params }) => name(lookups, caller.sid, tenOf('number', params.number)),
      run: async ({ params }, found) => {
        await pay(lookups, found)
        return { number: tenOf('number', params.number), cnam: found.name ?? NO_NAME }
      },
    }),
    rest({
      id: 'lookUpRoute',
      summary: 'Look up the routing number of a number',
      method: 'get',
      path: '/lrn/{number}/{ani}',
      params: { number: numberText('The number'), ani: numberText("The caller's number") },
      idempotency,
      errors,
      data: z.object({
        destination: shownText('The number, ten digits.'),
        ani: shownText("The caller's number, ten digits."),
        lrn: z.object(shownRoute).openapi({ description: 'Where the number is reached.' }),
      }),
      prepare: ({ caller, params }) =>
        route(lookups, caller.sid, tenOf('number', params.number), tenOf('ani', params.ani)),
      run: async ({ params }, found) => {
        await pay(lookups, found)
        const { rateCenter: rc, ...other } = found.route
        return {
          destination: tenOf('number', params.number),
          ani: tenOf('ani', params.ani),
          lrn: { ...other, rc },
        }
      },
    }),
  ]
  return { rest: operations, legacy: legacyOver(operations, ...COMMANDS) }
}

const name = (lookups: Lookups, sid: string, ten: string): Promise<FoundName> =>
  orFailure(() => lookups.findName(sid, `+1${ten}`))

const route = (lookups: Lookups, sid: string, ten: string, ani: string): Promise<FoundRoute> =>
  orFailure(() => lookups.findRoute(sid, `+1${ten}`, `+1${ani}`))

const pay = (lookups: Lookups, { charge }: Pick<FoundName, 'charge'>): Promise<void> =>
  orFailure(() => lookups.pay(charge))

async function orFailure<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof InsufficientBalanceError) throw new ApiFailure(402, error.message)
    if (error instanceof LookupError) throw new ApiFailure(502, error.message)
    throw error
  }
}

/**
 * The ten digits of a North American number, with or without its country digit. Throws a 400 for other texts.
 */
function tenOf(field: string, given: string | number): string {
  const ten = tenDigitsOf(String(given))
  if (ten === undefined)
    throw new ApiFailure(400, `${field}: ten digits of a North American number are expected`)
  return ten
}
