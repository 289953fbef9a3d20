import { describe, expect, it } from 'vitest'
import { isContainsPattern, toLikePattern } from '../../../src/numbers/contains-pattern.js'
import { readHeader, readInventoryRow } from '../../../src/numbers/import/read-inventory-row.js'
import { RowError } from '../../../src/platform/csv-imports/csv-imports.js'

const read = (header: string, row: string) =>
  readInventoryRow(readHeader(header.split(',')), row.split(','))

describe('a row of an inventory file', () => {
  it('may have a number alone', () => {
    expect(read('number', '+14155550100')).toEqual({
      e164: '+14155550100',
      country: 'US',
      kind: 'local',
      region: undefined,
      locality: undefined,
      postalCode: undefined,
      rateCenter: undefined,
      lata: undefined,
      place: undefined,
      capabilities: { voice: true, sms: false, mms: false, fax: false },
    })
    expect(read('number', '+18885550100')).toMatchObject({ kind: 'toll-free' })
    expect(read('number', '+442079460018')).toMatchObject({ country: 'GB', kind: 'local' })
  })

  it('may have every column, in any order', () => {
    const header =
      'fax,mms,sms,voice,longitude,latitude,lata,rate_center,postal_code,locality,region,country,type,number'
    const row =
      'no,1,TRUE,yes,-122.41,37.77,722,SNFC CNTRL,94105,San Francisco,ca,us,local,+14155550100'
    expect(read(header, row)).toMatchObject({
      country: 'US',
      region: 'CA',
      locality: 'San Francisco',
      postalCode: '94105',
      rateCenter: 'SNFC CNTRL',
      lata: '722',
      place: { latitude: 37.77, longitude: -122.41 },
      capabilities: { voice: true, sms: true, mms: true, fax: false },
    })
  })

  it.each([
    ['number', '4155550100', /number/],
    ['number', '', /number/],
    ['number,type', '+14155550100,premium', /type/],
    ['number,type', '+14155550100,toll-free', /type/],
    ['number,country', '+14155550100,XX', /country/],
    ['number,latitude', '+14155550100,37.7', /together/],
    ['number,latitude,longitude', '+14155550100,91,0', /latitude/],
    ['number,latitude,longitude', '+14155550100,1,1e2', /longitude/],
    ['number,voice', '+14155550100,maybe', /voice/],
    ['number,locality', `+14155550100,${'x'.repeat(101)}`, /locality/],
    ['number,locality', '+14155550100,a\u0000b', /control/],
    ['number', '+14155550100,more', /fields/],
  ])('of %s is refused: %s', (header, row, reason) => {
    expect(() => read(header, row)).toThrow(RowError)
    expect(() => read(header, row)).toThrow(reason)
  })

  it('needs a first line of known columns', () => {
    expect(() => readHeader(['number', 'colour'])).toThrow(/colour/)
    expect(() => readHeader(['type'])).toThrow(/number/)
  })
})

describe('Contains', () => {
  it.each([
    ['555', '%555%'],
    ['+1415', '+1415%'],
    ['0100$', '%0100'],
    ['+1415*****00$', '+1415_____00'],
    ['5%5', '%5%5%'],
    ['HOME', '%4663%'],
    ['wxyz', '%9999%'],
  ])('%s is %s', (pattern, like) => {
    expect(isContainsPattern(pattern)).toBe(true)
    expect(toLikePattern(pattern)).toBe(like)
  })

  it.each([
    '5',
    '*',
    '**5*',
    '55_',
    '5 5',
    '1'.repeat(17),
    '5+5',
    '55$5',
    '',
  ])('%s is no pattern', (pattern) => {
    expect(isContainsPattern(pattern)).toBe(false)
  })
})
