import { describe, expect, it } from 'vitest'
import type { NaptrRecord, ServiceRecord } from '../../../../src/platform/http/resolver.js'
import { createLogger } from '../../../../src/platform/log.js'
import { type Carrier, DEFAULT_CARRIER_SETTINGS } from '../../../../src/voice/carriers/carrier.js'
import { CarrierServers } from '../../../../src/voice/carriers/carrier-servers.js'

const record = (name: string, port: number): ServiceRecord => ({
  name,
  port,
  priority: 10,
  weight: 0,
})
const naptr = (service: string, replacement: string, order: number): NaptrRecord => ({
  flags: 's',
  service,
  replacement,
  order,
  preference: 10,
})
const SERVICES: Readonly<Record<string, readonly ServiceRecord[]>> = {
  '_sip._udp.pointed.test': [record('one.test', 5070)],
  '_sip._tcp.pointed.test': [record('one.test', 5080)],
  '_sips._tcp.pointed.test': [record('one.test', 5081)],
  '_sip._tcp.stream.test': [record('one.test', 5090)],
}
const POINTERS: Readonly<Record<string, readonly NaptrRecord[]>> = {
  'pointed.test': [
    naptr('SIP+D2U', '_sip._udp.pointed.test', 30),
    naptr('SIP+D2T', '_sip._tcp.pointed.test', 20),
    naptr('SIPS+D2T', '_sips._tcp.pointed.test', 10),
  ],
}
const ADDRESSES: Readonly<Record<string, string>> = {
  'one.test': '192.0.2.1',
  'plain.test': '192.0.2.2',
}

/** The server that a carrier's calls go to first, as `transport:address:port`. */
async function firstOf(
  carrier: Pick<Carrier, 'host' | 'transport'>,
  hasTls = false,
): Promise<string> {
  const servers = new CarrierServers({
    clock: { now: () => 0, monotonic: () => 0 },
    log: createLogger('silent'),
    resolve: (host) => {
      const address = ADDRESSES[host]
      return address === undefined ? Promise.reject(new Error(host)) : Promise.resolve([address])
    },
    resolveService: (name) => Promise.resolve(SERVICES[name] ?? []),
    resolveNaptr: (name) => Promise.resolve(POINTERS[name] ?? []),
    random: () => 0,
    canSecure: () => hasTls,
  })
  const whole: Carrier = {
    name: 'acme',
    port: undefined,
    prefixes: ['+'],
    priority: 1,
    weight: 1,
    addresses: [],
    settings: DEFAULT_CARRIER_SETTINGS,
    ...carrier,
  }
  const [first] = await servers.find(whole, new AbortController().signal)
  return first === undefined ? 'none' : `${first.transport}:${first.address}:${first.port}`
}

describe('the servers of a carrier', () => {
  it.each([
    ['pointed.test', 'dns', 'tcp:192.0.2.1:5080'],
    ['stream.test', 'dns', 'tcp:192.0.2.1:5090'],
    ['plain.test', 'dns', 'udp:192.0.2.2:5060'],
    ['192.0.2.9', 'dns', 'udp:192.0.2.9:5060'],
    ['pointed.test', 'udp', 'udp:192.0.2.1:5070'],
    ['pointed.test', 'tls', 'tls:192.0.2.1:5081'],
    ['plain.test', 'tls', 'tls:192.0.2.2:5061'],
    ['nowhere.test', 'dns', 'none'],
  ] as const)('at %s over %s begin with %s', async (host, transport, expected) => {
    expect(await firstOf({ host, transport })).toBe(expected)
  })

  it('are reached over TLS where the records prefer it and it is set up', async () => {
    expect(await firstOf({ host: 'pointed.test', transport: 'dns' }, true)).toBe(
      'tls:192.0.2.1:5081',
    )
  })
})
