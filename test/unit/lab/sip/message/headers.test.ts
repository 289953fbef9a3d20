import { describe, expect, it } from 'vitest'
import {
  appendHeader,
  getHeader,
  getHeaders,
  getListValues,
  prependHeader,
  removeHeader,
  setHeader,
} from '../../../../../src/lab/sip/message/headers.js'
import type { SipRequest } from '../../../../../src/lab/sip/message/types.js'

const MESSAGE: SipRequest = {
  kind: 'request',
  method: 'OPTIONS',
  uri: 'sip:bob@example.net',
  headers: [
    { name: 'Via', value: 'one' },
    { name: 'X-List', value: 'a, "b, c"' },
    { name: 'To', value: '<sip:bob@example.net>' },
    { name: 'x-list', value: 'd,' },
  ],
  body: Buffer.alloc(0),
}
const linesOf = (message: SipRequest): string[] =>
  message.headers.map(({ name, value }) => `${name}: ${value}`)

describe('headers', () => {
  it('are found in any case, one, all, or as one list', () => {
    expect(getHeader(MESSAGE, 'X-LIST')).toBe('a, "b, c"')
    expect(getHeaders(MESSAGE, 'X-List')).toEqual(['a, "b, c"', 'd,'])
    expect(getListValues(MESSAGE, 'X-List')).toEqual(['a', '"b, c"', 'd'])
    expect(getHeader(MESSAGE, 'Absent')).toBeUndefined()
    // Same length and first letter, and yet another header.
    expect(getHeader(MESSAGE, 'Tx')).toBeUndefined()
  })

  it.each<[string, SipRequest, string[]]>([
    [
      'replaced where the first was, the others gone',
      setHeader(MESSAGE, 'X-List', 'e'),
      ['Via: one', 'X-List: e', 'To: <sip:bob@example.net>'],
    ],
    ['appended when absent', setHeader(MESSAGE, 'X-New', 'e'), [...linesOf(MESSAGE), 'X-New: e']],
    ['added at the end', appendHeader(MESSAGE, 'To', 'x'), [...linesOf(MESSAGE), 'To: x']],
    ['added on top', prependHeader(MESSAGE, 'Via', 'two'), ['Via: two', ...linesOf(MESSAGE)]],
    [
      'removed in any case',
      removeHeader(MESSAGE, 'X-LIST'),
      ['Via: one', 'To: <sip:bob@example.net>'],
    ],
  ])('are %s', (_title, message, lines) => {
    expect(linesOf(message)).toEqual(lines)
    expect(MESSAGE.headers).toHaveLength(4)
  })
})
