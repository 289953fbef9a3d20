import { EventEmitter } from 'node:events'
import type { SrfRequest, SrfResponse } from 'drachtio-srf'
import { describe, expect, it } from 'vitest'
import { outsideRequest } from '../../../../../src/voice/telephony/signaling/outside-request.js'
import { SignalingConnection } from '../../../../../src/voice/telephony/signaling/signaling-connection.js'

/** What the package hands over, as far as it is read here. */
function received(method: string, headers: Readonly<Record<string, string>> = {}) {
  const all: Record<string, string> = { From: '<sip:a@b>;tag=1', To: '<sip:c@d>', ...headers }
  const sent: [number, Record<string, string>][] = []
  const source = { source_address: '192.0.2.9', source_port: 5060, protocol: 'udp' }
  const req = Object.assign(new EventEmitter(), {
    method,
    uri: 'sip:c@d',
    ...source,
    get: (name: string) => all[name],
  })
  const res = {
    send: (status: number, ...rest: unknown[]) => {
      const options = rest.find((part) => typeof part === 'object') as
        | { headers?: Record<string, string> }
        | undefined
      sent.push([status, options?.headers ?? {}])
    },
  }
  // The package's classes need a live connection; these have what is used.
  const request = outsideRequest(
    req as unknown as SrfRequest,
    res as unknown as SrfResponse,
    SignalingConnection.none(),
  )
  return { request, sent }
}

describe('a request outside a dialog is answered', () => {
  it('OPTIONS: 200 with what we can do (RFC 3261 §11.2)', () => {
    const { request, sent } = received('OPTIONS')
    request?.answer()
    expect(sent).toEqual([
      [
        200,
        {
          Allow: expect.stringContaining('INVITE') as string,
          Accept: 'application/sdp',
          Supported: '100rel, timer',
        },
      ],
    ])
  })

  it('OPTIONS that requires what calls do not have: 420 (RFC 3261 §8.2.2.3)', () => {
    const { request, sent } = received('OPTIONS', { Require: 'Timer, replaces,siprec' })
    request?.answer()
    expect(sent).toEqual([[420, { Unsupported: 'replaces, siprec' }]])
  })

  it.each([
    'REGISTER',
    'MESSAGE',
    'SUBSCRIBE',
    'PUBLISH',
    'REFER',
  ])('%s: 405 with the methods that are allowed (RFC 3261 §8.2.1)', (method) => {
    const { request, sent } = received(method)
    request?.answer()
    expect(sent).toEqual([[405, { Allow: expect.stringContaining('BYE') as string }]])
  })

  it.each(['INFO', 'NOTIFY'])('%s: 481, since it is of no dialog', (method) => {
    const { request, sent } = received(method)
    request?.answer()
    expect(sent).toEqual([[481, {}]])
  })

  it.each([
    'OPTIONS',
    'INFO',
    'REFER',
  ])('%s with a To tag: 481 whoever sends it, since nobody here knows the dialog', (method) => {
    const { request, sent } = received(method, { To: '"x" <sip:c@d>;tag=gone' })
    expect(request).toBeUndefined()
    expect(sent).toEqual([[481, {}]])
  })

  it('shows what its sender calls itself, cut where it is too long', () => {
    const { request } = received('OPTIONS', {
      'User-Agent': 'u'.repeat(20_000),
      From: `"${'n'.repeat(20_000)}" <sip:a@b>;tag=1`,
    })
    expect(request?.userAgent).toHaveLength(256)
    expect(request?.parties[0]).toHaveLength(2_048)
  })
})
