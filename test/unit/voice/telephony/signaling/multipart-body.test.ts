import { describe, expect, it } from 'vitest'
import { checkDial } from '../../../../../src/voice/telephony/signaling/dial-headers.js'
import { inviteBody } from '../../../../../src/voice/telephony/signaling/multipart-body.js'

const SDP = 'v=0\r\no=- 1 1 IN IP4 192.0.2.1\r\n'
const PART = {
  contentType: 'application/pidf+xml',
  contentId: 'CA1@location.invalid',
  content: '<x/>',
}
const DIAL = { uri: 'sip:911@192.0.2.1', from: { user: '+12125550143' }, timeoutMs: 1_000 }

describe('the body of an INVITE', () => {
  it('is the SDP alone where nothing else is said', () => {
    expect(inviteBody(SDP, [], 'b')).toEqual({ content: SDP, headers: {} })
  })

  it('has each part between boundaries (RFC 2046 §5.1.1)', () => {
    const { content, headers } = inviteBody(SDP, [PART], 'b1')
    expect(headers).toEqual({
      'MIME-Version': '1.0',
      'Content-Type': 'multipart/mixed;boundary="b1"',
    })
    expect(content).toBe(
      '--b1\r\nContent-Type: application/sdp\r\n\r\n' +
        `${SDP}\r\n` +
        '--b1\r\nContent-Type: application/pidf+xml\r\nContent-ID: <CA1@location.invalid>\r\n\r\n' +
        '<x/>\r\n--b1--\r\n',
    )
  })

  it.each([
    { ...PART, contentId: 'CA1' },
    { ...PART, contentId: 'a@b>\r\nX: y' },
    { ...PART, contentType: 'application/pidf+xml\r\nX: y' },
    { ...PART, contentType: 'xml' },
  ])('has no part like %j', (part) => {
    expect(() => checkDial({ ...DIAL, parts: [part] })).toThrow(/part of a body/)
  })
})

describe('the To header', () => {
  it('may name the service of emergency calls, and no other URN', () => {
    expect(checkDial({ ...DIAL, to: 'urn:service:sos' }).headers['To']).toBe('<urn:service:sos>')
    expect(() => checkDial({ ...DIAL, to: 'urn:service:sos>;x=' })).toThrow()
  })
})
