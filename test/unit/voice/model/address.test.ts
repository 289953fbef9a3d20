import { describe, expect, it } from 'vitest'
import { countryOf } from '../../../../src/destinations/phone-number.js'
import {
  displayAddress,
  numberFromSipUser,
  parseCallAddress,
} from '../../../../src/voice/model/address.js'

describe('an end of a call', () => {
  it.each<[string, readonly string[], string | undefined]>([
    ['+15005550001', [], '+15005550001'],
    ['(415) 867-5310', [], '+14158675310'],
    ['4158675310', [], '+14158675310'],
    ['14158675310', [], '+14158675310'],
    ['+44 20 7946 0018', [], '+442079460018'],
    ['+1', [], undefined],
    ['+0123456789', [], undefined],
    ['+1234567890123456', [], undefined],
    ['hello', [], undefined],
    ['', [], undefined],
    ['4158675310', ['US'], '+14158675310'],
    ['020 7946 0018', ['GB'], '+442079460018'],
    ['020 7946 0018', ['US', 'GB'], '+442079460018'],
    ['+442079460018', ['US'], undefined],
    ['+12223334444', ['US'], undefined],
  ])('%s in %j is %s', (text, regions, e164) => {
    expect(parseCallAddress(text, regions)).toEqual(
      e164 === undefined ? undefined : { type: 'number', e164 },
    )
  })

  it.each([
    'sip:alice@example.com',
    'sip:+15551112222@192.0.2.1:5060;transport=tcp',
    'sips:bob@[2001:db8::1]:5061',
    'sip:192.0.2.1',
    'sip:alice@example.com?X-Color=red',
  ])('%s is a SIP URI', (uri) => {
    expect(parseCallAddress(uri, [])).toEqual({ type: 'sip', uri })
  })

  it.each([
    'sip:',
    'sip:alice@',
    'sip:alice@exa mple.com',
    'sip:alice@example.com\r\nX-Evil: 1',
    'sip:alice@example.com>;<sip:x@y',
    'sip:"alice"@example.com',
    `sip:${'a'.repeat(300)}@example.com`,
    'sip:alice@example.com:0',
    'sip:alice@example.com:65536',
    'sip:alice@[2001:db8::1]:99999;transport=tcp',
    'http://example.com',
    '<sip:alice@example.com>',
  ])('%j is refused', (text) => {
    expect(parseCallAddress(text, [])).toBeUndefined()
  })

  it('reads the number that a carrier writes in a SIP user', () => {
    expect(numberFromSipUser('15551112222')).toBe('+15551112222')
    expect(numberFromSipUser('+15551112222;npdi')).toBe('+15551112222')
    expect(numberFromSipUser('+1-555-111-2222')).toBe('+15551112222')
    expect(numberFromSipUser('(555)111.2222;phone-context=+1')).toBe('+15551112222')
    expect(numberFromSipUser('192.168.100.200')).toBeUndefined()
    expect(numberFromSipUser('alice')).toBeUndefined()
    expect(numberFromSipUser(undefined)).toBeUndefined()
  })

  it('shows North American numbers the local way, and knows countries', () => {
    expect(displayAddress('+13051913581')).toBe('(305) 191-3581')
    expect(displayAddress('+442079460018')).toBe('+442079460018')
    expect(countryOf('+442079460018')).toBe('GB')
    expect(countryOf('sip:alice@example.com')).toBeUndefined()
  })
})
