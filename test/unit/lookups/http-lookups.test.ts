import { describe, expect, it } from 'vitest'
import { createLookupProvider } from '../../../src/lookups/create-provider.js'
import { LookupError } from '../../../src/lookups/lookup-provider.js'
import type { OutboundResponse } from '../../../src/platform/http/outbound.js'
import type { OutboundRequest } from '../../../src/platform/http/outbound-request.js'
import { tempFolder } from '../../support/process/temp-folder.js'
import { openTestDatabase } from '../../support/process/test-database.js'
import { TurnableClock } from '../../support/registry/registry-fixture.js'

/** A provider whose server answers as the script says. */
async function providerWith(script: (url: URL) => readonly [number, unknown]) {
  const folder = tempFolder()
  const clock = new TurnableClock()
  const db = await openTestDatabase(folder.path)
  const asked: string[] = []
  const request = ({ url }: OutboundRequest): Promise<OutboundResponse> => {
    asked.push(url)
    const [status, body] = script(new URL(url))
    return Promise.resolve({
      status,
      headers: new Headers(),
      body: Buffer.from(JSON.stringify(body)),
      url,
      timings: { connectMs: 0, headersMs: 0, totalMs: 0 },
    })
  }
  const server = { url: 'https://lookups.example/v1', token: undefined }
  return {
    asked,
    clock,
    provider: createLookupProvider({ db, clock, outbound: { request } }, server),
    [Symbol.asyncDispose]: async () => {
      await db[Symbol.asyncDispose]()
      folder[Symbol.dispose]()
    },
  }
}

describe('the HTTP provider of look-ups', () => {
  it('is asked for a name once in an hour', async () => {
    await using t = await providerWith(() => [200, { name: 'ACME' }])
    expect(await t.provider.callerName('+12125550143')).toBe('ACME')
    expect(await t.provider.callerName('+12125550143')).toBe('ACME')
    expect(t.asked).toEqual(['https://lookups.example/v1/names/%2B12125550143'])
    t.clock.turn(3_600_001)
    await t.provider.callerName('+12125550143')
    expect(t.asked).toHaveLength(2)
  })

  it('keeps that no name is known', async () => {
    await using t = await providerWith(() => [404, {}])
    expect(await t.provider.callerName('+12125550143')).toBeUndefined()
    expect(await t.provider.callerName('+12125550143')).toBeUndefined()
    expect(t.asked).toHaveLength(1)
  })

  it('is asked for the route between two numbers', async () => {
    await using t = await providerWith(() => [200, { lrn: '2125550000', lata: '132', local: 'Y' }])
    expect(await t.provider.route('+12125550143', '+12125550199')).toEqual({
      lrn: '2125550000',
      ocn: '',
      lec: '',
      lecType: '',
      city: '',
      state: '',
      rateCenter: '',
      lata: '132',
      local: 'Y',
      jurisdiction: 'INDETERMINATE',
    })
    expect(t.asked).toEqual([
      'https://lookups.example/v1/routes/%2B12125550143?caller=%2B12125550199',
    ])
  })

  it.each([
    ['a server error', 500, {}],
    ['no name at all', 200, {}],
    ['a name of two lines', 200, { name: 'A\nB' }],
  ])('fails at %s, and keeps nothing', async (_title, status, body) => {
    await using t = await providerWith(() => [status, body])
    await expect(t.provider.callerName('+12125550143')).rejects.toBeInstanceOf(LookupError)
    await expect(t.provider.callerName('+12125550143')).rejects.toBeInstanceOf(LookupError)
    expect(t.asked).toHaveLength(2)
  })
})
