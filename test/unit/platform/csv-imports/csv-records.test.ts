import { Readable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { CsvError, csvRecords } from '../../../../src/platform/csv-imports/csv-records.js'
import { seededRandom } from '../../../support/http/junk.js'

function inPieces(text: string, size: number): AsyncIterable<Uint8Array> {
  const bytes = Buffer.from(text)
  const count = Math.ceil(bytes.length / size)
  return Readable.from(
    Array.from({ length: count }, (_, i) => bytes.subarray(i * size, (i + 1) * size)),
  )
}

async function read(text: string, size = 1_000) {
  const records: [number, ...string[]][] = []
  for await (const { line, fields } of csvRecords(inPieces(text, size)))
    records.push([line, ...fields])
  return records
}

describe('CSV', () => {
  it.each<[string, string, [number, ...string[]][]]>([
    [
      'lines that end in LF',
      'a,b\n1,2\n',
      [
        [1, 'a', 'b'],
        [2, '1', '2'],
      ],
    ],
    [
      'lines that end in CRLF, the last without',
      'a,b\r\n1,2',
      [
        [1, 'a', 'b'],
        [2, '1', '2'],
      ],
    ],
    ['a byte order mark', '\ufeffa\n', [[1, 'a']]],
    [
      'empty lines',
      'a\n\n , \nb\n',
      [
        [1, 'a'],
        [4, 'b'],
      ],
    ],
    ['quotes around a comma', '"a,b",c\n', [[1, 'a,b', 'c']]],
    ['quotes within quotes', '"say ""yes""",c\n', [[1, 'say "yes"', 'c']]],
    [
      'a line end within quotes',
      '"a\nb",c\nd\n',
      [
        [1, 'a\nb', 'c'],
        [3, 'd'],
      ],
    ],
    ['an empty field in quotes', '"",x\n', [[1, '', 'x']]],
    ['letters of several bytes', 'Zürich,東京\n', [[1, 'Zürich', '東京']]],
    ['nothing', '', []],
  ])('reads %s, in pieces of any size', async (_what, text, expected) => {
    for (const size of [1, 2, 3, 1_000]) expect(await read(text, size)).toEqual(expected)
  })

  it('refuses a quote that does not end, and a line without end', async () => {
    await expect(read('a\n"b\n')).rejects.toThrow(CsvError)
    await expect(read('x'.repeat(10_001))).rejects.toThrow(CsvError)
  })

  it('throws nothing but CsvError for random bytes', async () => {
    const random = seededRandom(7)
    for (let round = 0; round < 200; round += 1) {
      const bytes = Buffer.from(Array.from({ length: 300 }, () => Math.floor(random() * 64) + 10))
      try {
        await read(bytes.toString('latin1'), 7)
      } catch (error) {
        expect(error).toBeInstanceOf(CsvError)
      }
    }
  })
})
