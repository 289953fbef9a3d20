import { describe, expect, it } from 'vitest'
import type { Codec } from '../../src/voice/telephony/codecs.js'
import { LegEndedError } from '../../src/voice/telephony/port.js'
import type { TelephonyRig } from '../support/media/telephony-rig.js'
import { whilePlaying } from '../support/media/while-playing.js'
import type { SipPeer } from '../support/sip/sip-peer.js'
import { headerOf } from '../support/sip/sip-peer-message.js'
import { waitUntil } from '../support/time/wait-until.js'

const EVENTS = 'a=rtpmap:101 telephone-event/8000'
const OPUS = ['a=rtpmap:111 opus/48000/2', 'a=rtpmap:110 telephone-event/48000']

/** A peer's description with these payload types and attributes in place of its own. */
const offer = (peer: SipPeer, payloads: string, ...attributes: readonly string[]) =>
  peer
    .sdp()
    .replace(/(m=audio \d+ RTP\/AVP )[^]*$/, `$1${payloads}\r\n${attributes.join('\r\n')}\r\n`)

const formats = (sdp: string) => /^m=audio \d+ RTP\/AVP (.*?)\r?$/m.exec(sdp)?.[1]
const ptime = (sdp: string) => /^a=ptime:(\d+)/m.exec(sdp)?.[1]

export function describeCodecs(rig: () => TelephonyRig): void {
  const hasOpus = () => rig().servers.speaksOpus === true
  const called = (payloads: string, ...attributes: readonly string[]) =>
    rig().invited((peer, port) => peer.call(port, { sdp: offer(peer, payloads, ...attributes) }))

  describe('codecs', () => {
    it('takes a caller with nothing but G.722, and sends it G.722', async () => {
      const { peer, call, invite } = await called('9 101', EVENTS)
      expect(invite.audio).toBe('plain')
      const { leg } = rig().accept(invite)
      await leg.answer()
      expect(formats((await call.response(200)).body)).toBe('9 101')
      await whilePlaying(leg, () => waitUntil('its audio', () => audioTypes(peer).includes(9)))
      await leg.hangup()
    })

    it('takes or refuses a caller with nothing but Opus, and says why', async () => {
      const { peer, call, invite } = await called('111 110', ...OPUS)
      expect(invite.audio).toBe(hasOpus() ? 'plain' : 'no-common-codec')
      const { leg, events } = rig().accept(invite)
      const answered = leg.answer()
      if (!hasOpus()) {
        await expect(answered).rejects.toThrow(LegEndedError)
        const refusal = await call.response(488)
        expect(headerOf(refusal, 'warning')).toMatch(/^305 \S+ "no codec/)
        expect(events.ends).toMatchObject([{ cause: 'rejected', sipStatus: 488 }])
        return
      }
      await answered
      const { body } = await call.response(200)
      expect(formats(body)).toBe('111 110')
      expect(body).toContain('a=rtpmap:111 opus/48000/2')
      await whilePlaying(leg, () => waitUntil('its audio', () => audioTypes(peer).includes(111)))
      await leg.hangup()
    })

    it.each<[string, readonly Codec[] | undefined, string]>([
      ['G.711 of all that is offered', undefined, '8 101'],
      ['the first that is offered, where that is wished', ['G722', 'PCMU'], '9 101'],
    ])('answers %s', async (_title, wish, expected) => {
      const { call, invite } = await called('9 111 8 101', OPUS[0] ?? '', EVENTS)
      const { leg } = rig().accept(invite, wish)
      await leg.answer()
      expect(formats((await call.response(200)).body)).toBe(expected)
      await leg.hangup()
    })

    it('offers G.711 first, then what else the media server has', async () => {
      const { leg, call } = await rig().dialed()
      const types = formats(call.invite.body)?.split(' ') ?? []
      expect(types.slice(0, 3)).toEqual(['0', '8', '9'])
      expect(/opus\/48000\/2/i.test(call.invite.body)).toBe(hasOpus())
      await leg.hangup()
    })

    it('offers what is wished, in that order, and speaks what is answered', async () => {
      const peer = await rig().peer()
      const { leg, events } = rig().dial(peer, { codecs: ['G722', 'PCMA'] })
      const call = await peer.nextCall()
      expect(formats(call.invite.body)).toBe('9 8 101')
      await call.answer(offer(peer, '9 101', EVENTS))
      await events.answered()
      await whilePlaying(leg, () => waitUntil('its audio', () => audioTypes(peer).includes(9)))
      await leg.hangup()
    })

    it.each([
      ['10', 10],
      ['30', 30],
      ['60', 60],
      ['20\r\na=maxptime:10', 10],
      ['40\r\na=maxptime:30', 30],
    ])('sends packets as long as a=ptime:%j wishes', async (wish, ms) => {
      const { peer, call, invite } = await called('0 101', EVENTS, `a=ptime:${wish}`)
      // FreeSWITCH goes over to the length of the packets that it receives.
      peer.rtp.mute()
      const { leg } = rig().accept(invite)
      await leg.answer()
      expect(ptime((await call.response(200)).body)).toBe(String(ms))
      const audio = () => peer.rtp.packets.filter(({ payloadType }) => payloadType === 0)
      await whilePlaying(leg, async () => {
        await waitUntil('the tone', () => peer.rtp.hears(440))
        peer.rtp.forget()
        await waitUntil('ten packets', () => audio().length >= 10)
      })
      const sent = audio().slice(0, 10)
      expect(sent.map(({ payload }) => payload.length)).toEqual(sent.map(() => 8 * ms))
      // A busy server leaves a packet out; the clock goes on by whole ones.
      const steps = sent.map(({ timestamp }) => (timestamp - (sent[0]?.timestamp ?? 0)) | 0)
      expect(steps.filter((step, index) => step % (8 * ms) !== 0 || step < 8 * ms * index)).toEqual(
        [],
      )
      await leg.hangup()
    })
  })
}

function audioTypes(peer: SipPeer): readonly number[] {
  return peer.rtp.packets.map(({ payloadType }) => payloadType)
}
