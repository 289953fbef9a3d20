import { expect, it } from 'vitest'
import { mayCall } from '../../../../src/voice/routing/destination-rules.js'

const OPEN = { blockedPrefixes: [], allowed: [], denied: [] }
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
  ['overdialled premium that is allowed', '+1900555123456', { ...OPEN, allowed: ['+1900'] }, true],
  ['premium that is allowed by its prefix', '+19002345678', { ...OPEN, allowed: ['+1900'] }, true],
  ['premium where everything is allowed', '+19002345678', { ...OPEN, allowed: ['+'] }, false],
])('%s', (_what, e164, rules, isOpen) => {
  expect(mayCall(e164, rules)).toBe(isOpen)
})
