import { describe, expect, it } from 'vitest'
import {
  type LookupOptions,
  lookUp,
  nextHop,
  orderServices,
  SipDestinationError,
} from '../../../../../src/lab/sip/stack/lookup.js'
import type { SipUri } from '../../../../../src/platform/sip-grammar/uri.js'
import { parseUri } from '../../../../../src/platform/sip-grammar/uri.js'
import { requestTo } from '../../../../support/sip/sip-messages.js'

const ADDRESSES: Readonly<Record<string, readonly string[]>> = {
  'trunk.example': ['2001:db8::1', '192.0.2.1'],
  'a.trunk.example': ['192.0.2.2'],
  'b.trunk.example': ['192.0.2.3'],
  'six.example': ['2001:db8::6'],
  localhost: ['127.0.0.1'],
}
const service = (name: string, port: number, priority = 1, weight = 0) => ({
  name,
  port,
  priority,
  weight,
})
const SERVICES: Readonly<Record<string, ReturnType<typeof service>[]>> = {
  '_sip._udp.served.example': [service('nowhere.example', 1), service('a.trunk.example', 5070, 2)],
  '_sip._tcp.served.example': [service('b.trunk.example', 5080)],
  '_sips._tcp.served.example': [service('a.trunk.example', 5071)],
  '_sip._tcp.tcponly.example': [service('b.trunk.example', 5080)],
}
const OPTIONS: LookupOptions = {
  resolver: {
    srv: (name) => {
      const found = SERVICES[name]
      return found === undefined ? Promise.reject(new Error('ENOTFOUND')) : Promise.resolve(found)
    },
    addresses: (name) => Promise.resolve(ADDRESSES[name] ?? []),
  },
  transports: ['udp', 'tcp'],
  families: [4],
  timeoutMs: 1_000,
  random: () => 0,
}

function uriOf(text: string): SipUri {
  const uri = parseUri(text)
  if (uri === undefined) throw new Error(`${text} is no URI`)
  return uri
}

describe('lookUp (RFC 3263)', () => {
  it.each([
    ['a numeric host', 'sip:192.0.2.9', 'udp 192.0.2.9 5060'],
    [
      'a numeric host with port and transport',
      'sip:u@192.0.2.9:5099;transport=TCP',
      'tcp 192.0.2.9 5099',
    ],
    ['a host with a port: addresses only', 'sip:trunk.example:5062', 'udp 192.0.2.1 5062'],
    [
      'services by priority, the first that has an address',
      'sip:served.example',
      'udp 192.0.2.2 5070',
    ],
    [
      'services of the transport asked for',
      'sip:served.example;transport=tcp',
      'tcp 192.0.2.3 5080',
    ],
    [
      'services of another transport when the first has none',
      'sip:tcponly.example',
      'tcp 192.0.2.3 5080',
    ],
    ['addresses when there are no services', 'sip:trunk.example', 'udp 192.0.2.1 5060'],
    ['a name of this network, without services', 'sip:localhost', 'udp 127.0.0.1 5060'],
    ['where maddr says', 'sip:trunk.example;maddr=192.0.2.77', 'udp 192.0.2.77 5060'],
  ])('finds %s', async (_title, uri, peer) => {
    const { transport, address, port } = await lookUp(uriOf(uri), OPTIONS)
    expect(`${transport} ${address} ${String(port)}`).toBe(peer)
  })

  it.each([
    ['sips:trunk.example', 'tls 192.0.2.1 5061 trunk.example'],
    ['sip:trunk.example;transport=TLS', 'tls 192.0.2.1 5061 trunk.example'],
    ['sips:served.example', 'tls 192.0.2.2 5071 served.example'],
    ['sips:192.0.2.9', 'tls 192.0.2.9 5061 -'],
    ['sips:trunk.example:5099;maddr=192.0.2.77', 'tls 192.0.2.77 5099 trunk.example'],
    ['sip:trunk.example', 'udp 192.0.2.1 5060 -'],
  ])('finds %s where there is TLS, with the name of its certificate', async (uri, expected) => {
    const options = { ...OPTIONS, transports: [...OPTIONS.transports, 'tls'] } as const
    const { transport, address, port, serverName = '-' } = await lookUp(uriOf(uri), options)
    expect(`${transport} ${address} ${String(port)} ${serverName}`).toBe(expected)
  })

  it('finds IPv6 when that is what we speak', async () => {
    const options = { ...OPTIONS, families: [6] } as const
    expect(await lookUp(uriOf('sip:trunk.example'), options)).toMatchObject({
      address: '2001:db8::1',
    })
    expect(await lookUp(uriOf('sip:u@[::1]:5061'), options)).toMatchObject({
      address: '::1',
      port: 5061,
    })
  })

  it.each([
    ['a name without addresses', 'sip:nowhere.example'],
    ['a name with addresses of the other family only', 'sip:six.example'],
    ['an address of the other family', 'sip:[::1]'],
    ['a transport that we do not have', 'sip:192.0.2.9;transport=sctp'],
    ['a SIPS URI without TLS', 'sips:192.0.2.9'],
  ])('fails for %s', async (_title, uri) => {
    await expect(lookUp(uriOf(uri), OPTIONS)).rejects.toBeInstanceOf(SipDestinationError)
  })

  it('does not wait for a name server that never answers', async () => {
    const never = new Promise<never>(() => undefined)
    const resolver = { srv: () => never, addresses: () => never }
    const options = { ...OPTIONS, resolver, timeoutMs: 10 }
    await expect(lookUp(uriOf('sip:trunk.example'), options)).rejects.toBeInstanceOf(
      SipDestinationError,
    )
  })
})

describe('orderServices (RFC 2782)', () => {
  const records = [service('c', 1, 2, 5), service('a', 1, 1, 1), service('b', 1, 1, 3)]
  it.each([
    ['the smallest draw', 0, 'a b c'],
    ['a draw past the first weight', 0.25, 'b a c'],
    ['the largest draw', 0.999, 'b a c'],
  ])('draws by weight within a priority: %s', (_title, draw, names) => {
    const ordered = orderServices(records, () => draw)
    expect(ordered.map((record) => record.name).join(' ')).toBe(names)
  })

  it('keeps records without any weight', () => {
    const equal = [service('a', 1), service('b', 1)]
    expect(orderServices(equal, () => 0.5)).toHaveLength(2)
  })
})

describe('nextHop', () => {
  const to = { transport: 'udp', address: '192.0.2.1', port: 5060 } as const
  const route = (value: string) => requestTo(to, 'BYE', { headers: [{ name: 'Route', value }] })
  it.each([
    ['the Request-URI without a Route', requestTo(to, 'BYE'), '192.0.2.1'],
    ['the first loose route', route('<sip:one.example;lr>, <sip:two.example;lr>'), 'one.example'],
    [
      'the Request-URI before a strict router, which it names',
      route('<sip:one.example>'),
      '192.0.2.1',
    ],
  ])('is %s', (_title, request, host) => {
    expect(nextHop(request).host).toBe(host)
  })

  it('is a secure one for a SIPS URI, or none (RFC 3261 §26.2.2)', () => {
    const sips = (value: string) => ({ ...route(value), uri: 'sips:b.example' })
    expect(nextHop({ ...requestTo(to, 'OPTIONS'), uri: 'sips:b.example' }).host).toBe('b.example')
    expect(nextHop(sips('<sips:one.example;lr>')).host).toBe('one.example')
    expect(nextHop(sips('<sip:one.example;transport=tls;lr>')).host).toBe('one.example')
    expect(() => nextHop(sips('<sip:one.example;lr>'))).toThrow(SipDestinationError)
  })

  it.each(['tel:+15005550001', 'mailto:a@b.example'])('is none for %s', (uri) => {
    expect(() => nextHop({ ...requestTo(to, 'OPTIONS'), uri })).toThrow(SipDestinationError)
  })
})
