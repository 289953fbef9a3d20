import { expect, it } from 'vitest'
import { emergencyNumberIn } from '../../../../src/voice/model/emergency-number.js'

it.each<[string, string | undefined, '911' | '933' | undefined]>([
  ['sip:911@office.example', '911', '911'],
  ['sip:+1933@office.example', '+1933', '933'],
  ['sip:9-1-1@office.example', '9-1-1', '911'],
  ['sip:(9.1.1)@office.example', '(9.1.1)', '911'],
  ['sip:933;phone-context=+1@office.example', '933;phone-context=+1', '933'],
  ['sip:9110@office.example', '9110', undefined],
  ['urn:service:sos', undefined, '911'],
  ['URN:service:SOS.police', undefined, '911'],
  ['urn:service:test.sos', undefined, '933'],
  ['urn:service:sosomething', undefined, undefined],
  ['urn:service:counseling', undefined, undefined],
])('a request for %s (user %s) is for %s', (uri, user, number) => {
  expect(emergencyNumberIn({ uri, user })).toBe(number)
})
