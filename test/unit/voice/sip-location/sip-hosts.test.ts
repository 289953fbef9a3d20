import { describe, expect, it } from 'vitest'
import { createLogger } from '../../../../src/platform/log.js'
import { createSipHosts, type SipHostsDeps } from '../../../../src/voice/sip-location/sip-hosts.js'

const ADDRESSES: Readonly<Record<string, readonly string[]>> = {
  'pbx.test': ['198.41.0.4'],
  'six.test': ['2001:500:88::1'],
  'both.test': ['2001:500:88::1', '198.41.0.4'],
  'rebinding.test': ['198.41.0.4', '127.0.0.1'],
  'inside.test': ['10.0.0.5'],
  'sbc.provider.test': ['198.41.0.9'],
  localhost: ['127.0.0.1'],
}
const SERVICES: Readonly<Record<string, { name: string; port: number; priority: number }[]>> = {
  '_sip._udp.provider.test': [
    { name: 'inside.test', port: 5060, priority: 20 },
    { name: 'sbc.provider.test', port: 5080, priority: 10 },
  ],
  '_sip._tcp.tcponly.test': [{ name: 'sbc.provider.test', port: 5090, priority: 10 }],
  '_sips._tcp.provider.test': [{ name: 'sbc.provider.test', port: 5081, priority: 10 }],
  '_sip._udp.evil.test': [{ name: 'inside.test', port: 6379, priority: 10 }],
}

const FOREVER = new AbortController().signal

function hosts(policy: SipHostsDeps['policy'] = { mode: 'public-only', allow: [] }) {
  const asked: string[] = []
  const sipHosts = createSipHosts({
    policy,
    resolve: (host) => {
      asked.push(host)
      const found = ADDRESSES[host]
      return found === undefined ? Promise.reject(new Error('unknown')) : Promise.resolve(found)
    },
    resolveService: (name) =>
      Promise.resolve((SERVICES[name] ?? []).map((record) => ({ ...record, weight: 0 }))),
    resolveNaptr: () => Promise.resolve([]),
    random: () => 0,
    log: createLogger('silent'),
  })
  return { ...sipHosts, asked }
}

describe('where a SIP URI leads', () => {
  it.each([
    ['sip:bob@198.41.0.4', undefined],
    ['sip:bob@[2001:500:88::1]:5070', undefined],
    ['sip:bob@pbx.test', 'sip:198.41.0.4:5060'],
    ['sip:bob@PBX.test:5070;transport=TCP', 'sip:198.41.0.4:5070;transport=tcp'],
    ['sip:bob;maddr=inside.test@pbx.test', 'sip:198.41.0.4:5060'],
    ['sips:bob@pbx.test', 'sip:198.41.0.4:5061;transport=tls'],
    ['sip:bob@six.test', 'sip:[2001:500:88::1]:5060'],
    ['sip:bob@both.test', 'sip:198.41.0.4:5060'],
    ['sip:bob@provider.test', 'sip:198.41.0.9:5080;transport=udp'],
    ['sip:bob@tcponly.test', 'sip:198.41.0.9:5090;transport=tcp'],
    ['sips:bob@provider.test', 'sip:198.41.0.9:5081;transport=tls'],
  ])('%s is called at %s', async (uri, nextHop) => {
    expect(await hosts().find(uri, FOREVER)).toMatchObject({ type: 'found', nextHop })
  })

  it.each([
    ['a name that nobody knows', 'sip:bob@nowhere.test'],
    ['this machine', 'sip:bob@127.0.0.1:5060'],
    ['this machine by its name', 'sip:bob@localhost'],
    ['this machine in IPv6', 'sip:bob@[::1]'],
    ['this machine mapped into IPv6', 'sip:bob@[::ffff:127.0.0.1]'],
    ['a private network', 'sip:bob@192.168.1.20'],
    ['a cloud’s metadata', 'sip:bob@169.254.169.254:80;transport=tcp'],
    ['a name for a private network', 'sip:bob@inside.test'],
    ['a name with a private address among its good ones', 'sip:bob@rebinding.test'],
    ['a service in a private network', 'sip:bob@evil.test'],
    ['an maddr in a private network', 'sip:bob@pbx.test;maddr=10.0.0.5'],
    ['an maddr that is a name for one', 'sip:bob@pbx.test;maddr=inside.test'],
  ])('%s is not called', async (_what, uri) => {
    expect(await hosts().find(uri, FOREVER)).toEqual({ type: 'unreachable' })
  })

  it('is this machine where the policy allows it', async () => {
    const local = hosts({ mode: 'allow-private', allow: [] })
    expect(await local.find('sip:bob@127.0.0.1:5060', FOREVER)).toEqual({
      type: 'found',
      nextHop: undefined,
      address: '127.0.0.1',
      port: 5060,
    })
    expect(local.asked).toEqual([])
  })
})
