import { describe, expect, test } from 'vitest'
import { csvRecord } from '../../../../src/voice/exports/archive/build-archive.js'

describe('cells that a spreadsheet would run', () => {
  test.each([
    ['=1+2', "'=1+2\r\n"],
    ['@SUM(A1)', "'@SUM(A1)\r\n"],
    ["+cmd|' /C calc'!A0", "'+cmd|' /C calc'!A0\r\n"],
    ['-2+3', "'-2+3\r\n"],
    ['\t=1', "'\t=1\r\n"],
    ['\r=1', '"\'\r=1"\r\n'],
    ['=HYPERLINK("http://a.example","b")', '"\'=HYPERLINK(""http://a.example"",""b"")"\r\n'],
  ])('%j begins with an apostrophe', (name, line) => {
    expect(csvRecord(['name'], { name })).toBe(line)
  })

  test.each(['+15551112222', '-0.0085', 'a=b', 'sip:=1@example.com'])('%j stays', (name) => {
    expect(csvRecord(['name'], { name })).toBe(`${name}\r\n`)
  })

  test('a negative number stays a number', () => {
    expect(csvRecord(['price'], { price: -0.5 })).toBe('-0.5\r\n')
  })
})
