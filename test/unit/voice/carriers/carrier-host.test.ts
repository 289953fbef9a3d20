import { expect, it } from 'vitest'
import { readCarrierHost } from '../../../../src/voice/carriers/carrier-host.js'

it.each([
  ['sip.example.com', 'sip.example.com', undefined, undefined],
  ['192.0.2.1', '192.0.2.1', undefined, undefined],
  ['2001:db8::1', '2001:db8::1', undefined, undefined],
  ['sip.example.com:5080', 'sip.example.com', 5080, undefined],
  ['[2001:db8::1]:5080', '2001:db8::1', 5080, undefined],
  ['sip:sip.example.com', 'sip.example.com', undefined, undefined],
  ['SIP:192.0.2.1:5080', '192.0.2.1', 5080, undefined],
  ['sip:sip.example.com;transport=TCP', 'sip.example.com', undefined, 'tcp'],
  ['sip.example.com:5061;transport=tls', 'sip.example.com', 5061, 'tls'],
  ['sips:sip.example.com', 'sip.example.com', undefined, 'tls'],
])('%s is understood', (text, host, port, transport) => {
  expect(readCarrierHost(text)).toEqual({ host, port, transport })
})

it.each([
  ['', 'a host name or an address is expected'],
  ['https://sip.example.com', 'a host name or an address is expected'],
  ['sip example', 'a host name or an address is expected'],
  ['sip_trunk.example.com', 'a host name or an address is expected'],
  ['sip.example.com:70000', 'a host name or an address is expected'],
  ['sip:me@sip.example.com', 'no user is expected'],
  ['sip:sip.example.com;lr', 'not lr'],
  ['sip:sip.example.com?X-A=1', 'not headers'],
  ['sip:sip.example.com;transport=ws', ';transport= is udp, tcp or tls'],
  ['sips:sip.example.com;transport=udp', 'with sips: only tls'],
])('%j is refused in words', (text, words) => {
  expect(readCarrierHost(text)).toContain(words)
})
