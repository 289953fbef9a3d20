import { describe, expect, it } from 'vitest'
import { type Leg, LegEndedError } from '../../src/voice/telephony/port.js'
import { LegRecorder } from '../support/media/leg-recorder.js'
import type { TelephonyRig } from '../support/media/telephony-rig.js'
import { whilePlaying } from '../support/media/while-playing.js'
import type { PeerCall, SipPeer } from '../support/sip/sip-peer.js'
import { headerOf } from '../support/sip/sip-peer-message.js'
import { waitUntil } from '../support/time/wait-until.js'

export function describeInbound(rig: () => TelephonyRig): void {
  describe('being called', () => {
    it('knows who calls, whom, and from where', async () => {
      const { peer, call, invite } = await rig().invited((peer, port) =>
        peer.call(port, {
          user: '+15550004444',
          from: `"Bob \\"B\\"" <sip:+15559990000@example.com>;tag=t1`,
          headers: [
            ['User-Agent', 'test phone'],
            ['X-Two', 'second'],
            ['User-to-User', '00ff;encoding=hex'],
          ],
        }),
      )
      expect(invite).toMatchObject({
        callId: call.callId,
        requestUri: { user: '+15550004444', host: '127.0.0.1' },
        from: { user: '+15559990000', host: 'example.com', displayName: 'Bob "B"' },
        to: { user: '+15550004444' },
        source: { address: '127.0.0.1', port: peer.port, transport: 'udp' },
        userAgent: 'test phone',
      })
      const values = Object.fromEntries(
        invite.headers.map(({ name, value }) => [name.toLowerCase(), value]),
      )
      expect(values).toMatchObject({ 'x-two': 'second', 'user-to-user': '00ff;encoding=hex' })
      expect(Object.keys(values)).not.toContain('via')
      invite.reject(404)
      await call.response(404)
    })

    it.each([
      ['sip:%2B15550004444@127.0.0.1', '<sip:%2b15559990000@Example.COM;user=phone>;tag=t1'],
      ['SIP:+15550004444@127.0.0.1;user=phone', '<SIP:+15559990000@example.com>;tag=t1'],
      ['TEL:+15550004444', '<TEL:+15559990000>;tag=t1'],
      ['tel:0004444;phone-context=+1555', '<tel:9990000;phone-context=+1555>;tag=t1'],
    ])('reads %s as what it is equivalent to (RFC 3261 §19.1.4)', async (uri, from) => {
      const { call, invite } = await rig().invited((peer, port) => peer.call(port, { uri, from }))
      expect(invite).toMatchObject({
        requestUri: { user: '+15550004444' },
        from: { user: '+15559990000' },
        to: { user: '+15550004444' },
      })
      expect(['', 'example.com']).toContain(invite.from.host)
      invite.reject(404)
      await call.response(404)
    })

    it('rings, answers, and ends when the caller hangs up', async () => {
      const { call, invite } = await rig().invited()
      const events = new LegRecorder()
      const leg = invite.accept(events)
      expect(leg).toMatchObject({ direction: 'inbound', state: 'setup', sipCallId: call.callId })
      await leg.ring()
      await call.response(180)
      expect(leg.state).toBe('ringing')
      await leg.answer()
      await call.response(200)
      expect(leg.state).toBe('answered')
      expect(events.answers).toBe(1)
      call.bye()
      expect(await events.ended()).toMatchObject({ cause: 'remote-hangup', sipStatus: 200 })
      await call.response(200, 'BYE')
      await expect(leg.answer()).resolves.toBeUndefined()
      await expect(leg.media.setVariable('a', 'b')).rejects.toThrow(LegEndedError)
    })

    it('says what it can in its answer, and in an INVITE of ours (RFC 3261 §13.2.1, §13.3.1.4)', async () => {
      const { leg, call } = await rig().received()
      const dialled = await rig().dialed()
      for (const message of [await call.response(200), dialled.call.invite]) {
        expect(headerOf(message, 'allow')).toContain('UPDATE')
        expect(headerOf(message, 'supported')).toContain('timer')
      }
      await Promise.all([leg.hangup(), dialled.leg.hangup()])
    })

    it('is heard before the answer when it rings with audio', async () => {
      const { peer, call, invite } = await rig().invited()
      const leg = invite.accept(new LegRecorder())
      await leg.ring({ withMedia: true })
      const { body } = await call.response(183)
      expect(body).toMatch(/^m=audio \d+ RTP\/AVP/m)
      await hearsTone(leg, peer)
      await leg.answer()
      await leg.hangup()
      await call.request('BYE')
    })

    it('rings reliably when that is required', async () => {
      const { call, invite } = await rig().invited(requiringReliable)
      const leg = invite.accept(new LegRecorder())
      await leg.ring()
      const ringing = await call.response(180)
      expect(headerOf(ringing, 'require')).toContain('100rel')
      call.prack(ringing)
      await call.response(200, 'PRACK')
      await leg.answer()
      await leg.hangup()
    })

    it('refuses before the PRACK of a reliable ringing, and other calls go on', async () => {
      const { call, invite } = await rig().invited(requiringReliable)
      const leg = invite.accept(new LegRecorder())
      await leg.ring()
      await call.response(180)
      await leg.hangup({ status: 486 })
      await call.response(486)
      await expectServerLives()
    })

    it('answers before the PRACK of a reliable ringing, which had no description', async () => {
      const { call, invite } = await rig().invited(requiringReliable)
      const leg = invite.accept(new LegRecorder())
      await leg.ring()
      await leg.ring({ withMedia: true })
      const ringing = await call.response(180)
      await leg.answer()
      await call.response(200)
      call.prack(ringing)
      await call.response(200, 'PRACK')
      expect(call.responses(183)).toEqual([])
      expect(ringing.body).toBe('')
      await leg.hangup()
      await expectServerLives()
    })

    it('is taken back before the PRACK of a reliable ringing', async () => {
      const { call, invite } = await rig().invited(requiringReliable)
      const events = new LegRecorder()
      const leg = invite.accept(events)
      await leg.ring()
      await call.response(180)
      call.cancel()
      await call.response(487)
      expect(await events.ended()).toMatchObject({ cause: 'canceled' })
      await expectServerLives()
    })

    it('names itself in what rings (RFC 3261 §12.1.1)', async () => {
      const { call, invite } = await rig().invited()
      const leg = invite.accept(new LegRecorder())
      await leg.ring()
      const port = String(await rig().sipPort())
      expect(headerOf(await call.response(180), 'contact')).toContain(`127.0.0.1:${port}`)
      await leg.hangup()
    })

    async function expectServerLives(): Promise<void> {
      const next = await rig().received()
      await next.leg.hangup()
    }

    it('refuses what requires extensions that calls do not have (RFC 3261 §8.2.2.3)', async () => {
      const peer = await rig().peer()
      const call = peer.call(await rig().sipPort(), {
        headers: [['Require', '100rel, replaces, Tdialog']],
      })
      const response = await call.response(420)
      expect(headerOf(response, 'unsupported')).toBe('replaces, Tdialog')
      expect(rig().telephony.legCount()).toBe(0)
    })

    it('refuses with a status, a reason and headers', async () => {
      const { call, invite } = await rig().invited()
      invite.reject(480, 'Not today', { 'Retry-After': '30' })
      const response = await call.response(480)
      expect(response.startLine).toBe('SIP/2.0 480 Not today')
      expect(headerOf(response, 'retry-after')).toBe('30')
      expect(rig().telephony.legCount()).toBe(0)
    })

    it('drops without a word', async () => {
      const { call, invite } = await rig().invited()
      invite.drop()
      const next = await rig().received()
      await next.leg.hangup()
      // The server itself says that it has the request; nobody else says anything.
      expect(call.log.filter(({ status }) => status !== 100)).toEqual([])
      expect(rig().telephony.legCount()).toBe(0)
    })

    it.each([
      [undefined, 603, 'canceled'],
      [486, 486, 'rejected'],
    ] as const)('is hung up before the answer, with status %s', async (status, sipStatus, cause) => {
      const { call, invite } = await rig().invited()
      const events = new LegRecorder()
      const leg = invite.accept(events)
      await leg.ring()
      await leg.hangup(status === undefined ? {} : { status })
      await call.response(sipStatus)
      expect(events.ends).toMatchObject([{ cause, sipStatus }])
      await expect(leg.answer()).rejects.toThrow(LegEndedError)
      await expect(leg.ring()).rejects.toThrow(LegEndedError)
    })

    it('is given up before anybody took it', async () => {
      const { call, invite } = await rig().invited()
      call.cancel()
      await call.response(487)
      const events = new LegRecorder()
      const leg = invite.accept(events)
      expect(await events.ended()).toMatchObject({ cause: 'canceled', sipStatus: 487 })
      await expect(leg.answer()).rejects.toThrow(LegEndedError)
    })

    it('is given up while it rings', async () => {
      const { call, invite } = await rig().invited()
      const events = new LegRecorder()
      const leg = invite.accept(events)
      await leg.ring()
      call.cancel()
      expect(await events.ended()).toMatchObject({ cause: 'canceled', sipStatus: 487 })
      await call.response(487)
    })

    it('is given up by a BYE in its early dialog (RFC 3261 §15.1.2)', async () => {
      const { call, invite } = await rig().invited()
      const events = new LegRecorder()
      const leg = invite.accept(events)
      await leg.ring()
      await call.response(180)
      call.bye()
      await call.response(200, 'BYE')
      await call.response(487)
      expect(await events.ended()).toMatchObject({ cause: 'canceled', sipStatus: 487 })
    })

    it('is given up while it is being answered', async () => {
      const { call, invite } = await rig().invited()
      const events = new LegRecorder()
      const leg = invite.accept(events)
      const answering = leg.answer().catch((err: unknown) => err)
      call.cancel()
      await Promise.race([events.ended(), events.answered()])
      // Whichever was first: both sides agree about it.
      if (events.answers === 0) {
        await call.response(487)
        expect(await answering).toBeInstanceOf(LegEndedError)
      } else {
        await call.response(200)
        await leg.hangup()
      }
      expect(events.ends).toHaveLength(1)
    })

    it('ends a call whose answer is never acknowledged', async () => {
      const { call, invite } = await rig().invited((peer, port) =>
        peer.call(port, { isSilentAfterAnswer: true }),
      )
      const events = new LegRecorder()
      const leg = invite.accept(events)
      await expect(leg.answer()).rejects.toThrow(LegEndedError)
      await call.request('BYE')
      expect(events.ends).toMatchObject([{ cause: 'no-ack', sipStatus: 200 }])
      expect(events.answers).toBe(0)
    })

    it('says BYE only after the ACK', async () => {
      const { call, invite } = await rig().invited((peer, port) =>
        peer.call(port, { isSilentAfterAnswer: true }),
      )
      const events = new LegRecorder()
      const leg = invite.accept(events)
      const answering = leg.answer().catch((err: unknown) => err)
      await call.response(200)
      await waitUntil('the 200 has left', () => events.steps.some((s) => s.message === '200 OK'))
      const over = leg.hangup()
      expect(call.log.some((message) => message.method === 'BYE')).toBe(false)
      call.ack()
      await over
      expect(await answering).toBeInstanceOf(LegEndedError)
      expect(events.ends).toMatchObject([{ cause: 'local-hangup' }])
      await call.request('BYE')
    })

    it('offers when the caller did not', async () => {
      const { peer, call, invite } = await rig().invited((peer, port) =>
        peer.call(port, { sdp: null }),
      )
      const leg = invite.accept(new LegRecorder())
      const answering = leg.answer()
      const { body } = await call.response(200)
      expect(body.match(/^m=.*$/gm)).toEqual([expect.stringMatching(/^m=audio \d+ RTP\/AVP/)])
      call.ack(peer.sdp())
      await answering
      await hearsTone(leg, peer)
      await leg.hangup()
    })

    it.each([
      [
        'no codec of ours',
        'm=audio 4000 RTP/AVP 18\r\na=rtpmap:18 G729/8000\r\n',
        'no-common-codec',
      ],
      [
        'only encrypted audio',
        'm=audio 4000 RTP/SAVP 0\r\na=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:x\r\n',
        'unusable',
      ],
      [
        'G.711 under a dynamic number',
        'm=audio 4000 RTP/AVP 96\r\na=rtpmap:96 PCMU/8000\r\n',
        'no-common-codec',
      ],
      ['no audio', 'm=video 4000 RTP/AVP 99\r\na=rtpmap:99 H264/90000\r\n', 'unusable'],
    ])('refuses %s with 488', async (_title, lines, audio) => {
      const { call, invite } = await rig().invited((peer, port) =>
        peer.call(port, { sdp: peer.sdp().replace(/m=audio[^]*$/, lines) }),
      )
      expect(invite.audio).toBe(audio)
      const events = new LegRecorder()
      await expect(invite.accept(events).answer()).rejects.toThrow(LegEndedError)
      expect(headerOf(await call.response(488), 'warning')).toMatch(/^30[45] trunkline "no /)
      expect(events.ends).toMatchObject([{ cause: 'rejected', sipStatus: 488 }])
    })

    it('declines video and takes the audio', async () => {
      const { leg, call } = await rig().received((peer, port) =>
        peer.call(port, {
          sdp: peer.sdp({ more: ['m=video 4002 RTP/AVP 99', 'a=rtpmap:99 H264/90000'] }),
        }),
      )
      const { body } = await call.response(200)
      expect(body.match(/^m=.*$/gm)).toEqual([
        expect.stringMatching(/^m=audio [1-9]\d* RTP\/AVP 0/),
        expect.stringMatching(/^m=video 0 /),
      ])
      await leg.hangup()
    })
  })

  describe('requests inside a call', () => {
    it('are answered: OPTIONS, INFO, a reference', async () => {
      const { leg, call } = await rig().received()
      call.options()
      await call.response(200, 'OPTIONS')
      call.info('application/x-unknown', 'hello')
      await call.response(200, 'INFO')
      await leg.hangup()
    })

    it('hold and resume the audio', async () => {
      const { leg, peer, call } = await rig().received()
      call.reinvite(peer.sdp({ direction: 'sendonly', version: 2 }))
      await waitUntil('the hold is answered', () => answersOf(call).length === 2)
      expect(answersOf(call)[1]).toMatch(/a=(recvonly|inactive)/)
      call.reinvite(peer.sdp({ version: 3 }))
      await waitUntil('the resume is answered', () => answersOf(call).length === 3)
      expect(answersOf(call)[2]).not.toMatch(/a=(recvonly|inactive|sendonly)/)
      await hearsTone(leg, peer)
      await leg.hangup()
    })

    it('hold a call that we made', async () => {
      const { leg, peer, call } = await rig().dialed()
      call.reinvite(peer.sdp({ direction: 'inactive', version: 2 }))
      await waitUntil('the hold is answered', () => answersOf(call).length === 1)
      expect(answersOf(call)[0]).toContain('a=inactive')
      await leg.hangup()
    })

    it.each(['INVITE', 'UPDATE'] as const)('change the codec by %s', async (method) => {
      const { leg, peer, call } = await rig().received((peer, port) =>
        peer.call(port, { sdp: peer.sdp({ codecs: ['PCMU'] }) }),
      )
      peer.rtp.codec = 'PCMA'
      call.reinvite(peer.sdp({ codecs: ['PCMA'], version: 2 }), method)
      await waitUntil(
        'it is answered',
        () => answersOf(call, method).length > (method === 'INVITE' ? 1 : 0),
      )
      expect(answersOf(call, method).at(-1)).toMatch(/^m=audio \d+ RTP\/AVP 8/m)
      await whilePlaying(leg, () =>
        waitUntil(
          'the tone is heard as A-law',
          () => peer.rtp.hears(440) && peer.rtp.lastPayloadType === 8,
        ),
      )
      await leg.hangup()
    })

    it('with an origin that FreeSWITCH cannot read leave the call as good as before', async () => {
      const { leg, call, peer } = await rig().received()
      const bad = peer.sdp({ version: 2 }).replace(/^o=.*$/m, 'o=peer 1 2 \u00c0IN IP4 127.0.0.')
      const offers = [bad, peer.sdp({ version: 3 }), peer.sdp({ version: 4 })]
      for (const [count, sdp] of offers.entries()) {
        call.reinvite(sdp, 'INVITE')
        await waitUntil('it is answered', () => answersOf(call).length > count + 1)
      }
      await hearsTone(leg, peer)
      await leg.hangup()
    })

    it("end a leg with a BYE at a NOTIFY that ends a subscription which is no REFER's", async () => {
      const { events, call } = await rig().received()
      call.notify('200 OK', 'terminated;reason=noresource', 'presence')
      await call.response(489, 'NOTIFY')
      await call.request('BYE')
      await events.ended()
      expect(events.ends).toHaveLength(1)
    })

    it.each([
      'received',
      'dialed',
    ] as const)('without an offer get one of sendrecv, which resumes a held call that we %s (RFC 6337 §5.3)', async (way) => {
      const { leg, peer, call } = await rig()[way]()
      const isAnswered = (version: number) => () => answersOf(call).length === version
      const before = answersOf(call).length
      call.reinvite(peer.sdp({ direction: 'inactive', version: 2 }))
      await waitUntil('the hold is answered', isAnswered(before + 1))
      call.acksByItself = false
      call.reinvite(null)
      await waitUntil('an offer comes', isAnswered(before + 2))
      expect(answersOf(call).at(-1)).toMatch(/^m=audio [1-9]\d* RTP\/AVP/m)
      expect(answersOf(call).at(-1)).not.toMatch(/a=(recvonly|inactive|sendonly)/)
      call.ack(peer.sdp({ version: 3 }))
      await hearsTone(leg, peer)
      await leg.hangup()
    })

    it.each([
      'received',
      'dialed',
    ] as const)('take the audio of a call that we %s away with port 0, and give it back (RFC 3264 §6)', async (way) => {
      const { leg, peer, call } = await rig()[way]()
      const before = answersOf(call).length
      call.reinvite(peer.sdp({ version: 2 }).replace(/^m=audio \d+/m, 'm=audio 0'))
      await waitUntil('it is answered', () => answersOf(call).length === before + 1)
      expect(
        answersOf(call)
          .at(-1)
          ?.match(/^m=.*$/gm),
      ).toEqual([expect.stringMatching(/^m=audio 0 RTP\/AVP/)])
      call.reinvite(peer.sdp({ version: 3 }))
      await waitUntil('the audio is back', () => answersOf(call).length === before + 2)
      expect(answersOf(call).at(-1)).toMatch(/^m=audio [1-9]/m)
      await hearsTone(leg, peer)
      await leg.hangup()
    })

    it('that cannot be met leave the call as it is', async () => {
      const { leg, peer, call } = await rig().received()
      call.reinvite(
        peer
          .sdp({ version: 2 })
          .replace(/m=audio[^]*$/, 'm=audio 4 RTP/AVP 18\r\na=rtpmap:18 G729/8000\r\n'),
      )
      await call.response(488)
      await leg.media.setVariable('still', 'alive')
      await leg.hangup()
    })

    it('of a codec whose name is a number get 488, and the next offer is taken', async () => {
      const { leg, peer, call } = await rig().received()
      const line = 'm=audio 4 RTP/AVP 96\r\na=rtpmap:96 8/8000\r\n'
      call.reinvite(peer.sdp({ version: 2 }).replace(/m=audio[^]*$/, line))
      await call.response(488)
      call.reinvite(peer.sdp({ version: 3 }))
      await waitUntil('the next offer is taken', () => answersOf(call).length === 2)
      await leg.hangup()
    })
  })
}

/** Plays a tone to the leg until its peer hears it. */
function hearsTone(leg: Leg, peer: SipPeer): Promise<void> {
  return whilePlaying(leg, () => waitUntil('the tone is heard', () => peer.rtp.hears(440)))
}

/** Bodies of the successful responses to one method, in order, each retransmission once. */
function answersOf(call: PeerCall, method = 'INVITE'): string[] {
  return call.responses(200, method).map(({ body }) => body)
}

function requiringReliable(peer: SipPeer, port: number): PeerCall {
  return peer.call(port, { headers: [['Require', '100rel']] })
}
