import { describe, expect, it } from 'vitest'
import { isClaimFor } from '../../../../src/platform/sip-digest/claimed-uri.js'

const NUMBER = 'sip:+15550001111@acme.example'

describe('the URI of a digest', () => {
  it.each([
    ['the Request-URI', NUMBER, NUMBER],
    ['another scheme', 'sips:+15550001111@acme.example', NUMBER],
    ['a telephone URI', 'tel:+15550001111', NUMBER],
    ['the host in capitals', 'sip:+15550001111@ACME.Example', NUMBER],
    ['a port and parameters', 'sip:+15550001111@acme.example:5060;transport=tcp', NUMBER],
    ['none of its parameters', NUMBER, `${NUMBER};user=phone;transport=TLS`],
    ['an escaped user', 'sip:%2B15550001111@acme.example', NUMBER],
    ['the address of a proxy', 'sip:+15550001111@192.0.2.7:5080', NUMBER],
    ['an IPv6 address of a proxy', 'sip:+15550001111@[2001:db8::7]', NUMBER],
    ['the address of the next hop alone', 'sip:192.0.2.7:5060', NUMBER],
    ['the host before a proxy wrote its address', NUMBER, 'sip:+15550001111@192.0.2.7'],
    ['a service', 'urn:service:sos', 'urn:service:sos'],
  ])('may be %s', (_title, claimed, requestUri) => {
    expect(isClaimFor(claimed, { method: 'INVITE', requestUri })).toBe(true)
  })

  it.each([
    ['another user', 'sip:+15550002222@acme.example', NUMBER],
    ['another user at an address', 'sip:+15550002222@192.0.2.7', NUMBER],
    ['another case of the user', 'sip:Alice@acme.example', 'sip:alice@acme.example'],
    ['another host', 'sip:+15550001111@other.example', NUMBER],
    ['the host alone', 'sip:acme.example', NUMBER],
    ['a user where there is none', NUMBER, 'sip:acme.example'],
    ['another service', 'urn:service:sos', NUMBER],
    ['nothing', '', NUMBER],
    ['no URI', '*', NUMBER],
  ])('may not be %s', (_title, claimed, requestUri) => {
    expect(isClaimFor(claimed, { method: 'INVITE', requestUri })).toBe(false)
  })

  it('of a REGISTER may name a user, and no other domain', () => {
    const target = { method: 'REGISTER', requestUri: 'sip:acme.example' }
    expect(isClaimFor('sip:alice@acme.example', target)).toBe(true)
    expect(isClaimFor('sip:192.0.2.7', target)).toBe(true)
    expect(isClaimFor('sip:other.example', target)).toBe(false)
  })
})
