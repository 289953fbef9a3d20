import { expect, it } from 'vitest'
import { FileSampler } from '../../../../src/platform/uploads/file-sample.js'
import { boundaryOf, MultipartScanner } from '../../../../src/platform/uploads/multipart.js'

const part = (disposition: string, content: string) =>
  `--b\r\nContent-Disposition: form-data; ${disposition}\r\n\r\n${content}\r\n`
const file = part('name="file"; filename="a.txt"', 'one\r\n--x\r\n\r\ntwo\r\n')

/** What comes of a body that arrives in pieces of these sizes. */
function scan(body: string, sizes: () => number): object {
  const scanner = new MultipartScanner('b')
  const bytes = Buffer.from(body)
  let content = ''
  let fileName: string | undefined
  for (let at = 0; at < bytes.length; ) {
    const next = at + sizes()
    for (const piece of scanner.feed(bytes.subarray(at, next))) {
      if (piece.type === 'broken') return { why: piece.why }
      if (piece.type === 'file-begins') fileName = piece.fileName
      else content += Buffer.from(piece.bytes).toString('utf8')
    }
    at = next
  }
  const why = scanner.end()
  return why === undefined ? { fileName, content } : { why }
}

const bodies: readonly [string, string, object][] = [
  ['one file', `${file}--b--\r\n`, { fileName: 'a.txt', content: 'one\r\n--x\r\n\r\ntwo\r\n' }],
  [
    'a file among fields, text before and after',
    `hello\r\n${part('name="x"', '1')}${file}${part('name="y"', '2')}--b--\r\nbye`,
    { fileName: 'a.txt', content: 'one\r\n--x\r\n\r\ntwo\r\n' },
  ],
  [
    'an empty file',
    `${part('name="file"; filename="a"', '')}--b--`,
    { fileName: 'a', content: '' },
  ],
  [
    'a quoted name',
    `${part('filename="a \\"b\\".txt"; name="file"', 'x')}--b--`,
    { fileName: 'a "b".txt', content: 'x' },
  ],
  ['two files', `${file}${file}--b--`, { why: 'one file per call' }],
  ['no file', `${part('name="x"', '1')}--b--`, { why: 'there is no part called file' }],
  ['no end', file, { why: 'there is no closing delimiter' }],
  ['an end in the middle', file.slice(0, -6), { why: 'there is no closing delimiter' }],
  ['nothing', '', { why: 'there is no closing delimiter' }],
  ['a part without headers', '--b\r\nabc\r\n--b--\r\n', { why: 'a part has no headers' }],
  ['endless headers', `--b\r\nX: ${'x'.repeat(9_000)}`, { why: 'a part has no headers' }],
  [
    'endless parts',
    `${part('name="x"', '1').repeat(30)}--b--`,
    { why: 'there are too many parts' },
  ],
]

it.each(bodies)('%s, however it is cut', (_title, body, expected) => {
  expect(scan(body, () => body.length + 1)).toEqual(expected)
  expect(scan(body, () => 1)).toEqual(expected)
  let seed = 7
  const sizes = () => {
    seed = (seed * 16_807) % 2_147_483_647
    return 1 + (seed % 40)
  }
  for (let times = 0; times < 50; times += 1) expect(scan(body, sizes)).toEqual(expected)
})

it.each([
  ['multipart/form-data; boundary=x', 'x'],
  ['Multipart/Form-Data; charset=utf-8; boundary="a b"', 'a b'],
  ['multipart/form-data', undefined],
  ['multipart/mixed; boundary=x', undefined],
  [`multipart/form-data; boundary=${'x'.repeat(71)}`, 'x'.repeat(70)],
])('the boundary of %s', (type, boundary) => {
  expect(boundaryOf(type)).toBe(boundary)
})

it('text is text although a character is cut in two, and not when it ends in half of one', () => {
  const bytes = Buffer.from('à bientôt')
  const sample = (length: number) => {
    const sampler = new FileSampler()
    for (const byte of bytes.subarray(0, length)) sampler.add(Uint8Array.of(byte))
    return sampler.sample()
  }
  expect(sample(bytes.length)).toMatchObject({ isText: true, size: bytes.length })
  expect(sample(1).isText).toBe(false)
})
