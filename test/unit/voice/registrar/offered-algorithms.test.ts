import { expect, it } from 'vitest'
import { offeredAlgorithms } from '../../../../src/voice/registrar/digest-gate.js'

it.each([
  'baresip v1.0.0 (x86_64/linux)',
  'SIPp',
  'Asterisk PBX 1.8.32.3',
  'Asterisk PBX 13.38.3',
  'Asterisk PBX 18.26.4',
  'Asterisk PBX certified/18.9-cert1',
  'FPBX-14.0.16.11(13.38.3)',
  'FPBX-16.0.40.7(18.20.0)',
  'PJSUA v1.16',
  'PJSUA v2.9 Linux-5.4/x86_64/glibc-2.31',
  'PJSUA v2.10',
])('%s knows MD5 alone, and is offered nothing else', (userAgent) => {
  expect(offeredAlgorithms(userAgent)).toEqual(['MD5'])
})

it.each([
  undefined,
  '',
  'baresip v2.0.0 (x86_64/linux)',
  'Asterisk PBX 20.12.0',
  'Asterisk PBX 22.2.0',
  'FPBX-17.0.19(21.4.1)',
  'FPBX-17.0.19(22.2.0)',
  'PJSUA v2.11',
  'PJSUA v2.15.1 Linux-6.1',
  'FreeSWITCH-mod_sofia/1.10.12',
  'LinphoneConsole/4.4.0',
  'SIPphone 1.0',
])('%s is offered SHA-256 first (RFC 8760 §2.3)', (userAgent) => {
  expect(offeredAlgorithms(userAgent)).toEqual(['SHA-256', 'MD5'])
})
