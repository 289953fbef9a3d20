import { describe, expect, it } from 'vitest'
import { getHeader, getHeaders } from '../../../../../src/lab/sip/message/headers.js'
import { type Reading, readMessage } from '../../../../../src/lab/sip/message/read-message.js'
import { writeMessage } from '../../../../../src/lab/sip/message/write-message.js'

const INVITE = [
  'INVITE sip:bob@example.net SIP/2.0',
  'v: SIP/2.0/UDP 192.0.2.1;branch=z9hG4bK1',
  'f: "Alice" <sip:alice@example.org>;tag=a',
  't: <sip:bob@example.net>',
  'i: 1@example.org',
  'CSEQ: 1 INVITE',
  'Subject: one,',
  '  two,',
  '\tthree',
  'l: 5',
  '',
  'hello',
].join('\r\n')

function messageOf(reading: Reading): Extract<Reading, { type: 'message' }> {
  if (reading.type !== 'message') throw new Error(`read as ${JSON.stringify(reading)}`)
  return reading
}

describe('readMessage', () => {
  it('expands compact forms, undoes folding and takes the body by its length', () => {
    const { message, length, flaw } = messageOf(readMessage(Buffer.from(`${INVITE}rest`), 'stream'))
    expect(flaw).toBeUndefined()
    expect(length).toBe(INVITE.length)
    expect(message).toMatchObject({ kind: 'request', method: 'INVITE', uri: 'sip:bob@example.net' })
    expect(getHeader(message, 'call-id')).toBe('1@example.org')
    expect(getHeader(message, 'Subject')).toBe('one, two, three')
    expect(getHeaders(message, 'CSeq')).toEqual(['1 INVITE'])
    expect(message.body.toString()).toBe('hello')
  })

  it('waits for the rest of a stream', () => {
    for (let end = 0; end < INVITE.length; end++)
      expect(readMessage(Buffer.from(INVITE.slice(0, end)), 'stream').type).toBe('incomplete')
  })

  it.each<[string, string, number, boolean]>([
    ['a lone LF', INVITE.replace('1@example.org\r\n', '1@example.org\n'), 400, false],
    ['a lone CR', INVITE.replace('1@example.org\r\n', '1@example.org\rX: y\r\n'), 400, false],
    ['a NUL', INVITE.replace('two', 't\0wo'), 400, false],
    ['a header without a colon', INVITE.replace('Subject:', 'Subject'), 400, false],
    ['two lengths', INVITE.replace('l: 5', 'l: 5\r\nl: 5'), 400, false],
    ['a negative length', INVITE.replace('l: 5', 'l: -5'), 400, false],
    ['no length', INVITE.replace('l: 5\r\n', ''), 400, false],
    ['a length over the limit', INVITE.replace('l: 5', 'l: 999999999'), 513, false],
    ['version 3.0', INVITE.replace('SIP/2.0', 'SIP/3.0'), 505, true],
    ['too many headers', INVITE.replace('l: 5', 'X: y\r\n'.repeat(300)), 513, false],
  ])('names the flaw of %s', (_title, text, status, isFramed) => {
    const reading = messageOf(readMessage(Buffer.from(text), 'stream'))
    expect([reading.flaw?.status, reading.isFramed]).toEqual([status, isFramed])
  })

  it('reads what it can of a head over the limit, so that it can be answered', () => {
    const text = INVITE.replace('Subject:', `X: ${'y'.repeat(40_000)}\r\nSubject:`)
    for (const bytes of [text, text.slice(0, 35_000)]) {
      const reading = messageOf(readMessage(Buffer.from(bytes), 'stream'))
      expect(reading.flaw?.status).toBe(513)
      expect(getHeader(reading.message, 'Via')).toBe('SIP/2.0/UDP 192.0.2.1;branch=z9hG4bK1')
    }
  })

  it('refuses a header that is longer than any names or calls need', () => {
    const text = INVITE.replace('Subject:', `X: ${'y'.repeat(9_000)}\r\nSubject:`)
    expect(messageOf(readMessage(Buffer.from(text), 'datagram')).flaw?.status).toBe(400)
    const fits = INVITE.replace('Subject:', `X: ${'y'.repeat(8_000)}\r\nSubject:`)
    expect(messageOf(readMessage(Buffer.from(fits), 'datagram')).flaw).toBeUndefined()
  })

  it.each([
    '',
    '\r\n\r\n',
    'GET / HTTP/1.1\r\n\r\n',
    '\0\0\0\0',
    'SIP/2.0 OK\r\n\r\n',
    '{"a":1}',
  ])('finds no message in the datagram %j', (text) => {
    expect(readMessage(Buffer.from(text), 'datagram').type).toBe('unreadable')
  })
})

describe('writeMessage', () => {
  it('gives back what was read, with its names in full', () => {
    const { message } = messageOf(readMessage(Buffer.from(INVITE), 'datagram'))
    const again = messageOf(readMessage(writeMessage(message), 'stream'))
    expect(again.message).toEqual(message)
    expect(again.flaw).toBeUndefined()
  })

  it('lets no value start a line of its own', () => {
    const bytes = writeMessage({
      kind: 'response',
      status: 200,
      reason: 'OK\r\nX-Reason: 1',
      headers: [{ name: 'X\nX-Name', value: '1\r\nX-Value: 2\r\n\r\nINVITE' }],
      body: Buffer.from('body'),
    })
    expect(bytes.toString()).toBe(
      'SIP/2.0 200 OK  X-Reason: 1\r\nX X-Name: 1  X-Value: 2    INVITE\r\nContent-Length: 4\r\n\r\nbody',
    )
  })
})
