import { describe, expect, it } from 'vitest'
import { judgeAddress } from '../../../src/emergency/address/judge-address.js'
import { parseStreet } from '../../../src/emergency/address/parse-street.js'
import { loadTables } from '../../../src/registry/data/tables.js'

const { usStates } = loadTables()
const GOOD = {
  address1: '350 Fifth Ave',
  address2: '',
  city: 'New York',
  state: 'NY',
  zip: '10118',
}

/** The parts that a street has. */
const partsOf = (line1: string, line2 = '') => {
  const parts = parseStreet(line1, line2)
  return parts && Object.fromEntries(Object.entries(parts).filter(([, part]) => part !== undefined))
}

describe('a street line', () => {
  it.each<[string, string, Record<string, string>]>([
    ['350 Fifth Ave', '', { houseNumber: '350', street: 'Fifth', streetType: 'Ave' }],
    [
      '1600 Pennsylvania Avenue NW',
      '',
      {
        houseNumber: '1600',
        street: 'Pennsylvania',
        streetType: 'Avenue',
        postDirection: 'NW',
      },
    ],
    [
      '12-34A North Main St. Apt 5B',
      '',
      {
        houseNumber: '12-34',
        houseNumberSuffix: 'A',
        preDirection: 'N',
        street: 'Main',
        streetType: 'St',
        unit: 'Apt 5B',
      },
    ],
    [
      '7 1/2 Elm Rd',
      '',
      { houseNumber: '7', houseNumberSuffix: '1/2', street: 'Elm', streetType: 'Rd' },
    ],
    ['9 Broadway', '', { houseNumber: '9', street: 'Broadway' }],
    ['9 North Street', '', { houseNumber: '9', street: 'North', streetType: 'Street' }],
    ['9 Avenue', '', { houseNumber: '9', street: 'Avenue' }],
    [
      '9 Broadway',
      'Bldg 2, Floor 3, Suite 310',
      {
        houseNumber: '9',
        street: 'Broadway',
        building: 'Bldg 2',
        floor: 'Floor 3',
        unit: 'Suite 310',
      },
    ],
    ['9 Broadway #4', '', { houseNumber: '9', street: 'Broadway', unit: '# 4' }],
    [
      '9 Broadway',
      'behind the gate',
      { houseNumber: '9', street: 'Broadway', additional: 'behind the gate' },
    ],
  ])('%s %s has its parts', (line1, line2, parts) => {
    expect(partsOf(line1, line2)).toEqual(parts)
  })

  it.each(['Fifth Ave', '350', '', 'x350 Main St'])('%j has no house or no street', (line) => {
    expect(parseStreet(line, '')).toBeUndefined()
  })
})

describe('an address', () => {
  it('is tidied, and no more is said than that its form is right', () => {
    const verdict = judgeAddress(
      {
        address1: '  350  Fifth Ave ',
        address2: '',
        city: 'New  York',
        state: 'ny',
        zip: '101180001',
      },
      usStates,
    )
    expect(verdict).toMatchObject({
      type: 'valid',
      address: { ...GOOD, zip: '10118-0001' },
      location: { country: 'US', state: 'NY', city: 'New York', postalCode: '10118-0001' },
    })
  })

  it.each([
    ['an unknown state', { state: 'ZZ' }, 'state', undefined],
    ['a ZIP code of letters', { zip: 'ABCDE' }, 'zip', undefined],
    ['a ZIP code of another state', { zip: '90210' }, 'zip', { state: 'CA' }],
    ['a ZIP code of no state', { zip: '00000' }, 'zip', undefined],
    ['a city of digits', { city: '12' }, 'city', undefined],
    ['a post office box', { address1: 'P.O. Box 12' }, 'address1', undefined],
    ['no house number', { address1: 'Fifth Avenue' }, 'address1', undefined],
  ])('with %s is rejected', (_title, change, field, suggestion) => {
    const verdict = judgeAddress({ ...GOOD, ...change }, usStates)
    expect(verdict).toMatchObject({ type: 'rejected', field })
    expect(verdict.type === 'rejected' ? verdict.suggestion : undefined).toEqual(suggestion)
  })
})
