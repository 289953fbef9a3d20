import { describe, expect, it } from 'vitest'
import { segmentText } from '../../../src/messages/segments/segment-text.js'

const a = (count: number): string => 'a'.repeat(count)

describe('segments of awkward texts', () => {
  it.each<[string, string, 'GSM-7' | 'UCS-2', number[]]>([
    ['an empty text', '', 'GSM-7', [0]],
    ['a text that fills one segment', a(160), 'GSM-7', [160]],
    ['one septet more', a(161), 'GSM-7', [153, 8]],
    ['two joined segments, both full', a(306), 'GSM-7', [153, 153]],
    ['one septet beyond two', a(307), 'GSM-7', [153, 153, 1]],
    ['extension characters that fill one segment', '€'.repeat(80), 'GSM-7', [80]],
    ['an extension character beyond it', `${'€'.repeat(80)}a`, 'GSM-7', [76, 5]],
    ['an extension character on the border', `${a(152)}{${a(20)}`, 'GSM-7', [152, 21]],
    ['an extension character before the border', `${a(151)}{${a(20)}`, 'GSM-7', [152, 20]],
    ['every extension character', '^{}\\[~]|€\f', 'GSM-7', [10]],
    ['Windows and Unix newlines together', 'one\r\ntwo\nthree\rfour', 'GSM-7', [19]],
    ['a newline pair over the border', `${a(152)}\r\n${a(10)}`, 'GSM-7', [153, 11]],
    ['letters of the alphabet beyond ASCII', 'ÄÖÑÜ§¿äöñüàΔΦΓΛΩΠΨΣΘΞ', 'GSM-7', [21]],
    ['a letter that only looks like one of the alphabet', 'ç', 'UCS-2', [1]],
    ['a backtick, which the alphabet lacks', '`', 'UCS-2', [1]],
    ['a tab, which the alphabet lacks', '\t', 'UCS-2', [1]],
    ['the escape itself', '\u001b', 'UCS-2', [1]],
    ['a typographic quote among ASCII', `${a(69)}’`, 'UCS-2', [70]],
    ['one unit more', `${a(70)}’`, 'UCS-2', [67, 4]],
    ['extension characters beside UCS-2 count once', `’${'€'.repeat(69)}`, 'UCS-2', [70]],
    ['emoji that fill one segment', '😀'.repeat(35), 'UCS-2', [70]],
    ['emoji over the border, never divided', '😀'.repeat(36), 'UCS-2', [66, 6]],
    ['a surrogate pair on the border', `${a(66)}😀${a(10)}`, 'UCS-2', [66, 12]],
    ['a surrogate pair before the border', `${a(65)}😀${a(10)}`, 'UCS-2', [67, 10]],
    ['a surrogate alone', `${a(70)}\ud83d`, 'UCS-2', [67, 4]],
  ])('%s', (_title, text, encoding, lengths) => {
    const found = segmentText(text)
    expect(found.encoding).toBe(encoding)
    expect(found.segments.map(({ length }) => length)).toEqual(lengths)
    expect(found.segments.join('')).toBe(text)
  })

  it('takes the longest text without delay', () => {
    expect(segmentText('😀'.repeat(800)).segments).toHaveLength(25)
  })
})
