import { join } from 'node:path'
import { toInventoryRow } from '../../numbers/inventory-number.js'
import { fillTable } from '../../platform/database/sqlite/fill-table.js'
import type { BenchServer } from './bench-server.js'
import type { Figure } from './figure.js'
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

/** Measures coverage and searches of an inventory of millions; each answer is asked for once before. */
export async function measureCoverage(
  server: BenchServer,
  folder: string,
  { numbers, requests }: CoveragePlan,
  say: (text: string) => void,
): Promise<readonly Figure[]> {
  const startedAt = performance.now()
  fillTable(join(folder, 'data', 'trunkline.db'), 'phone_number_inventory', rowsOf(numbers))
  const seconds = (performance.now() - startedAt) / 1_000
  say(`${numbers} numbers stored in ${seconds.toFixed(0)} s`)
  const figures: Figure[] = []
  for (const [name, path] of Object.entries(REQUESTS)) {
    const cold = await timeOf(server, path)
    const warm: number[] = []
    for (let count = 0; count < requests; count += 1) warm.push(await timeOf(server, path))
    const { p50, p95 } = percentilesOf(warm)
    figures.push({
      name: `${name}, ${numbers} numbers`,
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

/** Whole blocks of a thousand numbers, spread over area codes, states and rate centers. */
function* rowsOf(count: number) {
  for (let index = 0; index < count; index += 1) {
    const block = Math.floor(index / NUMBERS_OF_A_BLOCK)
    const npa = FIRST_NPA + (block % NPAS)
    const nxx = 200 + Math.floor(block / NPAS / 10)
    const last = (Math.floor(block / NPAS) % 10) * NUMBERS_OF_A_BLOCK + (index % NUMBERS_OF_A_BLOCK)
    yield toInventoryRow(
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
}
