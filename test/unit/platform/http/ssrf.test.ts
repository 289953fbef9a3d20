import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { systemClock } from '../../../../src/platform/clock.js'
import { createOutbound, type Outbound } from '../../../../src/platform/http/outbound.js'
import { OutboundError } from '../../../../src/platform/http/outbound-error.js'
import { createResolver, type Resolve } from '../../../../src/platform/http/resolver.js'
import { createLogger } from '../../../../src/platform/log.js'
import { HttpSink } from '../../../support/http/http-sink.js'
import { PRIVATE_SPELLINGS } from '../../../support/http/private-spellings.js'

const NAMES: Readonly<Record<string, readonly string[]>> = {
  'inside.test': ['127.0.0.1'],
  'mixed.test': ['8.8.8.8', '127.0.0.1'],
  'six.test': ['::ffff:127.0.0.1'],
}

describe('requests that must reach nobody [C25]', () => {
  let canary: HttpSink
  let outbound: Outbound
  const system = createResolver()
  const resolve: Resolve = (name, signal) => {
    const addresses = NAMES[name]
    return addresses === undefined ? system(name, signal) : Promise.resolve(addresses)
  }
  const open = (options: { resolve: Resolve; allow?: string[] }): Outbound =>
    createOutbound({
      policy: { mode: 'public-only', allow: options.allow ?? [] },
      clock: systemClock,
      log: createLogger('silent'),
      resolve: options.resolve,
    })

  beforeEach(async () => {
    canary = await HttpSink.start()
    outbound = open({ resolve })
  })
  afterEach(async () => {
    await outbound[Symbol.asyncDispose]()
    await canary[Symbol.asyncDispose]()
  })

  it('has a matrix of at least sixty spellings', () => {
    expect(new Set(PRIVATE_SPELLINGS).size).toBeGreaterThanOrEqual(60)
  })

  it.each(PRIVATE_SPELLINGS)('%j', async (spelling) => {
    const url = spelling.replace('PORT', String(canary.port))
    const failure: unknown = await outbound
      .request({ method: 'GET', url }, AbortSignal.timeout(10_000))
      .catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(OutboundError)
    expect(['blocked-address', 'bad-url']).toContain((failure as OutboundError).kind) // as just checked
    expect([11100, 11210]).toContain((failure as OutboundError).code) // as just checked
    expect(String(failure)).not.toMatch(/127\.|169\.254|loopback|private/)
    expect(canary.connections).toBe(0)
    expect(outbound.connections).toBe(0)
  })

  it('reaches the canary when the list names it, so that the matrix above proves something', async () => {
    await using allowed = open({ resolve, allow: ['127.0.0.1/32'] })
    const signal = AbortSignal.timeout(10_000)
    await allowed.request({ method: 'GET', url: `http://inside.test:${canary.port}/` }, signal)
    expect(canary.connections).toBe(1)
  })

  it('is not fooled by a name that changes between the check and the connection', async () => {
    let asked = 0
    await using rebound = open({
      resolve: () => Promise.resolve((asked += 1) === 1 ? ['127.0.0.2'] : ['127.0.0.1']),
      allow: ['127.0.0.2/32'],
    })
    const url = `http://rebind.test:${canary.port}/`
    const first: unknown = await rebound
      .request({ method: 'GET', url }, AbortSignal.timeout(10_000))
      .catch((error: unknown) => error)
    // The canary listens on 127.0.0.1 alone: the pinned 127.0.0.2 refuses, and nobody asks twice.
    expect(first).toMatchObject({ kind: 'connect-refused' })
    expect(asked).toBe(1)
    await expect(
      rebound.request({ method: 'GET', url }, AbortSignal.timeout(10_000)),
    ).rejects.toMatchObject({ kind: 'blocked-address' })
    expect(canary.connections).toBe(0)
  })

  it.each([301, 302, 303, 307, 308])('checks the target of a %i again', async (status) => {
    await using outside = await HttpSink.start()
    await using half = open({
      resolve: (name) => Promise.resolve(name === 'outside.test' ? ['127.0.0.1'] : ['127.0.0.3']),
      allow: ['127.0.0.1/32'],
    })
    outside.answer({ status, headers: { location: `http://inside.test:${canary.port}/` } })
    await expect(
      half.request(
        { method: 'POST', url: `http://outside.test:${outside.port}/`, body: 'a=b' },
        AbortSignal.timeout(10_000),
      ),
    ).rejects.toMatchObject({ kind: 'blocked-address' })
    expect(outside.requests).toHaveLength(1)
    expect(canary.connections).toBe(0)
  })
})
