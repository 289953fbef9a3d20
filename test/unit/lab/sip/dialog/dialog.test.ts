import { describe, expect, it } from 'vitest'
import {
  dialogOfClient,
  dialogOfServer,
  withTag,
} from '../../../../../src/lab/sip/dialog/dialog.js'
import { getHeader, getHeaders } from '../../../../../src/lab/sip/message/headers.js'
import type {
  SipHeader,
  SipRequest,
  SipResponse,
} from '../../../../../src/lab/sip/message/types.js'
import type { SipPeer } from '../../../../../src/lab/sip/model/stack-types.js'

const peer: SipPeer = { transport: 'udp', address: '192.0.2.1', port: 5070 }
const header = (line: string): SipHeader => {
  const colon = line.indexOf(':')
  return { name: line.slice(0, colon), value: line.slice(colon + 1).trim() }
}
const request = (method: string, ...lines: string[]): SipRequest => ({
  kind: 'request',
  method,
  uri: 'sip:us@192.0.2.9',
  headers: lines.map(header),
  body: Buffer.alloc(0),
})
const response = (status: number, ...lines: string[]): SipResponse => ({
  kind: 'response',
  status,
  reason: 'OK',
  headers: lines.map(header),
  body: Buffer.alloc(0),
})

const invite = request(
  'INVITE',
  'From: "Ann" <sip:ann@192.0.2.1>;tag=a1',
  'To: <sip:us@192.0.2.9>',
  'Call-ID: c@1',
  'CSeq: 7 INVITE',
  'Contact: <sip:ann@192.0.2.1:5070>',
)

describe('dialog of a received INVITE', () => {
  it('builds requests to the Contact, numbered from 1, with the parties swapped', () => {
    const dialog = dialogOfServer(invite, peer, 'us1')
    const bye = dialog.request('BYE', [{ name: 'Reason', value: 'x' }])
    expect(bye).toMatchObject({
      uri: 'sip:ann@192.0.2.1:5070',
      headers: [
        { name: 'From', value: '<sip:us@192.0.2.9>;tag=us1' },
        { name: 'To', value: '"Ann" <sip:ann@192.0.2.1>;tag=a1' },
        { name: 'Call-ID', value: 'c@1' },
        { name: 'CSeq', value: '1 BYE' },
        { name: 'Reason', value: 'x' },
      ],
    })
    expect(getHeader(dialog.request('INFO'), 'CSeq')).toBe('2 INFO')
    expect(getHeader(dialog.ack(2), 'CSeq')).toBe('2 ACK')
  })

  it('keeps the order of Record-Route', () => {
    const routed = {
      ...invite,
      headers: [...invite.headers, header('Record-Route: <sip:p1;lr>, <sip:p2;lr>')],
    }
    const bye = dialogOfServer(routed, peer, 'us1').request('BYE')
    expect(getHeaders(bye, 'Route')).toEqual(['<sip:p1;lr>', '<sip:p2;lr>'])
    expect(bye.uri).toBe('sip:ann@192.0.2.1:5070')
  })

  it('puts a strict router in the request line and the target last', () => {
    const routed = {
      ...invite,
      headers: [...invite.headers, header('Record-Route: <sip:p1>, <sip:p2;lr>')],
    }
    const bye = dialogOfServer(routed, peer, 'us1').request('BYE')
    expect(bye.uri).toBe('sip:p1')
    expect(getHeaders(bye, 'Route')).toEqual(['<sip:p2;lr>', '<sip:ann@192.0.2.1:5070>'])
  })

  it.each<[string, SipPeer, SipPeer | undefined]>([
    ['reachable at its Contact', peer, undefined],
    [
      'behind an address translator',
      { ...peer, address: '203.0.113.5' },
      { ...peer, address: '203.0.113.5' },
    ],
    [
      'on TCP: its own connection',
      { ...peer, transport: 'tcp', port: 40_001 },
      { ...peer, transport: 'tcp', port: 40_001 },
    ],
  ])('sends to %s', (_title, from, destination) => {
    expect(dialogOfServer(invite, from, 'us1').destination).toEqual(destination)
  })

  it('refuses what is older than the last request', () => {
    const dialog = dialogOfServer(invite, peer, 'us1')
    expect(dialog.accept(request('INFO', 'CSeq: 7 INFO'))).toBe(false)
    expect(dialog.accept(request('INFO', 'CSeq: 9 INFO'))).toBe(true)
    expect(dialog.accept(request('BYE', 'CSeq: 8 BYE'))).toBe(false)
  })

  it('follows a new Contact', () => {
    const dialog = dialogOfServer(invite, peer, 'us1')
    dialog.refreshTarget(request('INVITE', 'Contact: <sip:moved@192.0.2.1:6000>'), peer)
    expect(dialog.request('BYE').uri).toBe('sip:moved@192.0.2.1:6000')
  })
})

describe('dialog of a sent INVITE', () => {
  const ok = response(
    200,
    'From: "Ann" <sip:ann@192.0.2.1>;tag=a1',
    'To: <sip:us@192.0.2.9>;tag=b2',
    'Call-ID: c@1',
    'CSeq: 7 INVITE',
    'Record-Route: <sip:p2;lr>',
    'Record-Route: <sip:p1;lr>',
    'Contact: sip:bob@192.0.2.1:5070',
  )

  it('goes on from the INVITE, through the recorded route reversed', () => {
    const dialog = dialogOfClient(invite, ok, peer)
    const bye = dialog.request('BYE')
    expect(bye.uri).toBe('sip:bob@192.0.2.1:5070')
    expect(getHeaders(bye, 'Route')).toEqual(['<sip:p1;lr>', '<sip:p2;lr>'])
    expect(getHeader(bye, 'CSeq')).toBe('8 BYE')
    expect(getHeader(bye, 'To')).toBe('<sip:us@192.0.2.9>;tag=b2')
    expect(dialog.identity.remoteTag).toBe('b2')
  })
})

describe('withTag', () => {
  it.each([
    ['<sip:a@b>', '<sip:a@b>;tag=t'],
    ['sip:a@b', '<sip:a@b>;tag=t'],
    ['"x" <sip:a@b>;tag=old', '"x" <sip:a@b>;tag=old'],
    ['nonsense', 'nonsense'],
  ])('%s', (value, tagged) => {
    expect(withTag(value, 't')).toBe(tagged)
  })
})
