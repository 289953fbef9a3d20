import { describe, expect, it } from 'vitest'
import { plainUri, userOf } from '../../../../src/platform/sip-grammar/plain-uri.js'

describe('equivalent URIs', () => {
  it.each([
    ['sip:alice@office.example', 'SIP:%61lice@Office.EXAMPLE;transport=tcp?subject=x'],
    ['sip:+12025550143@192.0.2.1:5080', 'sip:%2B12025550143@192.0.2.1:5080;user=phone'],
    ['tel:+12025550143', 'TEL:+1-(202)-555.0143;ext=1'],
    ['tel:+12025550143', 'tel:5550143;phone-context=+1202'],
    ['sip:100@[2001:db8::1]', 'sip:100@[2001:DB8::1]'],
    ['urn:service:sos', 'urn:service:sos'],
  ])('are all %s: %s', (plain, written) => {
    expect(plainUri(written)).toBe(plain)
    expect(plainUri(plain)).toBe(plain)
  })

  it.each([
    ['tel:911;phone-context=example.com', '911'],
    ['tel:9-1-1', '911'],
    ['sip:a%20b@h', 'a b'],
    ['sip:h', undefined],
    ['mailto:a@b', undefined],
  ])('has a user: %s', (uri, user) => {
    expect(userOf(uri)).toBe(user)
  })
})
