import { join } from 'node:path'
import { tokenOf } from '../../src/voice/api/dialect/voice-paging.js'
import type { BenchServer } from './bench-server.js'
import { startChild } from './child.js'
import { type Figure, generatorProblem } from './figure.js'
import { fillCalls, filledSid, filledTo } from './fill-calls.js'
import type { LoadCommand, LoadReport } from './http/load.js'
import { requestOf } from './http-rates.js'

export interface ListPlan {
  readonly few: number
  readonly many: number
  readonly seconds: number
}

const CONNECTIONS = 4
const PAGE = 'PageSize=50'
/** The largest ratio that the design counts as "does not grow with the account". */
const MAX_RATIO = 2
const SECOND_MS = 1_000

interface Times {
  readonly few: LoadReport
  readonly many: LoadReport
}

/**
 * Measures the same requests at a thousand stored calls and at a million, in one run on one server.
 */
export async function measureLists(
  server: BenchServer,
  folder: string,
  plan: ListPlan,
  say: (text: string) => void,
): Promise<readonly Figure[]> {
  await using load = startChild<LoadCommand, LoadReport>('./http/load.ts')
  const port = Number(new URL(server.http).port)
  const startAt = Date.now() - (plan.many + 60) * SECOND_MS
  const fill = (from: number, until: number) => {
    fillCalls(join(folder, 'data', 'trunkline.db'), {
      accountSid: server.account.sid,
      startAt,
      from,
      until,
    })
  }
  const measure = async (count: number) => {
    const reports = new Map<string, LoadReport>()
    for (const [name, path] of Object.entries(requestsFor(server.account.sid, count, startAt))) {
      const request = requestOf(server, 'GET', path)
      const common = { port, request, expectedStatus: 200, connections: CONNECTIONS }
      await load.ask({ ...common, seconds: 0.3 }) // Warms the cache; not counted.
      reports.set(name, await load.ask({ ...common, seconds: plan.seconds }))
    }
    return reports
  }
  fill(0, plan.few)
  await measure(plan.few) // Warms all code; not counted.
  const few = await measure(plan.few)
  const startedAt = performance.now()
  fill(plan.few, plan.many)
  const filledIn = (performance.now() - startedAt) / SECOND_MS
  say(`${plan.many - plan.few} calls stored in ${filledIn.toFixed(0)} s`)
  const many = await measure(plan.many)
  return [...few].flatMap(([name, report]) => {
    const later = many.get(name)
    return later === undefined ? [] : [figure(name, { few: report, many: later }, plan)]
  })
}

/**
 * The paths below the account. The requested items are in the middle of what is stored, except on
 * page one.
 */
function requestsFor(
  accountSid: string,
  count: number,
  startAt: number,
): Readonly<Record<string, string>> {
  const middle = Math.floor(count / 2)
  const page = (query: string) => `/Calls.json?${PAGE}&${query}`
  const list = `/2010-04-01/Accounts/${accountSid}/Calls`
  const token = (index: number) => {
    const position = { at: startAt + index * SECOND_MS, sid: filledSid(index) }
    return `Page=${Math.floor(index / 50)}&PageToken=${tokenOf('A', position, list)}`
  }
  const day = new Date(startAt + middle * SECOND_MS).toISOString()
  return {
    'fetch one call': `/Calls/${filledSid(middle)}.json`,
    'first page': page('Page=0'),
    'page in the middle': page(token(middle)),
    'last page': page(token(60)),
    'page of one number': page(`To=${encodeURIComponent(filledTo(7))}`),
    'page of one status': page('Status=busy'),
    'page of one number and status': page(`To=${encodeURIComponent(filledTo(0))}&Status=busy`),
    'page before a time': page(`StartTime%3C=${encodeURIComponent(day)}`),
    'page ended after a time': page(`EndTime%3E=${encodeURIComponent(day)}`),
  }
}

function figure(name: string, { few, many }: Times, plan: ListPlan): Figure {
  const invalid =
    generatorProblem('the load', Math.max(few.cores, many.cores)) ??
    (few.unexpected + many.unexpected > 0 ? 'answers were wrong' : undefined)
  return {
    name: `${name}, at ${plan.many} calls against ${plan.few}`,
    value: many.p50 / few.p50,
    unit: '×',
    target: { atMost: MAX_RATIO },
    detail: `p50 ${few.p50.toFixed(2)} → ${many.p50.toFixed(2)} ms, p95 ${few.p95.toFixed(2)} → ${many.p95.toFixed(2)} ms, ${CONNECTIONS} connections`,
    invalid,
  }
}
