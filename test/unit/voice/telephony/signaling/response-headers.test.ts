import { describe, expect, it } from 'vitest'
import { UnsafeArgumentError } from '../../../../../src/voice/telephony/port.js'
import { responseHeaders } from '../../../../../src/voice/telephony/signaling/sip-text.js'

describe('the headers of a SIP response', () => {
  it('are a line for each value, and none for a name without values', () => {
    const headers = {
      'Retry-After': '5',
      'WWW-Authenticate': ['Digest a', 'Digest b'],
      Warning: [],
    }
    const lines = Object.entries(responseHeaders(headers)).map(
      ([name, value]) => `${name}: ${value}`,
    )
    expect(lines.join('\r\n').split('\r\n')).toEqual([
      'Retry-After: 5',
      'WWW-Authenticate: Digest a',
      'WWW-Authenticate: Digest b',
    ])
  })

  it.each([
    ['a value', { Warning: 'a\r\nVia: b' }],
    ['a later value', { Warning: ['a', 'b\nVia: c'] }],
    ['a name', { 'Warning: a\r\nVia': 'b' }],
    ['a name that the stack writes', { Via: ['a', 'b'] }],
  ])('are refused with a line break or another header in %s', (_what, headers) => {
    expect(() => responseHeaders(headers)).toThrow(UnsafeArgumentError)
  })
})
