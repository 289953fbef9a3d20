import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { toInventoryRow } from '../../src/numbers/inventory-number.js'
import { type PostgresServer, startPostgres } from '../support/process/postgres-server.js'
import { type BenchServer, startBenchServer } from './bench-server.js'
import type { Figure } from './figure.js'
import { fillAtOnce } from './fill-at-once.js'
import { percentilesOf } from './percentiles.js'

export interface CoveragePlan {
  /** The numbers of the inventory. */
  readonly numbers: number
  readonly requests: number
}

/** What the design allows a warm answer. */
const MAX_MS = 100
const NUMBERS_OF_A_BLOCK = 1_000
const FIRST_NPA = 201
const NPAS = 300
const CAPABILITIES = { voice: true, sms: false, mms: false, fax: false }

const REQUESTS: Readonly<Record<string, string>> = {
  'coverage by state': '/inventory/coverage?countBy=state',
  'coverage by rate center': '/inventory/coverage?countBy=rateCenter',
  'coverage by exchange': '/inventory/coverage?countBy=npanxx',
  'coverage by block of a state': '/inventory/coverage?countBy=block&locState=S1',
  'search of an area code': '/inventory?tnMask=201xxxxxxx&quantity=100',
  'search of four last digits': '/inventory?tnMask=xxxxxx0777&quantity=100',
  'search of a rate center': '/inventory?tnMask=xxxxxxxxxx&rateCenter=RC7&quantity=100',
  'search that finds nothing': '/inventory?tnMask=xxxxxx9999&province=S0&quantity=100',
}

/** What the triggers of the inventory keep. */
const COUNTS = [
  {
    table: 'phone_number_inventory_counts',
    columns: ['country', 'kind', 'numbers'],
    rows: 'select country, kind, count(*) from phone_number_inventory group by country, kind',
  },
  {
    table: 'phone_number_inventory_blocks',
    columns: ['npa', 'nxx', 'block', '"rateCenter"', 'locality', 'region', 'lata', 'numbers'],
    rows: `select "areaCode", substr("phoneNumber", 6, 3), substr("phoneNumber", 9, 1),
      "rateCenter", locality, region, lata, count(*)
      from phone_number_inventory group by 1, 2, 3, 4, 5, 6, 7`,
  },
]

/**
 * Measures coverage and searches of an inventory of millions on each engine; each answer is asked for
 * once before. Without PostgreSQL on this machine it says so and measures SQLite alone.
 */
export async function measureCoverage(
  folder: string,
  plan: CoveragePlan,
  say: (text: string) => void,
): Promise<readonly Figure[]> {
  const figures = await measureOn('SQLite', folder, undefined, plan, say)
  let postgres: PostgresServer
  try {
    postgres = await startPostgres()
  } catch (error) {
    say(`PostgreSQL is not measured: ${error instanceof Error ? error.message : String(error)}`)
    return figures
  }
  await using _stopped = postgres
  return [
    ...figures,
    ...(await measureOn('PostgreSQL', folder, postgres.url('postgres'), plan, say)),
  ]
}

async function measureOn(
  engine: string,
  folder: string,
  url: string | undefined,
  { numbers, requests }: CoveragePlan,
  say: (text: string) => void,
): Promise<readonly Figure[]> {
  const own = join(folder, `coverage-${engine}`)
  mkdirSync(own, { recursive: true })
  await using server = await startBenchServer(own, url === undefined ? {} : { DATABASE_URL: url })
  const startedAt = performance.now()
  await fillAtOnce(url ?? join(own, 'data', 'trunkline.db'), {
    table: 'phone_number_inventory',
    rows: rowsOf(numbers),
    counts: COUNTS,
  })
  const seconds = (performance.now() - startedAt) / 1_000
  say(`${engine}: ${numbers} numbers stored in ${seconds.toFixed(0)} s`)
  const figures: Figure[] = []
  for (const [name, path] of Object.entries(REQUESTS)) {
    const cold = await timeOf(server, path)
    const warm: number[] = []
    for (let count = 0; count < requests; count += 1) warm.push(await timeOf(server, path))
    const { p50, p95 } = percentilesOf(warm)
    figures.push({
      name: `${name}, ${numbers} numbers, ${engine}`,
      value: p95,
      unit: 'ms',
      target: { atMost: MAX_MS },
      detail: `p50 ${p50.toFixed(1)} ms, the first answer ${cold.toFixed(0)} ms`,
    })
  }
  return figures
}

async function timeOf({ http, account }: BenchServer, path: string): Promise<number> {
  const credentials = Buffer.from(account.authorization.slice('Basic '.length), 'base64').toString()
  const key = credentials.slice(credentials.indexOf(':') + 1)
  const startedAt = performance.now()
  const answer = await fetch(`${http}/v2.2${path}`, { headers: { authorization: `Bearer ${key}` } })
  const text = await answer.text()
  if (!answer.ok) throw new Error(`${path}: ${text}`)
  return performance.now() - startedAt
}

/**
 * Whole blocks of a thousand numbers, spread over area codes, states and rate centers, in the order of
 * the numbers: so the table grows at its end.
 */
function* rowsOf(count: number) {
  const blocks = Math.ceil(count / NUMBERS_OF_A_BLOCK)
  for (let place = 0; place < NPAS; place += 1)
    for (let block = place; block < blocks; block += NPAS)
      for (let index = 0; index < NUMBERS_OF_A_BLOCK; index += 1) yield rowOf(block, index)
}

function rowOf(block: number, index: number) {
  const npa = FIRST_NPA + (block % NPAS)
  const nxx = 200 + Math.floor(block / NPAS / 10)
  const last = (Math.floor(block / NPAS) % 10) * NUMBERS_OF_A_BLOCK + index
  return toInventoryRow(
    {
      e164: `+1${npa}${nxx}${String(last).padStart(4, '0')}`,
      country: 'US',
      kind: 'local',
      region: `S${npa % 50}`,
      locality: `City ${npa}`,
      postalCode: undefined,
      rateCenter: `RC${block % 900}`,
      lata: String(100 + (npa % 200)),
      place: undefined,
      capabilities: CAPABILITIES,
    },
    1,
  )
}
