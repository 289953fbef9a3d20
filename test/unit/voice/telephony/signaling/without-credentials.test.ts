import { describe, expect, it } from 'vitest'
import { maskText } from '../../../../../src/platform/mask-secrets.js'
import { withoutCredentials } from '../../../../../src/voice/telephony/signaling/without-credentials.js'

const message = (headers: readonly string[], body = '') =>
  ['INVITE sip:bob@example.com SIP/2.0', ...headers, '', body].join('\r\n')

describe('a message without its credentials', () => {
  it.each([
    [
      'Authorization: Digest username="ann", realm="acme", nonce="n1", uri="sip:x", response="c0ffee"',
      'Authorization: Digest realm="acme"',
    ],
    [
      'proxy-authorization:   Digest response="c0ffee",\r\n realm="acme", username="ann"',
      'proxy-authorization: Digest realm="acme"',
    ],
    ['Authorization: Basic YW5uOnNlY3JldA==', 'Authorization: Basic'],
    ['Authentication-Info: rspauth="c0ffee", nc=00000001', 'Authentication-Info: ***'],
    ['X-Api-Key: c0ffee', 'X-Api-Key: ***'],
    [
      'To: <sip:bob:c0ffee@example.com;transport=tcp>',
      'To: <sip:bob:***@example.com;transport=tcp>',
    ],
    [
      'Via: SIP/2.0/UDP 192.0.2.1:5060;branch=z9hG4bK1',
      'Via: SIP/2.0/UDP 192.0.2.1:5060;branch=z9hG4bK1',
    ],
    ['Contact: <sip:192.0.2.1:5060>', 'Contact: <sip:192.0.2.1:5060>'],
    [
      'WWW-Authenticate: Digest realm="acme", nonce="n1", qop="auth"',
      'WWW-Authenticate: Digest realm="acme", nonce="n1", qop="auth"',
    ],
  ])('%s', (header, expected) => {
    const clean = withoutCredentials(message([header, 'Max-Forwards: 70']))
    expect(clean).toBe(message([expected, 'Max-Forwards: 70']))
  })

  it('has no keys of its media', () => {
    const body = [
      'v=0',
      'k=clear:c0ffee',
      'a=ice-pwd:c0ffee',
      'a=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:c0ffee|2^20',
      'a=sendrecv',
    ]
    const clean = withoutCredentials(message(['Content-Type: application/sdp'], body.join('\r\n')))
    expect(clean.split('\r\n').slice(3)).toEqual([
      'v=0',
      'k=***',
      'a=ice-pwd:***',
      'a=crypto:1 AES_CM_128_HMAC_SHA1_80 ***',
      'a=sendrecv',
    ])
  })

  it('passes the event log as it is', () => {
    const clean = withoutCredentials(
      message(['Authorization: Digest realm="acme", response="c0ffee"', 'Max-Forwards: 70']),
    )
    expect(maskText(clean)).toBe(clean)
  })
})
