import { describe, expect, it } from 'vitest'
import {
  type CertificateNames,
  isFor,
} from '../../../../../src/lab/sip/transport/certificate-identity.js'

const san = (subjectaltname: string, CN = 'sip.example'): CertificateNames => ({
  subjectaltname,
  subject: { CN },
})

describe('the name of a certificate (RFC 5922 §7)', () => {
  it.each<[string, string, CertificateNames, boolean]>([
    ['is a DNS name', 'sip.example', san('DNS:sip.example'), true],
    [
      'is a DNS name among others, in any case',
      'SIP.example',
      san('DNS:a.b, DNS:Sip.Example'),
      true,
    ],
    ['is a SIP URI without a user', 'example.com', san('URI:sip:example.com'), true],
    ['is not a SIP URI with a user', 'example.com', san('URI:sip:bob@example.com'), false],
    ['is not a URI of another scheme', 'example.com', san('URI:https:example.com'), false],
    ['is not a wildcard for a top-level domain', 'sip.example', san('DNS:*.example'), false],
    ['is a wildcard for one label', 'SIP.acme.example', san('DNS:*.Acme.example'), true],
    ['is not the domain of a wildcard', 'acme.example', san('DNS:*.acme.example'), false],
    ['is not two labels for a wildcard', 'a.b.acme.example', san('DNS:*.acme.example'), false],
    ['is not part of a label', 'sip1.acme.example', san('DNS:sip*.acme.example'), false],
    ['is not a wildcard further on', 'sip.a.acme.example', san('DNS:sip.*.acme.example'), false],
    ['is no wildcard of a URI', 'sip.acme.example', san('URI:sip:*.acme.example'), false],
    ['is not a domain above', 'sip.example', san('DNS:example'), false],
    ['is not a name below', 'example', san('DNS:sip.example'), false],
    ['is no common name beside others', 'sip.example', san('DNS:other.example'), false],
    ['is an address', '192.0.2.1', san('IP Address:192.0.2.1'), true],
    ['is no other address', '192.0.2.1', san('IP Address:192.0.2.10'), false],
    ['is no DNS name for an address', '192.0.2.1', san('DNS:192.0.2.1'), false],
    [
      'is an IPv6 address in any spelling',
      '2001:db8::1',
      san('IP Address:2001:DB8:0:0:0:0:0:1'),
      true,
    ],
    // As Node writes a name with a comma in it (CVE-2021-44532).
    ['is not part of another name', 'sip.example', san('DNS:"a, DNS:sip.example"'), false],
    ['is not part of a quoted name', 'sip.example', san('DNS:"x\\", DNS:sip.example"'), false],
  ])('%s', (_title, wanted, names, isRight) => {
    expect(isFor(wanted, names)).toBe(isRight)
  })

  it('is the common name where there is no subjectAltName', () => {
    expect(isFor('sip.example', { subject: { CN: 'sip.example' } })).toBe(true)
    expect(isFor('sip.example', { subject: { CN: ['x', 'other.example'] } })).toBe(false)
    expect(isFor('sip.example', {})).toBe(false)
  })
})
