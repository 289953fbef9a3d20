import { describe, expect, it } from 'vitest'
import { sayAs } from '../../../../src/voice/synthesis/say-as.js'

type Row = readonly [text: string, spoken: string, format?: string]
const cases = (interpretAs: string, rows: readonly Row[]) => {
  describe(interpretAs, () => {
    for (const [text, spoken, format] of rows)
      it(`${text} → ${spoken}`, () => {
        expect(sayAs(text, interpretAs, format)).toBe(spoken)
      })
  })
}

cases('characters', [
  ['ab-1', 'A B dash one'],
  [' A 1 ', 'A one'],
  ['a@b.c', 'A at B dot C'],
  ['é', 'É'],
])
cases('spell-out', [['Hi', 'H I']])
cases('digits', [
  ['042', 'zero four two'],
  ['12 34', 'one two three four'],
])
cases('telephone', [
  ['+15005550006', 'plus one, five zero zero, five five five, zero zero zero six'],
  ['(500) 555-0006', 'five zero zero, five five five, zero zero zero six'],
  ['5005550006', 'five zero zero, five five five, zero zero zero six'],
  ['911', 'nine one one'],
  ['555-0006 ext 12', 'five five five, zero zero zero six, E X T, one two'],
])
cases('cardinal', [
  ['0', 'zero'],
  ['007', 'seven'],
  ['19', 'nineteen'],
  ['80', 'eighty'],
  ['342', 'three hundred forty two'],
  ['1000', 'one thousand'],
  ['1,042', 'one thousand forty two'],
  ['1000001', 'one million one'],
  ['-12.50', 'minus twelve point five zero'],
  ['.5', 'zero point five'],
  [
    '999999999999',
    'nine hundred ninety nine billion nine hundred ninety nine million nine hundred ninety nine thousand nine hundred ninety nine',
  ],
  [
    '1234567890123456789',
    'one two three four five six seven eight nine zero one two three four five six seven eight nine',
  ],
  ['many', 'many'],
  ['1,2', '1,2'],
])
cases('number', [
  ['12', 'twelve'],
  ['1/2', 'one half'],
])
cases('ordinal', [
  ['1', 'first'],
  ['2', 'second'],
  ['3', 'third'],
  ['5', 'fifth'],
  ['8', 'eighth'],
  ['9', 'ninth'],
  ['12', 'twelfth'],
  ['20', 'twentieth'],
  ['21', 'twenty first'],
  ['100', 'one hundredth'],
  ['1000', 'one thousandth'],
  ['4th', '4th'],
])
cases('fraction', [
  ['1/2', 'one half'],
  ['3/2', 'three halves'],
  ['3/4', 'three quarters'],
  ['3/20', 'three twentieths'],
  ['1+1/2', 'one and one half'],
  ['2 1/3', 'two and one third'],
  ['1/0', 'one over zero'],
  ['half', 'half'],
])
cases('unit', [
  ['10kg', 'ten kilograms'],
  ['1 lb', 'one pound'],
  ['2.5 MB', 'two point five megabytes'],
  ['1/2 in', 'one half inch'],
  ['3 parsecs', 'three parsecs'],
  ['kg', 'kg'],
])
cases('currency', [
  ['$42.01', 'forty two dollars and one cent'],
  ['$1', 'one dollar'],
  ['$1,000', 'one thousand dollars'],
  ['USD 3.5', 'three dollars and fifty cents'],
  ['3 EUR', 'three euros'],
  ['£0.02', 'zero pounds and two pence'],
  ['-$5', 'minus five dollars'],
  ['5 XYZ', '5 XYZ'],
])
cases('date', [
  ['11/20/2026', 'November twentieth, twenty twenty six', 'mdy'],
  ['20.11.2026', 'November twentieth, twenty twenty six', 'dmy'],
  ['2026-11-20', 'November twentieth, twenty twenty six', 'ymd'],
  ['2026-11-20', 'November twentieth, twenty twenty six'],
  ['1/2/1999', 'January second, nineteen ninety nine'],
  ['20261120', 'November twentieth, twenty twenty six', 'yyyymmdd'],
  ['????1120', 'November twentieth', 'yyyymmdd'],
  ['11-20', 'November twentieth', 'md'],
  ['20-11', 'November twentieth', 'dm'],
  ['2026-11', 'November, twenty twenty six', 'ym'],
  ['11-2026', 'November, twenty twenty six', 'my'],
  ['20', 'twentieth', 'd'],
  ['11', 'November', 'm'],
  ['2005', 'two thousand five', 'y'],
  ['1900', 'nineteen hundred', 'y'],
  ['1908', 'nineteen oh eight', 'y'],
  ['2000', 'two thousand', 'y'],
  ['11/20/26', 'November twentieth, twenty twenty six', 'mdy'],
  ['13/40/2026', '13/40/2026', 'mdy'],
  ['11/32/2026', '11/32/2026', 'mdy'],
  ['tomorrow', 'tomorrow', 'mdy'],
])
cases('time', [
  ['1\'21"', 'one minute, twenty one seconds'],
  ["2'", 'two minutes'],
  ['13:45', 'thirteen forty five'],
  ['9:05 am', 'nine oh five A M'],
  ['1:45pm', 'one forty five P M'],
  ['9:00', "nine o'clock"],
  ['9pm', 'nine P M'],
  ['99:99', '99:99'],
])
cases('expletive', [['darn', 'beep']])
cases('address', [['150th CT NE, Redmond', '150th CT NE, Redmond']])
cases('unheard-of', [['as it is', 'as it is']])

it('text of any kind comes out as text', () => {
  const kinds = 'characters digits telephone cardinal ordinal fraction unit currency date time'
  for (const kind of kinds.split(' '))
    for (const text of ['', ' ', '☎', '9'.repeat(4000), '1/', '$', '0/0', '::', '-'.repeat(4000)])
      expect(typeof sayAs(text, kind, 'mdy')).toBe('string')
})
