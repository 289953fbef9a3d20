import { createRequire } from 'node:module'
import type { SrfRequest, SrfResponse } from 'drachtio-srf'
import { describe, expect, it } from 'vitest'
import { CODECS } from '../../../../../src/voice/telephony/codecs.js'
import { incomingInvite } from '../../../../../src/voice/telephony/signaling/incoming-invite.js'
import { SignalingConnection } from '../../../../../src/voice/telephony/signaling/signaling-connection.js'

const load = createRequire(import.meta.url)
// The package's own classes, which it does not export: what the adapter reads is what they read.
const SipMessage = load('drachtio-srf/lib/sip-parser/message') as new (text: string) => object
const Request = load('drachtio-srf/lib/request') as new (message: object, meta: object) => object

interface Parts {
  readonly from?: string
  readonly callId?: string
  readonly uri?: string
  readonly headers?: readonly string[]
}

/** An INVITE as a real server would hand it on, however long its parts are. */
function invited({ from, callId, uri, headers = ['Contact: <sip:a@192.0.2.9>'] }: Parts) {
  const text = [
    `INVITE ${uri ?? 'sip:15551112222@192.0.2.1'} SIP/2.0`,
    'Via: SIP/2.0/UDP 192.0.2.9;branch=z9hG4bK1',
    `From: ${from ?? '"Ann" <sip:15553334444@192.0.2.9>;tag=1'}`,
    'To: <sip:15551112222@192.0.2.1>',
    `Call-ID: ${callId ?? 'c1'}`,
    'CSeq: 1 INVITE',
    ...headers,
    'Content-Length: 0',
    '',
    '',
  ].join('\r\n')
  const meta = { address: '192.0.2.9', port: 5060, protocol: 'udp' }
  const req = new Request(new SipMessage(text), meta) as SrfRequest
  const taken = () => {
    throw new Error('nothing is taken here')
  }
  const deps = { signaling: SignalingConnection.none(), media: { codecs: CODECS } }
  return { req, invite: incomingInvite(req, {} as SrfResponse, taken, deps) }
}

describe('an INVITE whose parts are longer than anything needs', () => {
  it('has its display name cut: 20 KB of it would reach every webhook', () => {
    const { invite } = invited({ from: `"${'n'.repeat(1_900)}" <sip:1@b>;tag=1` })
    expect(invite?.from.displayName).toBe('n'.repeat(256))
  })

  it('does not tear a character apart', () => {
    const { invite } = invited({ from: `"${'n'.repeat(255)}😀😀" <sip:1@b>;tag=1` })
    expect(invite?.from.displayName).toBe('n'.repeat(255))
  })

  it.each<[string, Parts]>([
    ['From of 20 KB', { from: `"${'n'.repeat(20_000)}" <sip:1@b>;tag=1` }],
    ['Request-URI', { uri: `sip:${'1'.repeat(2_000)}@b` }],
    ['Call-ID', { callId: 'c'.repeat(2_000) }],
    ['Contact', { headers: [`Contact: <sip:${'a'.repeat(3_000)}@b>`] }],
  ])('cannot be answered with a %s', (_what, parts) => {
    expect(invited(parts).invite).toBeUndefined()
  })

  it('shows neither long headers nor more than 64 of them', () => {
    const headers = Array.from({ length: 200 }, (_, index) => `X-${String(index)}: v`)
    const { invite } = invited({
      headers: [
        'Contact: <sip:a@b>',
        `X-Long: ${'v'.repeat(5_000)}`,
        `User-Agent: ${'u'.repeat(20_000)}`,
        ...headers,
      ],
    })
    expect(invite?.headers).toHaveLength(64)
    expect(invite?.headers.map(({ name }) => name)).not.toContain('X-Long')
    expect(invite?.userAgent).toHaveLength(256)
  })

  it('takes names as long as RFC 4475 §3.1.1.7 has them', () => {
    const from = `sip:${'amazinglylongcallername'.repeat(5)}@example.net;tag=${'12982'.repeat(50)};${'unknownheaderparamname'.repeat(5)}=${'unknowheaderparamvalue'.repeat(3)}`
    expect(invited({ from }).invite?.from.uri).toContain('amazinglylongcallername')
  })
})

describe('an INVITE without Contact (RFC 4475 §3.4.1)', () => {
  it('gets its From as one, so that a dialog can be made of it', () => {
    const { req, invite } = invited({
      from: '<sip:+15005550100@old.lab.example;user=phone>',
      headers: [],
    })
    expect(invite?.from.user).toBe('+15005550100')
    expect(req.get('Contact')).toBe('<sip:+15005550100@old.lab.example;user=phone>')
  })
})
