import { describe, expect, it } from 'vitest'
import { judgeDestination, judgeShortCode } from '../../../src/destinations/destination-rules.js'

const OPEN = { regions: [], blockedPrefixes: [], allowed: [], denied: [], abroad: 'open' } as const
const HOME = { ...OPEN, abroad: 'closed' } as const
const EUROPE = { ...OPEN, allowed: ['+44', '+49'], denied: ['+4487', '+4490'] }

it.each([
  ['any number', '+15551112222', OPEN, true],
  ['a number of the lab', '+15005550001', OPEN, true],
  ["the operator's prefix", '+15551112222', { ...OPEN, blockedPrefixes: ['+1555'] }, false],
  [
    "the operator's prefix, which no account opens",
    '+15551112222',
    { ...OPEN, blockedPrefixes: ['+1'], allowed: ['+1555'] },
    false,
  ],
  ['an allowed country', '+442079460018', EUROPE, true],
  ['another country', '+15551112222', EUROPE, false],
  ['a denied part of an allowed country', '+448712345678', EUROPE, false],
  ['a longer allowed prefix', '+448712345678', { ...EUROPE, allowed: ['+448712'] }, true],
  [
    'a prefix in both lists',
    '+442079460018',
    { ...OPEN, allowed: ['+44'], denied: ['+44'] },
    false,
  ],
  ['American premium', '+19002345678', OPEN, false],
  ['British premium', '+449098790879', OPEN, false],
  ['German premium', '+499001654321', OPEN, false],
  ['a satellite', '+881612345678', OPEN, false],
  ['international premium', '+979912345678', OPEN, false],
  ['American premium with digits too many', '+1900555123456', OPEN, false],
  ['American premium of no exchange', '+19005551234', OPEN, false],
  ['British premium with digits too many', '+44909879000012', OPEN, false],
  ['Australian premium with digits too many', '+61190012345612', OPEN, false],
  ['French premium with digits too many', '+33899123456789', OPEN, false],
  ['German premium that is short', '+499001234', OPEN, false],
  ['Italian premium that is short', '+39899123', OPEN, false],
  ['a British landline', '+442079460018', OPEN, true],
  ['a landline in Dublin', '+35315551234', OPEN, true],
  ['an Australian landline', '+61291234567', OPEN, true],
  ['overdialled premium that is allowed', '+1900555123456', { ...OPEN, allowed: ['+1900'] }, false],
  ['Irish premium', '+3531550123456', OPEN, false],
  ['Irish premium with digits too many', '+35315501234567', OPEN, false],
  ['Polish premium that is short', '+4870112345', OPEN, false],
  ['Polish premium with digits too many', '+4870112345678', OPEN, false],
  ['an American landline with digits too many', '+12125550123456', OPEN, false],
  ['a British landline with digits too many', '+44207946001899', OPEN, false],
  ['a German number with an extension', '+493090182012345', OPEN, true],
  ['a German landline', '+4930901820', OPEN, true],
  ['another country, where abroad is closed', '+442079460018', HOME, false],
  ['Jamaica, where abroad is closed', '+18765550123', HOME, false],
  ['Jamaica with too few digits, where abroad is closed', '+1876555012', HOME, false],
  ['Canada, where abroad is closed', '+14165550123', HOME, true],
  ['Puerto Rico, where abroad is closed', '+17875550123', HOME, true],
  ['the lab, where abroad is closed', '+15005550001', HOME, true],
  ['a region, where abroad is closed', '+442079460018', { ...HOME, regions: ['US', 'GB'] }, true],
  [
    'an allowed prefix, where abroad is closed',
    '+442079460018',
    { ...HOME, allowed: ['+44'] },
    true,
  ],
  [
    'everything allowed, where abroad is closed',
    '+442079460018',
    { ...HOME, allowed: ['+'] },
    false,
  ],
  ['premium that is allowed by its prefix', '+19002345678', { ...OPEN, allowed: ['+1900'] }, true],
  ['premium where everything is allowed', '+19002345678', { ...OPEN, allowed: ['+'] }, false],
])('%s', (_what, e164, rules, isOpen) => {
  expect(judgeDestination(e164, rules).type === 'open').toBe(isOpen)
})

const US = { ...OPEN, regions: ['US'], blockedPrefixes: ['+1900'] }
const ANY = { ...OPEN, blockedPrefixes: ['+1900'] }

describe('a number as people write it', () => {
  it.each([
    ['(212) 555-0123', US, { type: 'open', e164: '+12125550123' }],
    ['+44 20 7946 0018', ANY, { type: 'open', e164: '+442079460018' }],
    ['+1 900 555 0100', US, { type: 'blocked' }],
    ['900-555-0100', ANY, { type: 'blocked' }],
    ['+44 20 7946 0018', US, { type: 'other-country' }],
    ['+1 416 555 0123', US, { type: 'other-country' }],
    ['+999 123 456 789', US, { type: 'unknown-country' }],
    ['+999 123 456 789', ANY, { type: 'open', e164: '+999123456789' }],
    ['+870 773 111 632', US, { type: 'other-country' }],
    ['+1 212 555', US, { type: 'not-a-number' }],
    ['12', ANY, { type: 'not-a-number' }],
    ['sip:bob@example.com', ANY, { type: 'not-a-number' }],
  ])('%s by the rules %o is %o', (text, rules, verdict) => {
    expect(judgeDestination(text, rules)).toEqual(verdict)
  })
})

describe('a short code', () => {
  const rules = {
    ...{ regions: [], blockedPrefixes: ['+1900', '666'], allowed: [], denied: [] },
    abroad: 'closed' as const,
  }

  it.each([
    ['of North America', '72345', '+12025550143', {}, 'open'],
    ['of the country of its sender', '60777', '+447400123456', { abroad: 'open' }, 'open'],
    ['of another country', '60777', '+447400123456', {}, 'abroad'],
    [
      'of a country that is no region',
      '60777',
      '+447400123456',
      { regions: ['US'] },
      'other-country',
    ],
    ['of a region', '60777', '+447400123456', { regions: ['US', 'GB'] }, 'open'],
    ['that begins as a blocked one', '66677', '+12025550143', {}, 'blocked'],
    ['beside prefixes that are allowed', '72345', '+12025550143', { allowed: ['+1'] }, 'blocked'],
    ['beside all numbers', '72345', '+12025550143', { allowed: ['+', '+1900'] }, 'open'],
    ['beside prefixes that are denied', '72345', '+12025550143', { denied: ['+7'] }, 'open'],
    ['beside nothing', '72345', '+12025550143', { denied: ['+'] }, 'blocked'],
    ['of emergency services', '112', '+12025550143', {}, 'not-a-number'],
  ] as const)('%s is judged', (_what, code, sender, change, verdict) => {
    expect(judgeShortCode(code, sender, { ...rules, ...change })).toBe(verdict)
  })
})
