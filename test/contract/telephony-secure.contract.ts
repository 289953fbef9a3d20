import { describe, expect, it } from 'vitest'
import type { Leg } from '../../src/voice/telephony/port.js'
import { LegRecorder } from '../support/media/leg-recorder.js'
import type { TelephonyRig } from '../support/media/telephony-rig.js'
import type { SipPeer } from '../support/sip/sip-peer.js'
import { headerOf } from '../support/sip/sip-peer-message.js'
import { waitUntil } from '../support/time/wait-until.js'

/** Keys of the examples in RFC 4568. */
const KEY = 'PS1uQCVeeCFCanVmcjkpPywjNWhcYD0mXXtxaVBR'
const OTHER_KEY = 'd0RmdmcmVCspeEc3QGZiNWpVLFJhQX1cfHAwJSoj'
/** A master key of 32 bytes and a salt of 14, as AES-256 has them (RFC 6188 §4). */
const LONG_KEY = `${KEY.slice(0, 22)}${OTHER_KEY.slice(1)}g==`
const CRYPTO = /^a=crypto:(\d+) (\S+) inline:(\S{40,64})$/m

async function expectBothHear(leg: Leg, peer: SipPeer): Promise<void> {
  const stop = new AbortController()
  const playing = leg.media.play(
    { type: 'tone', frequencies: [440], onMs: 20_000, offMs: 0, repeat: 1 },
    stop.signal,
  )
  peer.rtp.forget()
  await waitUntil('the tone is heard', () => peer.rtp.hears(440))
  stop.abort(new Error('heard'))
  await expect(playing).rejects.toThrow('heard')
  const digits: string[] = []
  const unsubscribe = leg.digits.subscribe(({ digit }) => digits.push(digit))
  await peer.rtp.sendDigits('7')
  await waitUntil('the key arrives', () => digits.join('') === '7')
  unsubscribe()
}

/** SRTP with keys in SDP (RFC 4568). */
export function describeSecure(rig: () => TelephonyRig): void {
  describe('secure audio', () => {
    it.each([
      ['AES_CM_128_HMAC_SHA1_80', KEY],
      ['AES_CM_128_HMAC_SHA1_32', KEY],
      ['AES_256_CM_HMAC_SHA1_80', LONG_KEY],
      ['AES_256_CM_HMAC_SHA1_32', LONG_KEY],
    ] as const)('of a caller is answered in kind, %s [E41]', async (suite, key) => {
      const { leg, call, peer } = await rig().received((peer, port) =>
        peer.call(port, { sdp: peer.sdp({ key, suite, tag: 3 }) }),
      )
      const { body } = await call.response(200)
      expect(body).toMatch(/^m=audio [1-9]\d* RTP\/SAVP 0 101/m)
      expect(CRYPTO.exec(body)?.slice(1, 3)).toEqual(['3', suite])
      expect(CRYPTO.exec(body)?.[3]).not.toBe(key)
      await expectBothHear(leg, peer)
      expect(peer.rtp.unreadable).toBe(0)
      await leg.hangup()
    })

    it('goes on over a hold with the same key, and over a change of keys', async () => {
      const { leg, call, peer } = await rig().received((peer, port) =>
        peer.call(port, { sdp: peer.sdp({ key: KEY }) }),
      )
      const first = CRYPTO.exec((await call.response(200)).body)?.[3]
      const answers = () => call.responses(200).filter(({ body }) => CRYPTO.exec(body) !== null)
      call.reinvite(peer.sdp({ key: KEY, direction: 'sendonly', version: 2 }))
      await waitUntil('the hold is answered', () => answers().length === 2)
      expect(CRYPTO.exec(answers()[1]?.body ?? '')?.[3]).toBe(first)
      call.reinvite(peer.sdp({ key: OTHER_KEY, version: 3 }))
      await waitUntil('the new key is answered', () => answers().length === 3)
      await expectBothHear(leg, peer)
      call.reinvite(peer.sdp({ version: 4 }))
      await call.response(488)
      await leg.hangup()
    })

    it('is offered to a caller who asks for an offer; the new key in the answer counts', async () => {
      const { leg, call, peer } = await rig().received((peer, port) =>
        peer.call(port, { sdp: peer.sdp({ key: KEY, tag: 4 }) }),
      )
      const { body } = await call.response(200)
      call.acksByItself = false
      call.reinvite(null)
      const offers = () => call.responses(200)
      await waitUntil('the offer', () => offers().length >= 2)
      const offer = offers()[1]?.body ?? ''
      expect(CRYPTO.exec(offer)?.slice(1)).toEqual(CRYPTO.exec(body)?.slice(1))
      call.ack(peer.sdp({ key: OTHER_KEY, tag: Number(CRYPTO.exec(offer)?.[1]), version: 2 }))
      peer.takeKey(offer)
      await expectBothHear(leg, peer)
      await leg.hangup()
    })

    it.each([
      'PCMU',
      'PCMA',
    ] as const)('is offered, and nothing else, to a party of %s that is to be called securely [E41]', async (codec) => {
      const peer = await rig().peer()
      const { leg, events } = rig().dial(peer, { isMediaSecure: true })
      const call = await peer.nextCall()
      expect(call.invite.body.match(/^m=.*$/gm)).toEqual([
        expect.stringMatching(/^m=audio [1-9]\d* RTP\/SAVP 0 8 101/),
      ])
      expect(call.invite.body.match(/^a=crypto/gm)).toHaveLength(1)
      const tag = Number(CRYPTO.exec(call.invite.body)?.[1])
      peer.rtp.codec = codec
      await call.answer(peer.sdp({ key: KEY, tag, codecs: [codec] }))
      await events.answered()
      await expectBothHear(leg, peer)
      expect(peer.rtp.unreadable).toBe(0)
      await leg.hangup()
    })

    // FreeSWITCH dropped the answer of every fifth party that answered within some 20 ms.
    it('is heard by each of eight parties that answer at once', async () => {
      for (let party = 0; party < 8; party++) {
        const peer = await rig().peer()
        const { leg, events } = rig().dial(peer, { isMediaSecure: true })
        const call = await peer.nextCall()
        await call.answer(peer.sdp({ key: KEY, tag: Number(CRYPTO.exec(call.invite.body)?.[1]) }))
        await events.answered()
        await expectBothHear(leg, peer)
        await leg.hangup()
      }
    })

    it('is not given up: a party that answers in the clear is hung up', async () => {
      const peer = await rig().peer()
      const { events } = rig().dial(peer, { isMediaSecure: true })
      const call = await peer.nextCall()
      call.respond(200, 'OK', { sdp: peer.sdp() })
      expect(headerOf(await call.request('BYE'), 'call-id')).toBe(call.callId)
      expect(await events.ended()).toMatchObject({ cause: 'media-lost' })
    })

    it('is optional for a caller who offers keys beside plain audio: it stays plain', async () => {
      const { leg, call, peer } = await rig().received((peer, port) =>
        peer.call(port, { sdp: peer.sdp({ key: KEY }).replace('RTP/SAVP', 'RTP/AVP') }),
      )
      const { body } = await call.response(200)
      expect(body).toMatch(/^m=audio [1-9]\d* RTP\/AVP 0/m)
      expect(body).not.toContain('crypto')
      await expectBothHear(leg, peer)
      await leg.hangup()
    })

    it('with a key that we cannot use is refused with 488', async () => {
      const { call, invite } = await rig().invited((peer, port) =>
        peer.call(port, { sdp: peer.sdp({ key: `${KEY}|2^20|1:4` }) }),
      )
      await expect(invite.accept(new LegRecorder()).answer()).rejects.toThrow()
      await call.response(488)
    })
  })
}
