import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { Leg, OutsideRequest } from '../../src/voice/telephony/port.js'
import { LegRecorder } from '../support/media/leg-recorder.js'
import { TelephonyRig, type TelephonyServers } from '../support/media/telephony-rig.js'
import type { TestAuthority, TestCertificate } from '../support/sip/certificates.js'
import { RegisterClient } from '../support/sip/register-client.js'
import type { SipPeer } from '../support/sip/sip-peer.js'
import { headerOf } from '../support/sip/sip-peer-message.js'
import { TlsRelay } from '../support/sip/tls-relay.js'
import { waitUntil } from '../support/time/wait-until.js'

/** A drachtio that listens with TLS too. */
export interface TlsServers extends TelephonyServers {
  readonly tlsPort: number
  /** The authority that signed the server's certificate, and that the server trusts. */
  readonly authority: TestAuthority
}

const KEY = 'PS1uQCVeeCFCanVmcjkpPywjNWhcYD0mXXtxaVBR'
const ALICE = { domain: 'acme.example', user: 'alice' }

async function isHeard(leg: Leg, peer: SipPeer): Promise<void> {
  const stop = new AbortController()
  const playing = leg.media.play(
    { type: 'tone', frequencies: [440], onMs: 20_000, offMs: 0, repeat: 1 },
    stop.signal,
  )
  await waitUntil('the tone is heard', () => peer.rtp.hears(440))
  stop.abort(new Error('heard'))
  await expect(playing).rejects.toThrow('heard')
}

/** Servers with SIP over TLS must pass this list. Real ones need a certificate, so it stands apart. */
export function describeTls(name: string, setUp: () => Promise<TlsServers>): void {
  describe(`SIP over TLS on ${name}`, () => {
    let servers: TlsServers
    let rig: TelephonyRig
    let loopback: TestCertificate
    const relays: TlsRelay[] = []

    beforeAll(async () => {
      servers = await setUp()
      loopback = await servers.authority.issue('peer', ['IP:127.0.0.1', 'DNS:sip.example'])
      rig = await TelephonyRig.open(servers)
    })
    afterEach(async () => {
      await rig.clear()
      for (const relay of relays.splice(0)) await relay[Symbol.asyncDispose]()
    })
    afterAll(async () => {
      await rig.close()
      await servers[Symbol.asyncDispose]()
    })

    /** A way from a test's peer to the server. */
    const wayIn = async () => {
      const relay = await TlsRelay.toServer(servers.tlsPort, servers.authority.cert)
      relays.push(relay)
      return relay
    }
    /** A way from the server to a test's peer. */
    const wayOut = async (peer: SipPeer, certificate = loopback) => {
      const relay = await TlsRelay.toPeer(peer.port, certificate)
      relays.push(relay)
      return relay
    }

    it('is known to the adapter', () => {
      expect(rig.telephony.hasTls()).toBe(true)
    })

    it('takes a REGISTER, and sends requests back on its connection and no other', async () => {
      const relay = await wayIn()
      await using client = await RegisterClient.open(relay.port)
      const seen: OutsideRequest[] = []
      rig.telephony.onOutsideRequest((request) => {
        seen.push(request)
        request.registered([])
      })
      await client.send(ALICE)
      const source = seen[0]?.source
      expect(source).toMatchObject({ address: '127.0.0.1', transport: 'tls' })
      const contact = {
        uri: 'sip:alice@192.168.1.2',
        proxy: `sip:127.0.0.1:${String(source?.port)};transport=tls;ob`,
        server: seen[0]?.server ?? '',
      }
      expect([await rig.telephony.keepAlive(contact), client.optionsReceived]).toEqual([
        'answered',
        1,
      ])
      await relay.drop()
      await waitUntil(
        'the connection is gone',
        async () => (await rig.telephony.keepAlive(contact)) === 'lost',
      )
      expect(client.optionsReceived).toBe(1)
    })

    it.each([
      ['sip:peer@127.0.0.1:PORT;transport=tls', /^<sip:[^>]*;transport=tls>$/],
      ['sips:peer@127.0.0.1:PORT', /^<sips:[^>]*>$/],
    ])('dials %s with SRTP, and is heard', async (uri, ownContact) => {
      const peer = await rig.peer()
      const { port } = await wayOut(peer)
      const { leg, events } = rig.dial(peer, {
        uri: uri.replace('PORT', String(port)),
        isMediaSecure: true,
      })
      const call = await peer.nextCall()
      expect(headerOf(call.invite, 'via')).toMatch(/^SIP\/2\.0\/TLS /)
      expect(headerOf(call.invite, 'contact')).toMatch(ownContact)
      expect(call.invite.body).toMatch(/^a=crypto:1 AES_CM_128_HMAC_SHA1_80 /m)
      await call.answer(peer.sdp({ key: KEY }))
      await events.answered()
      await isHeard(leg, peer)
      call.bye()
      expect(await events.ended()).toMatchObject({ cause: 'remote-hangup' })
    })

    it('calls a server by the name of the URI, at the address of the next hop', async () => {
      const peer = await rig.peer()
      const { port } = await wayOut(peer)
      const { leg } = rig.dial(peer, {
        uri: 'sip:peer@sip.example;transport=tls',
        proxy: `sip:127.0.0.1:${String(port)};transport=tls`,
      })
      const { invite } = await peer.nextCall()
      expect(invite.startLine).toBe('INVITE sip:peer@sip.example;transport=tls SIP/2.0')
      await leg.hangup()
    })

    it('does not call a server whose certificate is for another name', async () => {
      const peer = await rig.peer()
      const { port } = await wayOut(peer)
      const { events } = rig.dial(peer, {
        uri: 'sip:peer@other.example;transport=tls',
        proxy: `sip:127.0.0.1:${String(port)};transport=tls`,
      })
      expect(await events.ended()).toMatchObject({
        cause: 'unreachable',
        sipStatus: 503,
        obstacle: 'no-tls',
      })
      expect(peer.seen()).toEqual([])
    })

    it('does not call a SIPS URI by way of UDP', async () => {
      const peer = await rig.peer()
      const { events } = rig.dial(peer, {
        uri: 'sips:peer@sip.example',
        proxy: `sip:127.0.0.1:${String(peer.port)};transport=udp`,
      })
      expect(await events.ended()).toMatchObject({ cause: 'unreachable', sipStatus: 503 })
      expect(peer.seen()).toEqual([])
    })

    it('sends no keys over UDP', async () => {
      const peer = await rig.peer()
      const { events } = rig.dial(peer, { isMediaSecure: true })
      expect(await events.ended()).toMatchObject({
        cause: 'unreachable',
        sipStatus: 488,
        obstacle: 'clear-keys',
      })
      expect(peer.seen()).toEqual([])
    })

    it('takes no keys over UDP', async () => {
      const peer = await rig.peer()
      const index = rig.invites.length
      const call = peer.call(await rig.sipPort(), { sdp: peer.sdp({ key: KEY }) })
      await waitUntil('the INVITE is reported', () => rig.invites.length > index)
      const invite = rig.invites[index]
      expect(invite?.audio).toBe('unusable')
      const leg = invite?.accept(new LegRecorder())
      await expect(leg?.answer()).rejects.toThrow('over TLS only')
      expect((await call.response(488)).body).toBe('')
    })

    it('takes a call with keys over TLS, and answers in kind', async () => {
      const relay = await wayIn()
      const { leg, call, peer } = await rig.received((caller) =>
        caller.call(relay.port, { sdp: caller.sdp({ key: KEY }) }),
      )
      const answer = await call.response(200)
      expect(answer.body).toMatch(/^m=audio [1-9]\d* RTP\/SAVP 0 101/m)
      // The INVITE was for a SIP URI (RFC 3261 §12.1.1).
      expect(headerOf(answer, 'contact')).toMatch(/^<sip:[^>]*;transport=tls>$/)
      expect(rig.invites.at(-1)).toMatchObject({ audio: 'secure', source: { transport: 'tls' } })
      await isHeard(leg, peer)
      await leg.hangup()
      await call.request('BYE')
    })
  })
}
