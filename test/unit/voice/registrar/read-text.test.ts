import { describe, expect, it } from 'vitest'
import { readText } from '../../../../src/voice/registrar/read-text.js'

const CPIM = 'message/cpim'
const MIXED = 'multipart/mixed; boundary="b 1"'

const read = (type: string | undefined, body: string, encoding?: string) => {
  const outcome = readText({ type, encoding, body })
  return outcome.type === 'text' ? outcome.text : outcome.type
}
const lines = (...all: readonly string[]) => all.join('\r\n')

describe('the body of a MESSAGE', () => {
  it.each<[string, string | undefined, string, string]>([
    ['text', 'text/plain', 'Hello', 'Hello'],
    ['text in capitals', 'Text/PLAIN ; Charset="UTF-8"', 'Hello', 'Hello'],
    ['ASCII', 'text/plain;charset=us-ascii', 'Hello', 'Hello'],
    ['lines', 'text/plain', 'one\r\n\r\ntwo\n', 'one\r\n\r\ntwo\n'],
    ['Latin-1', 'text/plain;charset=iso-8859-1', 'Hello', 'unsupported'],
    ['no type', undefined, 'Hello', 'unsupported'],
    ['HTML', 'text/html', '<b>Hello</b>', 'unsupported'],
    ['blanks', 'text/plain', ' \r\n', 'malformed'],
    ['a NUL', 'text/plain', 'a\0b', 'malformed'],
    ['typing', 'application/im-iscomposing+xml', '<x/>', 'ignored'],
    ['shown', 'message/imdn+xml;charset=utf-8', '<x/>', 'ignored'],
  ])('%s', (_title, type, body, outcome) => {
    expect(read(type, body)).toBe(outcome)
  })

  it('that is compressed is not read', () => {
    expect(read('text/plain', 'x', 'gzip')).toBe('unsupported')
  })

  it('of CPIM is its content (RFC 3862)', () => {
    const head = lines('From: <sip:a@b>', 'To: <sip:c@d>', '')
    expect(
      read(CPIM, lines(head, 'Content-Type: text/plain; charset=utf-8', '', 'Hi\r\n\r\nyou')),
    ).toBe('Hi\r\n\r\nyou')
    expect(read(CPIM, lines(head, 'Content-Type: message/imdn+xml', '', '<imdn/>'))).toBe('ignored')
    expect(read(CPIM, lines(head, 'Content-Type: image/png', '', 'x'))).toBe('unsupported')
    expect(read(CPIM, 'no headers')).toBe('malformed')
  })

  it('of several parts is their texts (RFC 2046)', () => {
    const part = (type: string, text: string) => lines('--b 1', `Content-Type: ${type}`, '', text)
    const plain = part('text/plain', 'one')
    expect(
      read(MIXED, lines(plain, part('image/png', 'x'), part('text/plain', 'two'), '--b 1--')),
    ).toBe('one\ntwo')
    expect(read(MIXED, lines('a preamble', '--b 1', '', 'bare', '--b 1--', 'an epilogue'))).toBe(
      'bare',
    )
    expect(read(MIXED, lines(part('image/png', 'x'), '--b 1--'))).toBe('unsupported')
    expect(read(MIXED, 'no parts')).toBe('unsupported')
    expect(read('multipart/mixed', 'x')).toBe('malformed')
    const alternatives = lines(
      '--c',
      'Content-Type: text/plain',
      '',
      'text',
      '--c',
      '',
      'other',
      '--c--',
    )
    expect(read('multipart/alternative;boundary=c', alternatives)).toBe('text')
  })

  it('that nests without an end is not read', () => {
    let body = 'Hello'
    for (let depth = 0; depth < 6; depth += 1)
      body = lines('A: b', '', `Content-Type: ${CPIM}`, '', body)
    expect(read(CPIM, body)).toBe('unsupported')
  })

  it('of any bytes is read without a fault', () => {
    const types = ['text/plain', CPIM, MIXED, 'multipart/alternative;boundary=-', 'x', ';', '']
    const pieces = [
      '--b 1',
      '\r\n',
      '\n\n',
      'Content-Type: text/plain',
      '--',
      '-',
      'a',
      '\0',
      ': ',
      '=',
    ]
    let seed = 20_261_122
    const next = (below: number) => {
      seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648
      return seed % below
    }
    for (let round = 0; round < 2_000; round += 1) {
      const body = Array.from({ length: next(20) }, () => pieces[next(pieces.length)]).join('')
      expect(read(types[next(types.length)], body)).toBeTypeOf('string')
    }
  })
})
