import { describe, expect, it } from 'vitest'
import type { TelephonyRig } from '../support/media/telephony-rig.js'
import { headerOf } from '../support/sip/sip-peer-message.js'
import { waitUntil } from '../support/time/wait-until.js'

export function describeOutbound(rig: () => TelephonyRig): void {
  describe('dialling', () => {
    it('rings, is answered, and ends when the other side hangs up', async () => {
      const peer = await rig().peer()
      const { leg, events } = rig().dial(peer)
      expect(leg).toMatchObject({ direction: 'outbound', state: 'setup' })
      const call = await peer.nextCall()
      call.ring()
      await waitUntil('it rings', () => events.progress.length > 0)
      expect(events.progress).toEqual([{ status: 180, hasEarlyMedia: false }])
      expect(leg.state).toBe('ringing')
      await call.answer()
      await events.answered()
      expect(leg.state).toBe('answered')
      expect(events.channels).toMatchObject([{ server: expect.stringMatching(/:\d+$/) as unknown }])
      expect(events.channels[0]?.channel).toMatch(/^[0-9a-f-]{36}$/)
      call.bye()
      expect(await events.ended()).toMatchObject({ cause: 'remote-hangup', sipStatus: 200 })
      expect(leg.state).toBe('ended')
      await call.response(200, 'BYE')
    })

    it('says who calls whom, and what else it was told', async () => {
      const peer = await rig().peer()
      const { leg } = rig().dial(peer, {
        uri: peer.uri('+15550002222'),
        from: { user: '+15550001111', displayName: 'Ann "A" Ray' },
        to: 'sip:+15550003333@example.com',
        headers: { 'X-Account': 'AC1', 'User-to-User': '00ff;encoding=hex' },
      })
      const { invite } = await peer.nextCall()
      expect(invite.startLine).toContain('sip:+15550002222@')
      expect(headerOf(invite, 'from')).toMatch(/^"Ann \\"A\\" Ray" ?<sip:\+15550001111@/)
      expect(headerOf(invite, 'to')).toContain('sip:+15550003333@example.com')
      expect(headerOf(invite, 'x-account')).toBe('AC1')
      expect(headerOf(invite, 'user-to-user')).toBe('00ff;encoding=hex')
      expect(headerOf(invite, 'call-id')).toBe(leg.sipCallId)
      await leg.hangup()
    })

    it.each([
      ['a refusal', 486],
      ['an answer', 200],
    ])('keeps what %s says to an application', async (_title, status) => {
      const peer = await rig().peer()
      const { leg, events } = rig().dial(peer)
      const call = await peer.nextCall()
      const sdp = status === 200 ? peer.sdp() : ''
      call.respond(status, 'Said', { sdp, headers: [['X-Agent', 'seven']] })
      await (status === 200 ? events.answered() : events.ended())
      const { remoteHeaders } = leg
      expect(remoteHeaders).toContainEqual({ name: 'X-Agent', value: 'seven' })
      expect(remoteHeaders.map(({ name }) => name.toLowerCase())).not.toContain('contact')
      await leg.hangup()
    })

    it('offers one plain line, G.711 first, with digits', async () => {
      const peer = await rig().peer()
      const { leg } = rig().dial(peer)
      const { invite } = await peer.nextCall()
      expect(invite.body.match(/^m=.*$/gm)).toEqual([
        expect.stringMatching(/^m=audio \d+ RTP\/AVP 0 8 9 [\d ]+$/),
      ])
      expect(invite.body).toContain('telephone-event/8000')
      await leg.hangup()
    })

    it('goes by the next hop when there is one', async () => {
      const peer = await rig().peer()
      const { leg } = rig().dial(peer, { uri: 'sip:bob@192.0.2.1', proxy: peer.uri() })
      const { invite } = await peer.nextCall()
      expect(invite.startLine).toBe('INVITE sip:bob@192.0.2.1 SIP/2.0')
      await leg.hangup()
    })

    it.each([
      [486, 'Busy Here'],
      [603, 'Decline'],
      [404, 'Not Found'],
      [302, 'Moved Temporarily'],
    ])('is refused with %d', async (status, reason) => {
      const peer = await rig().peer()
      const { events } = rig().dial(peer)
      const call = await peer.nextCall()
      call.ring()
      call.respond(status, reason)
      expect(await events.ended()).toEqual({ cause: 'rejected', sipStatus: status, reason })
      await call.request('ACK')
    })

    it('says that nobody is there', async () => {
      const peer = await rig().peer()
      const gone = await rig().peer()
      const uri = gone.uri()
      gone.close()
      const { events } = rig().dial(peer, { uri })
      expect(await events.ended()).toMatchObject({ cause: 'unreachable' })
    })

    it('gives up when nobody answers in time', async () => {
      const peer = await rig().peer()
      const { events } = rig().dial(peer, { timeoutMs: 300 })
      const call = await peer.nextCall()
      call.ring()
      await call.request('CANCEL')
      expect(await events.ended()).toMatchObject({ cause: 'no-answer', sipStatus: 487 })
    })

    it('hears and is heard before the answer', async () => {
      const peer = await rig().peer()
      const { leg, events } = rig().dial(peer)
      const call = await peer.nextCall()
      call.respond(183, 'Session Progress', { sdp: peer.sdp() })
      await waitUntil('there is early audio', () => events.progress.length > 0)
      expect(events.progress).toEqual([{ status: 183, hasEarlyMedia: true }])
      await peer.rtp.sendDigit('7')
      await waitUntil('a digit is heard', () => events.pressed === '7')
      await call.answer(peer.sdp({ version: 2 }))
      await events.answered()
      await leg.hangup()
    })

    it('stays with the one of several phones that answers', async () => {
      const peer = await rig().peer()
      const { leg, events } = rig().dial(peer)
      const call = await peer.nextCall()
      call.respond(180, 'Ringing', { tag: 'one' })
      call.respond(183, 'Session Progress', { tag: 'two', sdp: peer.sdp() })
      call.respond(180, 'Ringing', { tag: 'three' })
      await waitUntil('all are reported', () => events.progress.length === 3)
      call.respond(200, 'OK', { tag: 'two', sdp: peer.sdp() })
      await call.request('ACK')
      await events.answered()
      await leg.hangup()
      await call.request('BYE')
    })

    it('ends a call that is answered without usable audio', async () => {
      const peer = await rig().peer()
      const { events } = rig().dial(peer)
      const call = await peer.nextCall()
      call.respond(200, 'OK', {
        sdp: peer
          .sdp()
          .replace(/m=audio[^]*$/, 'm=audio 9 RTP/AVP 18\r\na=rtpmap:18 G729/8000\r\n'),
      })
      await call.request('BYE')
      expect((await events.ended()).cause).toBe('media-lost')
      expect(events.answers).toBe(0)
    })

    it('ends a call whose 200 has no Contact by a BYE to the Request-URI (RFC 3261 §13.3.1.4)', async () => {
      const peer = await rig().peer()
      const { events } = rig().dial(peer)
      const call = await peer.nextCall()
      call.respond(200, 'OK', { sdp: peer.sdp(), without: 'Contact' })
      const [, target] = call.invite.startLine.split(' ')
      expect((await call.request('BYE')).startLine).toBe(`BYE ${target ?? ''} SIP/2.0`)
      expect((await events.ended()).cause).toBe('unreachable')
      expect(events.answers).toBe(0)
    })
  })

  describe('hanging up before the answer', () => {
    it('right away sends nothing, or takes it back', async () => {
      const peer = await rig().peer()
      const { leg, events } = rig().dial(peer)
      await leg.hangup()
      expect(events.ends).toEqual([{ cause: 'canceled', sipStatus: 487 }])
      expect(peer.calls).toEqual([])
    })

    it('before anything came back', async () => {
      const peer = await rig().peer()
      const { leg, events } = rig().dial(peer)
      const call = await peer.nextCall()
      const over = leg.hangup()
      // RFC 3261 §9.1: only now may the CANCEL leave.
      call.respond(100, 'Trying')
      await call.request('CANCEL')
      await over
      expect(events.ends).toEqual([{ cause: 'canceled', sipStatus: 487 }])
    })

    it('while it rings', async () => {
      const peer = await rig().peer()
      const { leg, events } = rig().dial(peer)
      const call = await peer.nextCall()
      call.ring()
      await waitUntil('it rings', () => events.progress.length > 0)
      await leg.hangup()
      expect(events.ends).toEqual([{ cause: 'canceled', sipStatus: 487 }])
      await call.request('CANCEL')
      await call.request('ACK')
    })

    it('when the answer crosses it [A7]', async () => {
      const peer = await rig().peer()
      const { leg, events } = rig().dial(peer)
      const call = await peer.nextCall()
      call.isPolite = false
      call.ring()
      await waitUntil('it rings', () => events.progress.length > 0)
      const over = leg.hangup()
      const cancel = await call.request('CANCEL')
      call.respond(200, 'OK', { to: cancel })
      call.respond(200, 'OK', { sdp: peer.sdp() })
      await call.request('ACK')
      const bye = await call.request('BYE')
      call.respond(200, 'OK', { to: bye })
      await over
      expect(events.ends).toEqual([{ cause: 'canceled', sipStatus: 487 }])
      expect(events.answers).toBe(0)
    })

    it('when the other side never says another word, and then answers after all', async () => {
      const peer = await rig().peer()
      const { leg, events } = rig().dial(peer)
      const call = await peer.nextCall()
      call.isPolite = false
      call.ring()
      await waitUntil('it rings', () => events.progress.length > 0)
      await leg.hangup()
      expect(events.ends).toEqual([{ cause: 'canceled', sipStatus: 487 }])
      call.respond(200, 'OK', { sdp: peer.sdp() })
      await call.request('ACK')
      const bye = await call.request('BYE')
      call.respond(200, 'OK', { to: bye })
      expect(events.ends).toHaveLength(1)
    })
  })

  describe('hanging up after the answer', () => {
    it('says BYE, once however often it is asked', async () => {
      const { leg, events, call } = await rig().dialed()
      await Promise.all([leg.hangup(), leg.hangup()])
      await leg.hangup()
      await call.request('BYE')
      expect(events.ends).toEqual([{ cause: 'local-hangup', sipStatus: 200 }])
      expect(call.requests('BYE')).toHaveLength(1)
    })

    it('when both do it at once [A9]', async () => {
      const { leg, events, call } = await rig().dialed()
      call.bye()
      await leg.hangup()
      await call.response(200, 'BYE')
      expect(events.ends).toHaveLength(1)
    })

    it('does not wait for ever for an answer to its BYE', async () => {
      const { leg, events, call } = await rig().dialed()
      call.isPolite = false
      await leg.hangup()
      expect(events.ends).toEqual([{ cause: 'local-hangup', sipStatus: 200 }])
    })
  })
}
