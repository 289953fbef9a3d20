import type { Dialog } from 'drachtio-srf'
import { describe, expect, it } from 'vitest'
import {
  dialogFactsOf,
  nextHopOf,
} from '../../../../../src/voice/telephony/signaling/dialog-facts-of.js'

const message = (headers: Record<string, string>) => ({
  get: (name: string) => headers[name],
  source_address: '192.0.2.7',
  source_port: '5080',
  protocol: 'udp',
})
const PROXIES = '<sip:far.test;lr>, <sip:near.test;lr>'

/** As much of the package's dialog as is read. */
const dialog = (type: 'uac' | 'uas', routes?: string) =>
  ({
    type,
    req: message({
      From: '<sip:a@x.test>;tag=a1',
      To: '<sip:b@y.test>',
      CSeq: '41 INVITE',
      ...(type === 'uas' && routes !== undefined ? { 'Record-Route': routes } : {}),
    }),
    res: message({
      To: '<sip:b@y.test>;tag=b1',
      ...(type === 'uac' && routes !== undefined ? { 'Record-Route': routes } : {}),
    }),
    sip: { callId: 'id', localTag: type === 'uac' ? 'a1' : 'b1' },
    remote: { uri: 'sip:b@192.0.2.7:5080', sdp: '' },
  }) as unknown as Dialog

describe('what is kept of a dialog', () => {
  it('that we began: our From, their To, the routes from their end to ours turned round', () => {
    expect(dialogFactsOf(dialog('uac', PROXIES), 'd:9022')).toEqual({
      callId: 'id',
      localParty: '<sip:a@x.test>;tag=a1',
      remoteParty: '<sip:b@y.test>;tag=b1',
      target: 'sip:b@192.0.2.7:5080',
      routes: ['<sip:near.test;lr>', '<sip:far.test;lr>'],
      sequence: 41,
      peer: { address: '192.0.2.7', port: 5080, transport: 'udp' },
      server: 'd:9022',
    })
  })

  it('that they began: their To with our tag, their From, the routes as they came', () => {
    expect(dialogFactsOf(dialog('uas', PROXIES), 'd:9022')).toMatchObject({
      localParty: '<sip:b@y.test>;tag=b1',
      remoteParty: '<sip:a@x.test>;tag=a1',
      routes: ['<sip:far.test;lr>', '<sip:near.test;lr>'],
      sequence: 0,
    })
  })
})

describe('its BYE goes', () => {
  const facts = dialogFactsOf(dialog('uac'), 'd:9022')
  it.each([
    ['where the Contact says', facts, undefined],
    ['to the nearest proxy', { ...facts, routes: ['<sip:near.test;lr>'] }, 'sip:near.test;lr'],
    [
      'where the peer really is, when its Contact is of a private network',
      { ...facts, target: 'sip:b@10.0.0.2' },
      'sip:192.0.2.7:5080;transport=udp',
    ],
    [
      'and when that is IPv6',
      { ...facts, peer: { ...facts.peer, address: '2001:db8::1' } },
      'sip:[2001:db8::1]:5080;transport=udp',
    ],
  ])('%s', (_title, dialogFacts, hop) => {
    expect(nextHopOf(dialogFacts)).toBe(hop)
  })
})
