import { expect, it } from 'vitest'
import { digitOfInfo } from '../../../../../src/voice/telephony/legs/dialog-requests.js'

it.each([
  ['application/dtmf-relay', 'Signal=5\r\nDuration=160\r\n', { digit: '5', durationMs: 160 }],
  ['application/dtmf-relay', 'Signal= *\nDuration= 100', { digit: '*', durationMs: 100 }],
  ['Application/DTMF-Relay;charset=x', 'signal=d', { digit: 'D', durationMs: 250 }],
  ['application/dtmf-relay', 'Signal=11\r\n', { digit: '#', durationMs: 250 }],
  ['application/dtmf-relay', 'Signal=1\r\nDuration=99999', { digit: '1', durationMs: 10_000 }],
  ['application/dtmf', '7\r\n', { digit: '7', durationMs: 250 }],
  ['application/dtmf-relay', 'Duration=160', undefined],
  ['application/dtmf-relay', 'Signal=12', undefined],
  ['application/dtmf', 'hello', undefined],
  ['text/plain', '5', undefined],
  ['', '', undefined],
])('%s %j', (type, body, digit) => {
  expect(digitOfInfo(type, body)).toEqual(digit)
})
