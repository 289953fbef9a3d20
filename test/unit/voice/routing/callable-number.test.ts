import { describe, expect, it } from 'vitest'
import { judgeNumber } from '../../../../src/voice/routing/callable-number.js'

const US = { regions: ['US'], blockedPrefixes: ['+1900'], allowed: [], denied: [] }
const ANY = { regions: [], blockedPrefixes: ['+1900'], allowed: [], denied: [] }

describe('a number that is dialled', () => {
  it.each([
    ['(212) 555-0123', US, { type: 'callable', e164: '+12125550123' }],
    ['+44 20 7946 0018', ANY, { type: 'callable', e164: '+442079460018' }],
    ['+1 900 555 0100', US, { type: 'blocked' }],
    ['900-555-0100', ANY, { type: 'blocked' }],
    ['+44 20 7946 0018', US, { type: 'other-country' }],
    ['+1 416 555 0123', US, { type: 'other-country' }],
    ['+999 123 456 789', US, { type: 'unknown-country' }],
    ['+999 123 456 789', ANY, { type: 'callable', e164: '+999123456789' }],
    ['+870 773 111 632', US, { type: 'other-country' }],
    ['+1 212 555', US, { type: 'not-a-number' }],
    ['12', ANY, { type: 'not-a-number' }],
    ['sip:bob@example.com', ANY, { type: 'not-a-number' }],
  ])('%s by the rules %o is %o', (text, rules, verdict) => {
    expect(judgeNumber(text, rules)).toEqual(verdict)
  })
})
