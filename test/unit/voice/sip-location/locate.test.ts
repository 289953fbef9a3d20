import { describe, expect, it } from 'vitest'
import type { NaptrRecord, ServiceRecord } from '../../../../src/platform/http/resolver.js'
import { type SipTarget, serversOf } from '../../../../src/voice/sip-location/locate.js'

const record = (name: string, priority = 10, weight = 0, port = 5060): ServiceRecord => ({
  name,
  port,
  priority,
  weight,
})
const naptr = (service: string, replacement: string, order = 10): NaptrRecord => ({
  flags: 's',
  service,
  replacement,
  order,
  preference: 10,
})
const SERVICES: Readonly<Record<string, readonly ServiceRecord[]>> = {
  '_sip._udp.srv.test': [record('b.test', 20), record('a.test', 10, 0, 5070)],
  '_sip._tcp.srv.test': [record('t.test')],
  '_sip._udp.pointed.test': [record('direct.test')],
  '_sip._tcp.elsewhere.test': [record('pointed-to.test', 10, 0, 5090)],
  '_sips._tcp.srv.test': [record('secure.test', 10, 0, 5061)],
  '_sip._udp.weights.test': [record('one.test', 10, 1), record('nine.test', 10, 9)],
}
const POINTERS: Readonly<Record<string, readonly NaptrRecord[]>> = {
  'pointed.test': [
    naptr('SIP+D2U', '_sip._udp.nowhere.test', 30),
    naptr('SIP+D2T', '_sip._tcp.elsewhere.test', 20),
    naptr('E2U+sip', '_sip._udp.wrong.test', 1),
  ],
  'secured.test': [
    naptr('SIPS+D2T', '_sips._tcp.srv.test', 10),
    naptr('SIP+D2U', '_sip._udp.srv.test', 20),
  ],
}
const SIGNAL = new AbortController().signal

const find = (target: Partial<SipTarget>, random = () => 0, canSecure = true) =>
  serversOf(
    { host: 'srv.test', port: undefined, transport: undefined, isSecure: false, ...target },
    {
      resolveService: (name) => Promise.resolve(SERVICES[name] ?? []),
      resolveNaptr: (name) => Promise.resolve(POINTERS[name] ?? []),
      random,
      canSecure: () => canSecure,
    },
    SIGNAL,
  )

describe('the servers of a SIP host', () => {
  it('are those of its service records, the lowest priority first', async () => {
    expect(await find({})).toEqual([
      { host: 'a.test', port: 5070, transport: 'udp' },
      { host: 'b.test', port: 5060, transport: 'udp' },
    ])
  })

  it.each([
    [{ transport: 'tcp' }, { host: 't.test', port: 5060, transport: 'tcp' }],
    [{ isSecure: true }, { host: 'secure.test', port: 5061, transport: 'tls' }],
    [
      { isSecure: true, host: 'none.test' },
      { host: 'none.test', port: 5061, transport: 'tls' },
    ],
    [
      { isSecure: true, host: '192.0.2.1', port: 5099 },
      { host: '192.0.2.1', port: 5099, transport: 'tls' },
    ],
    [{ host: 'secured.test' }, { host: 'secure.test', port: 5061, transport: 'tls' }],
    [{ port: 5080 }, { host: 'srv.test', port: 5080, transport: undefined }],
    [{ host: '192.0.2.1' }, { host: '192.0.2.1', port: 5060, transport: undefined }],
    [{ host: 'localhost' }, { host: 'localhost', port: 5060, transport: undefined }],
    [
      { host: 'none.test', transport: 'udp' },
      { host: 'none.test', port: 5060, transport: 'udp' },
    ],
  ])('with %o begin with %o', async (target, first) => {
    expect((await find(target))[0]).toEqual(first)
  })

  it('follow the NAPTR records that lead to service records, in their order', async () => {
    expect(await find({ host: 'pointed.test' })).toEqual([
      { host: 'pointed-to.test', port: 5090, transport: 'tcp' },
    ])
  })

  it('are those of another transport while nothing can be sent over TLS', async () => {
    expect((await find({ host: 'secured.test' }, undefined, false))[0]).toEqual({
      host: 'a.test',
      port: 5070,
      transport: 'udp',
    })
  })

  it('ask no NAPTR where the transport was given', async () => {
    expect(await find({ host: 'pointed.test', transport: 'udp' })).toEqual([
      { host: 'direct.test', port: 5060, transport: 'udp' },
    ])
  })

  it('are drawn by weight among equals', async () => {
    const firsts = await Promise.all(
      Array.from({ length: 100 }, async (_, at) => {
        const [first] = await find({ host: 'weights.test' }, () => (at + 0.5) / 100)
        return first.host
      }),
    )
    expect(firsts.filter((host) => host === 'nine.test')).toHaveLength(90)
  })

  it('are the host itself when no name server answers', async () => {
    const silent = () => Promise.reject(new Error('no answer'))
    const names = { resolveService: silent, resolveNaptr: silent, random: () => 0 }
    const target = { host: 'srv.test', port: undefined, transport: undefined, isSecure: false }
    expect(await serversOf(target, names, SIGNAL)).toEqual([
      { host: 'srv.test', port: 5060, transport: undefined },
    ])
  })
})
