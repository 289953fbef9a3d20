/**
 * What the usual client libraries do with a media server, over SIP, the event socket and RTP. Real
 * servers must see this machine's files and 127.0.0.1.
 */
import { once } from 'node:events'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { Connection, type FsmrfEndpoint } from '../support/media/fsmrf-client.js'
import {
  connectMediaClient,
  type EndpointWithPeer,
  type MediaClient,
  type ServerUrls,
  sdpOf,
} from '../support/media/lab.js'
import { RtpPeer } from '../support/media/rtp-peer.js'
import { tempFolder } from '../support/process/temp-folder.js'
import { RATE, sine, toneLevel, toneShare } from '../support/sound/tone.js'
import { pcm16, readWav, writeWav } from '../support/sound/tone-wav.js'
import { waitUntil } from '../support/time/wait-until.js'

const PIECE = RATE / 20

/** The samples in pieces of 50 ms. */
const pieces = (samples: Int16Array): readonly Int16Array[] =>
  Array.from({ length: Math.floor(samples.length / PIECE) }, (_, at) =>
    samples.subarray(at * PIECE, (at + 1) * PIECE),
  )

export interface MediaServers extends AsyncDisposable {
  readonly urls: ServerUrls
}

/** The lab and FreeSWITCH must pass this same list. */
export function describeMediaServer(name: string, open: () => Promise<MediaServers>): void {
  describe(`${name}, through drachtio-srf and drachtio-fsmrf`, () => {
    const folder = tempFolder()
    const tone440 = join(folder.path, 'tone440.wav')
    let servers: MediaServers
    let client: MediaClient

    beforeAll(async () => {
      writeWav(tone440, {
        format: 1,
        bits: 16,
        channels: 1,
        sampleRate: RATE,
        data: pcm16(sine(440, RATE / 2)),
      })
      servers = await open()
      client = await connectMediaClient(servers.urls)
    })
    afterAll(async () => {
      await client[Symbol.asyncDispose]()
      await servers[Symbol.asyncDispose]()
      folder[Symbol.dispose]()
    })

    it('tells where its SIP is', () => {
      expect(client.mediaServer.sip.ipv4.udp.address).toMatch(/^127\.0\.0\.1:\d+$/)
    })

    it('refuses a wrong password', async () => {
      const { hostname, port } = new URL(servers.urls.freeswitchUrl)
      const connection = new Connection(hostname, Number(port), 'wrong', () => {
        throw new Error('it let us in')
      })
      connection.closing = true
      await once(connection, 'esl::event::auth::fail')
      await once(connection, 'esl::end')
    })

    describe('an endpoint', () => {
      it('without an SDP is offered from, and takes a peer later', async () => {
        const endpoint = await client.mediaServer.createEndpoint()
        expect(endpoint.local.sdp).toContain('RTP/AVP 0 8')
        expect(endpoint.dtmfType).toBe('rfc2833')
        await using peer = await RtpPeer.open()
        await endpoint.modify(sdpOf(peer))
        expect(endpoint.remote.mediaPort).toBe(String(peer.port))
        const playing = endpoint.play('tone_stream://%(400,0,440)')
        await peer.waitForTone(440)
        await playing
        await endpoint.destroy()
      })

      it('without a peer plays to nobody', async () => {
        const endpoint = await client.mediaServer.createEndpoint()
        const { playbackMilliseconds } = await endpoint.play('silence_stream://100')
        expect(playbackMilliseconds).toBe('100')
        await endpoint.destroy()
      })

      it('takes an SDP, and gives its own', async () => {
        const { endpoint, peer } = await client.endpoint()
        expect(endpoint.local.sdp).toMatch(/m=audio \d+ RTP\/AVP 0 101/)
        expect(endpoint.remote.mediaPort).toBe(String(peer.port))
        await endpoint.destroy()
      })

      it('sends elsewhere after another offer', async () => {
        const { endpoint } = await client.endpoint()
        await using other = await RtpPeer.open()
        expect(await endpoint.modify(sdpOf(other))).toContain(
          `m=audio ${endpoint.local.mediaPort} `,
        )
        const playing = endpoint.play('tone_stream://%(400,0,440)')
        await other.waitForTone(440)
        await playing
        await endpoint.destroy()
      })

      it('answers a hold with its half', async () => {
        const { endpoint, peer } = await client.endpoint()
        expect(await endpoint.modify(`${sdpOf(peer)}a=sendonly\r\n`)).toContain('a=recvonly')
        expect(await endpoint.modify(`${sdpOf(peer)}a=inactive\r\n`)).toContain('a=inactive')
        expect(await endpoint.modify(sdpOf(peer))).not.toMatch(/a=(recvonly|inactive)/)
        await endpoint.destroy()
      })

      it('is ended by its application', async () => {
        const { endpoint } = await client.endpoint()
        const closed = once(endpoint.conn.socket, 'close')
        await endpoint.destroy()
        await closed
        await gone(endpoint)
      })

      it('is ended by a BYE', async () => {
        const { endpoint } = await client.endpoint()
        const closed = once(endpoint.conn.socket, 'close')
        const destroyed = once(endpoint, 'destroy')
        await endpoint.dialog.destroy()
        await Promise.all([closed, destroyed])
        await gone(endpoint)
      })

      it('is killed by the server', async () => {
        const { endpoint } = await client.endpoint()
        const told = Promise.all([once(endpoint, 'destroy'), once(endpoint.dialog, 'destroy')])
        expect(await client.mediaServer.api(`uuid_kill ${endpoint.uuid}`)).toBe('+OK\n')
        await told
        await gone(endpoint)
      })

      /** Resolves once the server has no such channel: it outlives its connection by a moment. */
      const gone = ({ uuid }: FsmrfEndpoint): Promise<void> =>
        waitUntil(
          'the channel is gone',
          async () => (await client.mediaServer.api(`uuid_exists ${uuid}`)) === 'false',
        )
    })

    describe('on an endpoint', () => {
      let endpoint: FsmrfEndpoint
      let peer: EndpointWithPeer['peer']
      beforeEach(async () => {
        ;({ endpoint, peer } = await client.endpoint())
        return async () => {
          await endpoint.destroy()
        }
      })

      it('a file is heard', async () => {
        const playing = endpoint.play(tone440)
        await peer.waitForTone(440)
        expect(await playing).toEqual({
          playbackSeconds: '0',
          playbackMilliseconds: '500',
          playbackLastOffsetPos: '4000',
        })
      })

      it('several are heard one after the other', async () => {
        const playing = endpoint.play(['tone_stream://%(300,0,440)', 'tone_stream://%(300,0,880)'])
        const first = (hz: number) =>
          pieces(peer.heard()).findIndex((piece) => toneShare(piece, hz) > 0.8)
        await waitUntil('both are heard', () => first(440) >= 0 && first(880) >= 0)
        expect(first(440)).toBeLessThan(first(880))
        const { playbackMilliseconds, playbackLastOffsetPos } = await playing
        expect(playbackMilliseconds).toBe('300')
        expect(playbackLastOffsetPos).toBe('4800')
      })

      it('a file that is not there is told so', async () => {
        await expect(endpoint.play('/nonexistent.wav')).rejects.toThrow('File Not Found')
      })

      it('what plays is broken, and silent', async () => {
        const playing = endpoint.play('tone_stream://%(60000,0,440)')
        await peer.waitForTone(440)
        await endpoint.api('uuid_break', endpoint.uuid)
        const { playbackLastOffsetPos } = await playing
        expect(Number(playbackLastOffsetPos)).toBeLessThan(60_000 * 8)
        const quiet = endpoint.play('silence_stream://400')
        await peer.waitForSilence()
        peer.forget()
        await quiet
        expect(toneLevel(peer.heard(), 440)).toBeLessThan(50)
      })

      it('what plays goes on when a variable is set', async () => {
        const playing = endpoint.play('tone_stream://%(600,0,440)')
        await peer.waitForTone(440)
        await endpoint.set({ one: '1', two: '2' })
        expect((await endpoint.api('uuid_getvar', `${endpoint.uuid} two`)).getBody()).toBe('2')
        expect((await playing).playbackMilliseconds).toBe('600')
      })

      it('a recording holds what is said, and nothing of what is masked', async () => {
        const path = join(folder.path, 'masked.wav')
        const { uuid } = endpoint
        peer.speak(600)
        await endpoint.set({ RECORD_STEREO: 'true', app_disable_expand_variables: 'true' })
        expect((await endpoint.api('uuid_record', `${uuid} start ${path}`)).getBody()).toBe(
          '+OK Success\n',
        )
        // FreeSWITCH writes in blocks, and masks what it has not written yet.
        await endpoint.play('silence_stream://1500')
        await endpoint.api('uuid_record', `${uuid} mask ${path}`)
        await endpoint.play('silence_stream://1000')
        await endpoint.api('uuid_record', `${uuid} unmask ${path}`)
        await endpoint.play('silence_stream://1000')
        await endpoint.api('uuid_record', `${uuid} stop ${path}`)
        const [said = new Int16Array()] = readWav(path).samples
        expect(said.length).toBeGreaterThan(3 * RATE)
        // What is said, then 900 ms of silence, then what is said.
        const isLoud = pieces(said).map((piece) => toneLevel(piece, 600) > 2000)
        expect(isLoud.map((loud) => (loud ? 's' : '-')).join('')).toMatch(/s.*-{18,}.*s/)
      })

      it('a session is recorded beside what plays', async () => {
        const path = join(folder.path, 'session.wav')
        await endpoint.recordSession(path)
        await endpoint.play(tone440)
        const stopped = await endpoint.execute('stop_record_session', path)
        expect(Number(stopped.getHeader('variable_record_ms'))).toBeGreaterThan(300)
        const [mixed = new Int16Array()] = readWav(path).samples
        expect(toneLevel(mixed, 440)).toBeGreaterThan(1000)
      })

      it('the peer is recorded until the limit', async () => {
        const path = join(folder.path, 'message.wav')
        peer.speak(600)
        const result = await endpoint.record(path, { timeLimitSecs: 1 })
        expect(Number(result['recordMilliseconds'])).toBeGreaterThanOrEqual(1000)
        const [said = new Int16Array()] = readWav(path).samples
        expect(toneShare(said.subarray(RATE / 4), 600)).toBeGreaterThan(0.7)
      })

      it('digits are collected', async () => {
        peer.speak(0)
        const collecting = endpoint.playCollect({
          file: 'tone_stream://%(60000,0,440)',
          min: 1,
          max: 10,
          timeout: 5000,
          digitTimeout: 2000,
          terminators: '#',
        })
        await peer.waitForTone(440)
        await peer.sendDigits('1234#')
        expect(await collecting).toMatchObject({ digits: '1234', terminatorUsed: '#' })
      })

      it('nobody pressed a digit', async () => {
        const { digits } = await endpoint.playCollect({
          file: 'silence_stream://100',
          min: 1,
          max: 10,
          timeout: 1000,
          digitTimeout: 500,
        })
        expect(digits).toBeNull()
      })

      it('digits are told as they come', async () => {
        peer.speak(0)
        const heard: string[] = []
        const last = new Promise<void>((resolve) => {
          endpoint.on('dtmf', ({ dtmf, duration }: { dtmf: string; duration: string }) => {
            heard.push(dtmf)
            expect(Number(duration)).toBeGreaterThan(400)
            if (dtmf === '#') resolve()
          })
        })
        await peer.sendDigits('59#')
        await last
        expect(heard).toEqual(['5', '9', '#'])
      })

      it('digits are sent', async () => {
        await endpoint.api('uuid_send_dtmf', `${endpoint.uuid} 12#`)
        await peer.waitForDigits('12#')
      })

      it('variables can be read, with statistics', async () => {
        peer.speak(600)
        await endpoint.play('silence_stream://200')
        const variables = await endpoint.getChannelVariables(true)
        expect(variables['variable_rtp_use_codec_name']).toBe('PCMU')
        expect(Number(variables['variable_rtp_audio_in_packet_count'])).toBeGreaterThan(0)
        expect(variables['variable_rtp_local_sdp_str']).toContain(endpoint.local.mediaPort)
      })

      it('an application that nobody knows ends it', async () => {
        const destroyed = once(endpoint, 'destroy')
        endpoint.conn.execute('no_such_application', 'x')
        await destroyed
      })
    })

    describe('two endpoints', () => {
      let a: EndpointWithPeer
      let b: EndpointWithPeer
      beforeEach(async () => {
        a = await client.endpoint()
        b = await client.endpoint()
        return async () => {
          await a.endpoint.destroy()
          await b.endpoint.destroy()
        }
      })

      it('are bridged and parted, and play afterwards', async () => {
        a.peer.speak(500)
        b.peer.speak(800)
        await a.endpoint.bridge(b.endpoint)
        await Promise.all([b.peer.waitForTone(500), a.peer.waitForTone(800)])
        await a.endpoint.unbridge()
        // FreeSWITCH sends nothing at all while nothing plays.
        const quiet = [a, b].map(({ endpoint }) => endpoint.play('silence_stream://400'))
        await Promise.all([b.peer.waitForSilence(), a.peer.waitForSilence()])
        await Promise.all(quiet)
        const playing = a.endpoint.play('tone_stream://%(400,0,440)')
        await a.peer.waitForTone(440)
        await playing
      })

      it('tell of digits while they are bridged', async () => {
        a.peer.speak(0)
        b.peer.speak(0)
        await a.endpoint.bridge(b.endpoint)
        await Promise.all([a.peer.waitForSilence(), b.peer.waitForSilence()])
        const told = once(a.endpoint, 'dtmf')
        await a.peer.sendDigits('7')
        expect((await told)[0]).toMatchObject({ dtmf: '7' })
        await a.endpoint.unbridge()
      })

      it('end at the time that was set for each, unless it was taken back', async () => {
        await a.endpoint.set({ park_after_bridge: 'true' })
        await a.endpoint.bridge(b.endpoint)
        const api = async (command: string, endpoint: FsmrfEndpoint, time = '') =>
          await client.mediaServer.api(`${command} ${time}${endpoint.uuid}`)
        expect(await api('sched_hangup', a.endpoint, '+1 ')).toMatch(/^\+OK/)
        expect(await api('sched_hangup', b.endpoint, '+2 ')).toMatch(/^\+OK/)
        expect(await api('sched_del', a.endpoint)).toMatch(/^\+OK Deleted: 1/)
        await waitUntil('the other has ended', async () =>
          (await api('uuid_exists', b.endpoint)).startsWith('false'),
        )
        expect(await api('uuid_exists', a.endpoint)).toMatch(/^true/)
        expect(await api('sched_hangup', b.endpoint, '+1 ')).toMatch(/^-ERR No such channel/)
        expect(await api('sched_del', b.endpoint)).toMatch(/^\+OK Deleted: 0/)
      })

      it('end together, unless one was told to stay', async () => {
        await a.endpoint.set({ park_after_bridge: 'true' })
        b.peer.speak(800)
        await a.endpoint.bridge(b.endpoint)
        await a.peer.waitForTone(800)
        await b.endpoint.dialog.destroy()
        const playing = a.endpoint.play('tone_stream://%(400,0,440)')
        await a.peer.waitForTone(440)
        await playing
      })
    })
  })
}
