import { expect, it } from 'vitest'
import type { Gateway } from '../../../../src/numbers/gateways.js'
import type { Carrier } from '../../../../src/voice/carriers/carrier.js'
import { DEFAULT_CARRIER_SETTINGS } from '../../../../src/voice/carriers/carrier.js'
import { TrunkChecks } from '../../../../src/voice/carriers/trunk-checks.js'

const settings = { ...DEFAULT_CARRIER_SETTINGS, isEnabled: false }
const carrier = (name: string) => ({ name, host: 'sip.test', settings }) as Carrier
const gateway = (id: number) => ({ id, gateway: 'pbx.test' }) as Gateway

/** The names of each page, for these numbers of carriers and gateways. */
async function pages(carriers: number, gateways: number): Promise<readonly (readonly string[])[]> {
  const all = Array.from({ length: carriers }, (_, at) => carrier(`c${String(at)}`))
  const routes = Array.from({ length: gateways }, (_, at) => gateway(at))
  const checks = new TrunkChecks({
    carriers: { list: () => Promise.resolve(all) },
    gateways: { page: (skip, limit) => Promise.resolve(routes.slice(skip, skip + limit)) },
    sipHosts: { find: () => Promise.resolve({ type: 'unreachable' }) },
    carrierRegistrations: { of: () => undefined },
  } as Partial<ConstructorParameters<typeof TrunkChecks>[0]> as ConstructorParameters<
    typeof TrunkChecks
  >[0])
  const found: (readonly string[])[] = []
  for (let skip: number | undefined = 0; skip !== undefined; ) {
    const page: Awaited<ReturnType<TrunkChecks['page']>> = await checks.page(skip)
    found.push(page.checks.map(({ name }) => name))
    skip = page.next
  }
  return found
}

it.each([
  [0, 0, [0]],
  [3, 2, [5]],
  [20, 0, [20, 0]],
  [25, 30, [20, 20, 15]],
])('%i carriers and %i gateways are each on one page', async (carriers, gateways, sizes) => {
  const found = await pages(carriers, gateways)
  expect(found.map((page) => page.length)).toEqual(sizes)
  expect(new Set(found.flat()).size).toBe(carriers + gateways)
})
