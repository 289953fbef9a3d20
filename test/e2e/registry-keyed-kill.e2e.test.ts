import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { tempFolder } from '../support/process/temp-folder.js'
import { type RegistryAnswer, RegistryProcess } from '../support/registry/registry-process.js'
import { privateBrand } from '../support/registry/registry-samples.js'
import { waitUntil } from '../support/time/wait-until.js'

/** The deaths, each at another moment between the request's arrival and its answer. */
const DEATHS = 6
/** The time that a registration takes at most until its answer on a busy machine. */
const LATEST_MS = 30
const LIMIT_MS = 60_000

const folder = tempFolder()
const registry = new RegistryProcess(`${folder.path}/data`)

beforeAll(() => registry.start())
afterAll(async () => {
  await registry[Symbol.asyncDispose]()
  folder[Symbol.dispose]()
})

/** Registers a brand with a key; undefined when the server died before its answer. */
function register(death: number): Promise<RegistryAnswer | undefined> {
  const brand = { ...privateBrand, displayName: `Acme ${death}` }
  return registry.callOnce('POST', '/brand', brand, `brand-${death}`).catch(
    () => undefined, // the server died under the request: nobody was promised anything
  )
}

async function brandsNamed(displayName: string): Promise<readonly unknown[]> {
  const { body } = await registry.call(
    'GET',
    `/brand?displayName=${encodeURIComponent(displayName)}`,
  )
  return body['records'] as unknown[]
}

it('a brand whose registration was killed between its start and its answer exists once when the client repeats it', async () => {
  let unanswered = 0
  for (let death = 0; death < DEATHS; death += 1) {
    const first = register(death)
    await sleep((LATEST_MS * death) / DEATHS)
    await registry.kill()
    const promised = await first
    if (promised === undefined) unanswered += 1
    await registry.start()

    let again: RegistryAnswer | undefined
    await waitUntil(
      'the repeated registration is answered',
      async () => (again = await register(death))?.status === 200,
      LIMIT_MS,
      () => again,
    )
    if (promised !== undefined) expect(again).toEqual(promised)
    expect(await register(death)).toEqual(again)
    expect(await brandsNamed(`Acme ${death}`)).toEqual([
      expect.objectContaining({ brandId: again?.body['brandId'] }),
    ])
  }
  expect(unanswered).toBeGreaterThan(0)
}, 240_000)
