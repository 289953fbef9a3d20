import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { systemClock } from '../../../../src/platform/clock.js'
import { createOutbound, type Outbound } from '../../../../src/platform/http/outbound.js'
import { OutboundError } from '../../../../src/platform/http/outbound-error.js'
import { createResolver, type Resolve } from '../../../../src/platform/http/resolver.js'
import { createLogger } from '../../../../src/platform/log.js'
import { HttpSink } from '../../../support/http-sink.js'

/** Every way we know to write "this machine", "our network" or "the metadata service". PORT is the canary's. */
const SPELLINGS: readonly string[] = [
  'http://127.0.0.1:PORT/',
  'http://127.0.0.1.:PORT/',
  'http://127.1:PORT/',
  'http://127.0.1:PORT/',
  'http://127.255.255.254:PORT/',
  'http://2130706433:PORT/',
  'http://0x7f000001:PORT/',
  'http://0x7f.0.0.1:PORT/',
  'http://0X7F.0x0.0x0.0x1:PORT/',
  'http://0x7f.1:PORT/',
  'http://017700000001:PORT/',
  'http://0177.0.0.1:PORT/',
  'http://0177.0.0.01:PORT/',
  'http://00000177.0.0.1:PORT/',
  'http://127.0.0.0x1:PORT/',
  'http://127.0x000001:PORT/',
  'http://4294967297:PORT/',
  'http://127.0.0.257:PORT/',
  'http://0:PORT/',
  'http://0.0.0.0:PORT/',
  'http://0x0:PORT/',
  'http://localhost:PORT/',
  'http://LOCALHOST:PORT/',
  'http://LocalHost.:PORT/',
  'http://%6c%6f%63%61%6c%68%6f%73%74:PORT/',
  'http://%31%32%37.0.0.1:PORT/',
  'http://127%2e0%2e0%2e1:PORT/',
  'http://ⓛⓞⓒⓐⓛⓗⓞⓢⓣ:PORT/',
  'http://１２７.０.０.１:PORT/',
  'http://127。0。0。1:PORT/',
  'http://127．0．0．1:PORT/',
  'http://loca\u00ADlhost:PORT/',
  'http://127.0.0.1\t:PORT/',
  'http://127.0.\n0.1:PORT/',
  '  http://127.0.0.1:PORT/',
  'HTTP://127.0.0.1:PORT/',
  'http:127.0.0.1:PORT',
  'http:///127.0.0.1:PORT/',
  'http:\\\\127.0.0.1:PORT\\',
  'http://example.com@127.0.0.1:PORT/',
  'http://8.8.8.8:80@127.0.0.1:PORT/',
  'http://8.8.8.8%2f@127.0.0.1:PORT/',
  'http://8.8.8.8%00@127.0.0.1:PORT/',
  'http://a:b@c:d@127.0.0.1:PORT/',
  'http://127.0.0.1:PORT\\@8.8.8.8/',
  'http://127.0.0.1:PORT#@8.8.8.8/',
  'http://127.0.0.1:PORT?@8.8.8.8/',
  'http://[::1]:PORT/',
  'http://[0:0:0:0:0:0:0:1]:PORT/',
  'http://[0000::0001]:PORT/',
  'http://[::]:PORT/',
  'http://[::127.0.0.1]:PORT/',
  'http://[::ffff:127.0.0.1]:PORT/',
  'http://[::ffff:7f00:1]:PORT/',
  'http://[0:0:0:0:0:FFFF:127.0.0.1]:PORT/',
  'http://[::ffff:0:127.0.0.1]:PORT/',
  'http://[64:ff9b::127.0.0.1]:PORT/',
  'http://[64:ff9b:1::127.0.0.1]:PORT/',
  'http://[2002:7f00:0001::]:PORT/',
  'http://[2001:0:0:0:0:0:80ff:fffe]:PORT/',
  'http://[fe80::1%25lo]:PORT/',
  'http://[::1%25lo]:PORT/',
  'http://[fd00:ec2::254]:PORT/',
  'http://10.0.0.1:PORT/',
  'http://172.16.0.1:PORT/',
  'http://192.168.0.1:PORT/',
  'http://100.64.0.1:PORT/',
  'http://169.254.169.254/latest/meta-data/',
  'http://2852039166/latest/meta-data/',
  'http://0xa9fea9fe/latest/meta-data/',
  'http://[::ffff:a9fe:a9fe]/latest/meta-data/',
  'http://224.0.0.1:PORT/',
  'http://255.255.255.255:PORT/',
  'http://inside.test:PORT/',
  'http://mixed.test:PORT/',
  'http://six.test:PORT/',
  'file:///etc/passwd',
  'ftp://127.0.0.1:PORT/',
  'gopher://127.0.0.1:PORT/',
  'unix:/var/run/docker.sock',
  'data:text/xml,<Response/>',
  '//127.0.0.1:PORT/',
  '127.0.0.1:PORT',
]

const NAMES: Readonly<Record<string, readonly string[]>> = {
  'inside.test': ['127.0.0.1'],
  'mixed.test': ['8.8.8.8', '127.0.0.1'],
  'six.test': ['::ffff:127.0.0.1'],
}

describe('requests that must reach nobody', () => {
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
    expect(new Set(SPELLINGS).size).toBeGreaterThanOrEqual(60)
  })

  it.each(SPELLINGS)('%j', async (spelling) => {
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
