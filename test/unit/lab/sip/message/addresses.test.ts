import { describe, expect, it } from 'vitest'
import { parseCSeq } from '../../../../../src/lab/sip/message/cseq.js'
import { formatVia, parseViaList } from '../../../../../src/lab/sip/message/via.js'
import {
  formatNameAddr,
  parseNameAddr,
  parseNameAddrList,
} from '../../../../../src/platform/sip-grammar/name-addr.js'
import { splitList } from '../../../../../src/platform/sip-grammar/scan.js'
import { formatUri, parseUri } from '../../../../../src/platform/sip-grammar/uri.js'

describe('parseUri', () => {
  it.each<[string, object]>([
    ['sip:example.net', { scheme: 'sip', host: 'example.net' }],
    ['SIP:bob@Example.NET:5070', { scheme: 'sip', user: 'bob', host: 'Example.NET', port: 5070 }],
    ['sips:bob:pa,ss@10.0.0.1', { scheme: 'sips', user: 'bob', password: 'pa,ss' }],
    ['sip:[2001:db8::1]:5060', { host: '2001:db8::1', port: 5060 }],
    ['sip:#31#+15005550001@gw', { user: '#31#+15005550001', host: 'gw' }],
    ['sip:@gw', { host: 'gw' }],
    ['sip:a;b=c?d@gw;TransPort=TCP;lr', { user: 'a;b=c?d', params: { transport: 'TCP', lr: '' } }],
    ['sip:gw?Subject=a%20b&X=', { headers: { subject: 'a b', x: '' } }],
    ['sip:gw;a=1?b=2', { params: { a: '1' }, headers: { b: '2' } }],
    ['tel:+1-500-555-0001;phone-context=x', { scheme: 'tel', user: '+1-500-555-0001', host: '' }],
    ['sip:%C3%A9%FF@gw', { user: 'é\ufffd' }],
    ['sip:gw;__proto__=1', { params: { ['__proto__']: '1' } }],
  ])('reads %s', (text, parts) => {
    expect(parseUri(text)).toMatchObject(parts)
  })

  it.each([
    'bob@example.net',
    'sip:',
    'sip:bob@',
    'sip:bob@gw:',
    'sip:bob@gw:0',
    'sip:bob@gw:65536',
    'sip:bob@gw:5060x',
    'sip:bob@[::1',
    'sip:bob@[::1]x',
    'sip:bob@[zz]',
    'sip:bob@a b',
    'sip:bo b@gw',
    'sip:a@b@gw',
    'sip:gw;',
    'sip:gw;=x',
    'sip:gw;a=%',
    'sip:%4@gw',
    'sip:<gw>',
    'tel:',
    'mailto:a@b.example',
    '1sip:gw',
  ])('refuses %s', (text) => {
    expect(parseUri(text)).toBeUndefined()
  })

  it.each([
    'sip:bob:secret@example.net:5070;transport=tcp;lr?Subject=hello%20you&X=1',
    'sips:[::1]:5061',
    'tel:+15005550001;phone-context=example.net',
    'sip:a%40b%25@gw;x=%22',
  ])('is undone by formatUri: %s', (text) => {
    const uri = parseUri(text)
    expect(uri && formatUri(uri).toLowerCase()).toBe(text.toLowerCase())
  })
})

describe('parseNameAddr', () => {
  it.each<[string, object]>([
    ['<sip:a@b>', { uri: 'sip:a@b', params: {} }],
    ['sip:a@b;tag=1', { uri: 'sip:a@b', params: { tag: '1' } }],
    ['<sip:a@b;lr>;tag=1', { uri: 'sip:a@b;lr', params: { tag: '1' } }],
    ['Bob Smith <sip:a@b>', { displayName: 'Bob Smith' }],
    [
      '"Bob \\"B\\" <x>, Jr" <sip:a@b>;q=0.5',
      { displayName: 'Bob "B" <x>, Jr', params: { q: '0.5' } },
    ],
    ['<sip:a@b> ; Expires = 60', { params: { expires: '60' } }],
    ['<sip:a@b>;+sip.instance="<urn:uuid:1>"', { params: { '+sip.instance': '<urn:uuid:1>' } }],
    ['<sip:a@b>;x=""', { params: { x: '' } }],
    ['<tel:+1>', { uri: 'tel:+1' }],
  ])('reads %s', (text, parts) => {
    expect(parseNameAddr(text)).toMatchObject(parts)
  })

  it.each([
    '',
    '<>',
    '<sip:a@b',
    'sip:a@b>',
    '<sip:a@b> x',
    '<sip:a@b>;',
    '<sip:a@b>;=1',
    '<sip:a@b>;a=',
    '"x <sip:a@b>',
    '"x" sip:a@b',
    'x y sip:a@b',
    '<sip:a@b>, <sip:c@d>',
    'sip:a@b?Subject=x',
    'a, b <sip:a@b>',
    '< sip:a@b >',
  ])('refuses %j', (text) => {
    expect(parseNameAddr(text)).toBeUndefined()
  })

  it.each([
    '<sip:a@b>;tag=1;lr',
    'Bob <sip:a@b>',
    '"Bob, \\"the\\" \\\\" <sip:a@b>;x="a b"',
  ])('is undone by formatNameAddr: %s', (text) => {
    const address = parseNameAddr(text)
    expect(address && formatNameAddr(address)).toBe(text)
  })

  it('reads lists, but no broken ones', () => {
    const list = parseNameAddrList('"a, b" <sip:a@b>;q=1 , <sip:c@d?x=1,2>,sip:e@f')
    expect(list?.map((each) => each.uri)).toEqual(['sip:a@b', 'sip:c@d?x=1,2', 'sip:e@f'])
    for (const broken of ['', ',', '<sip:a@b>,', '<sip:a@b>,,<sip:c@d>'])
      expect(parseNameAddrList(broken)).toBeUndefined()
  })
})

describe('parseViaList', () => {
  it('reads several with all their parts', () => {
    const text =
      'SIP/2.0/UDP [2001:db8::1]:5062;branch=z9hG4bK1;rport, SIP / 2.0 / tcp b.example : 5 ;received=[::1]'
    const vias = parseViaList(text)
    expect(vias).toMatchObject([
      {
        transport: 'UDP',
        host: '2001:db8::1',
        port: 5062,
        params: { branch: 'z9hG4bK1', rport: '' },
      },
      { transport: 'TCP', host: 'b.example', port: 5, params: { received: '[::1]' } },
    ])
    expect(vias?.map(formatVia)).toEqual([
      'SIP/2.0/UDP [2001:db8::1]:5062;branch=z9hG4bK1;rport',
      'SIP/2.0/TCP b.example:5;received=[::1]',
    ])
  })

  it.each([
    '',
    'SIP/2.0/UDP',
    'SIP/2.0/UDPhost',
    'SIP/3.0/UDP a',
    'HTTP/2.0/UDP a',
    'SIP/2.0/UDP a:',
    'SIP/2.0/UDP a:x',
    'SIP/2.0/UDP a:0',
    'SIP/2.0/UDP [::1',
    'SIP/2.0/UDP a;;',
    'SIP/2.0/UDP a,',
    'SIP/2.0/UDP a b',
  ])('refuses %j', (text) => {
    expect(parseViaList(text)).toBeUndefined()
  })
})

describe('parseCSeq', () => {
  it.each([
    ['1 INVITE', { number: 1, method: 'INVITE' }],
    ['0009 \t ACK', { number: 9, method: 'ACK' }],
    ['2147483647 X', { number: 2_147_483_647, method: 'X' }],
    ['2147483648 X', undefined],
    ['INVITE', undefined],
    ['1', undefined],
    ['-1 X', undefined],
    ['1.5 X', undefined],
    ['1 X Y', undefined],
    ['', undefined],
  ])('reads %j', (text, cseq) => {
    expect(parseCSeq(text)).toEqual(cseq)
  })
})

describe('splitList', () => {
  it.each([
    ['a, b ,c', ['a', 'b', 'c']],
    ['"a, \\", b" <x,y>;z="1,2", c', ['"a, \\", b" <x,y>;z="1,2"', 'c']],
    ['', ['']],
    ['a,,b', ['a', '', 'b']],
  ])('splits %j', (text, parts) => {
    expect(splitList(text)).toEqual(parts)
  })
})
