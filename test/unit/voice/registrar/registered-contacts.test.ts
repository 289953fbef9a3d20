import { describe, expect, it } from 'vitest'
import { type Binding, nextHopOf } from '../../../../src/voice/registrar/binding.js'
import type { Bindings } from '../../../../src/voice/registrar/bindings.js'
import { RegisteredContacts } from '../../../../src/voice/registrar/registered-contacts.js'
import type { SipDomain } from '../../../../src/voice/sip-domains/sip-domain.js'

const ACCOUNT = 'AC1'
const OPEN = { sid: 'SD1', accountSid: ACCOUNT, secure: false } as SipDomain
const SECURE = { sid: 'SD2', accountSid: ACCOUNT, secure: true } as SipDomain

const bound = (domain: SipDomain, transport: string, contactUri: string) =>
  ({
    domainSid: domain.sid,
    contactUri,
    source: { address: '192.0.2.7', port: 40_001, transport },
  }) as Binding

const BINDINGS = [
  bound(OPEN, 'udp', 'sip:alice@udp.example'),
  bound(OPEN, 'udp', 'sips:alice@claims.example'),
  bound(OPEN, 'tls', 'sip:alice@tls.example'),
  bound(SECURE, 'udp', 'sip:alice@before.example'),
  bound(SECURE, 'tls', 'sips:alice@secure.example'),
]

const domains = {
  find: (name: string) => Promise.resolve({ 'open.example': OPEN, 'secure.example': SECURE }[name]),
  audioOf: () => Promise.resolve(new Map([OPEN, SECURE].map((domain) => [domain.sid, domain]))),
}
const bindings = {
  of: ({ domainSid }: { readonly domainSid: string }) =>
    Promise.resolve(BINDINGS.filter((each) => each.domainSid === domainSid)),
  ofAccount: () => Promise.resolve(BINDINGS),
} as unknown as Bindings // nothing else is asked of them

describe('the contacts that a call may go to', () => {
  const contacts = new RegisteredContacts(domains, bindings)
  const hosts = async (address: string) =>
    (await contacts.find(ACCOUNT, address))?.map(
      ({ contactUri, isMediaSecure }) =>
        `${contactUri.replace(/.*@|\.example/g, '')}${isMediaSecure ? ' srtp' : ''}`,
    )

  it.each([
    ['sip:alice@open.example', ['udp', 'tls']],
    ['sips:alice@open.example', ['tls']],
    ['sip:alice@secure.example', ['secure srtp']],
    ['client:alice', ['udp', 'tls', 'secure srtp']],
  ])('behind %s are those that are safe enough', async (address, expected) => {
    expect(await hosts(address)).toEqual(expected)
  })

  it.each([
    ['udp', 'sip:192.0.2.7:40001;transport=udp'],
    ['tls', 'sip:192.0.2.7:40001;transport=tls;ob'],
  ])('are reached over %s on the way of their REGISTER', (transport, expected) => {
    expect(nextHopOf(bound(OPEN, transport, 'sip:x@y'))).toBe(expected)
  })
})
