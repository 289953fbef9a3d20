import { describe, expect, it } from 'vitest'
import { isBehindNat, readContacts } from '../../../../src/voice/registrar/contacts.js'

const INSTANCE = '+sip.instance="<urn:uuid:00000000-0000-1000-8000-aabbccddeeff>"'

describe('the contacts of a REGISTER', () => {
  it.each([
    ['none', undefined, undefined, 'query'],
    ['a star that expires', '*', '0', 'remove-all'],
    ['a star that does not', '*', '60', 'malformed'],
    ['a star without a time', '*', undefined, 'malformed'],
    ['one address', '<sip:a@192.0.2.1>', undefined, 'update'],
    ['eleven addresses', Array(11).fill('<sip:a@b.c>').join(','), undefined, 'malformed'],
    ['a web address', '<https://a.example>', undefined, 'malformed'],
    ['an open bracket', '<sip:a@192.0.2.1', undefined, 'malformed'],
    ['a long address', `<sip:${'a'.repeat(600)}@b.c>`, undefined, 'malformed'],
    ['a star among others', '*, <sip:a@b.c>', '0', 'malformed'],
    ['a star with a time of its own', '*;expires=0', undefined, 'malformed'],
    [
      'an address that writes a header',
      '<sip:a@b.c?Route=%3Csip:evil.example%3E>',
      '60',
      'malformed',
    ],
    ['an address that writes the method', '<sip:a@b.c;method=BYE>', '60', 'malformed'],
    ['a flow that no number names', `<sip:a@b.c>;${INSTANCE};reg-id=x`, '60', 'malformed'],
    ['flow 0', `<sip:a@b.c>;${INSTANCE};reg-id=0`, '60', 'malformed'],
    ['the last flow', `<sip:a@b.c>;${INSTANCE};reg-id=2147483647`, '60', 'update'],
    ['a flow beyond it', `<sip:a@b.c>;${INSTANCE};reg-id=2147483648`, '60', 'malformed'],
    [
      'two flows',
      `<sip:a@b.c>;${INSTANCE};reg-id=1, <sip:a@b.d>;${INSTANCE};reg-id=2`,
      '60',
      'malformed',
    ],
  ])('%s', (_title, contact, expires, type) => {
    expect(readContacts(contact, expires).type).toBe(type)
  })

  it('have their own time before the common one, and a preference of 1', () => {
    const read = readContacts('<sip:a@192.0.2.1>;expires=90, <sip:b@192.0.2.2>;q=0.5', '120')
    expect(read).toMatchObject({
      contacts: [
        { uri: 'sip:a@192.0.2.1', expires: 90, q: 1_000 },
        { uri: 'sip:b@192.0.2.2', expires: 120, q: 500 },
      ],
    })
  })

  it('that are named twice count once, as they were named last; an old address may be removed', () => {
    const read = readContacts(
      `<sip:a@192.0.2.1>;q=0.1, <sip:a@192.0.2.1>;q=0.7, <sip:b@192.0.2.2>;${INSTANCE};expires=0, <sip:b@192.0.2.3>;${INSTANCE}`,
      '60',
    )
    expect(read).toMatchObject({
      contacts: [
        { uri: 'sip:a@192.0.2.1', q: 700 },
        { uri: 'sip:b@192.0.2.2', expires: 0 },
        { uri: 'sip:b@192.0.2.3', expires: 60 },
      ],
    })
  })

  it.each([
    ['q=5', 1_000],
    ['q=-1', 0],
    ['q=high', 0],
    ['q=0.12345', 123],
  ])('with the preference %s are taken with %i thousandths', (q, expected) => {
    expect(readContacts(`<sip:a@192.0.2.1>;${q}`, undefined)).toMatchObject({
      contacts: [{ q: expected }],
    })
  })

  it('of one instance and reg-id are one binding, wherever it is (RFC 5626 §6)', () => {
    const keyOf = (contact: string) => {
      const read = readContacts(contact, undefined)
      return read.type === 'update' ? read.contacts[0]?.key : undefined
    }
    const there = keyOf(`<sip:a@192.0.2.1>;${INSTANCE};reg-id=1`)
    expect(keyOf(`<sip:a@192.0.2.9>;${INSTANCE};reg-id=1`)).toBe(there)
    expect(keyOf(`<sip:a@192.0.2.9>;${INSTANCE};reg-id=2`)).not.toBe(there)
    expect(keyOf('<sip:a@192.0.2.1>')).not.toBe(there)
  })

  it('are behind a NAT when the packet came from elsewhere', () => {
    const source = { address: '192.0.2.1', port: 5060 }
    expect(isBehindNat('sip:a@192.0.2.1', source)).toBe(false)
    expect(isBehindNat('sip:a@192.0.2.1:5062', source)).toBe(true)
    expect(isBehindNat('sip:a@10.0.0.1', source)).toBe(true)
  })
})
