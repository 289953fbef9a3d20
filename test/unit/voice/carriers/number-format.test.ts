import { describe, expect, it } from 'vitest'
import type { NumberRules } from '../../../../src/voice/carriers/carrier.js'
import { DEFAULT_CARRIER_SETTINGS } from '../../../../src/voice/carriers/carrier.js'
import {
  calledNumberFor,
  numberFor,
  numberFrom,
} from '../../../../src/voice/carriers/number-format.js'

const E164 = DEFAULT_CARRIER_SETTINGS.numbers
const DIGITS: NumberRules = { ...E164, format: 'digits' }
const BRITAIN: NumberRules = { ...E164, format: 'national', countryCode: '44', trunkPrefix: '0' }
const AMERICA: NumberRules = {
  ...E164,
  format: 'national',
  countryCode: '1',
  internationalPrefix: '011',
}

describe('a number for a carrier', () => {
  it.each([
    ['+442079460018', E164, '+442079460018'],
    ['+442079460018', DIGITS, '442079460018'],
    ['+442079460018', BRITAIN, '02079460018'],
    ['+15551112222', BRITAIN, '0015551112222'],
    ['+15551112222', AMERICA, '5551112222'],
    ['+442079460018', AMERICA, '011442079460018'],
    ['anonymous', BRITAIN, 'anonymous'],
  ])('%s with %o is %s', (e164, rules, written) => {
    expect(numberFor(e164, rules)).toBe(written)
  })

  it('has the tech prefix where it is called, and nowhere else', () => {
    const rules = { ...BRITAIN, techPrefix: '99#' }
    expect(calledNumberFor('+442079460018', rules)).toBe('99#02079460018')
    expect(numberFor('+442079460018', rules)).toBe('02079460018')
  })
})

describe('a number from a carrier', () => {
  it.each([
    ['02079460018', BRITAIN, '+442079460018'],
    ['(020)7946-0018', BRITAIN, '+442079460018'],
    ['0015551112222', BRITAIN, '+15551112222'],
    ['442079460018', BRITAIN, '+442079460018'],
    ['+442079460018;npdi', BRITAIN, '+442079460018'],
    ['5551112222', AMERICA, '+15551112222'],
    ['15551112222', AMERICA, '+15551112222'],
    ['011442079460018', AMERICA, '+442079460018'],
    ['15551112222', E164, '+15551112222'],
    ['anonymous', BRITAIN, undefined],
    [undefined, BRITAIN, undefined],
  ])('%s with %o is %s', (user, rules, e164) => {
    expect(numberFrom(user, rules)).toBe(e164)
  })
})
