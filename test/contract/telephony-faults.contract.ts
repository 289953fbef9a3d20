import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import { networkInterfaces } from 'node:os'
import { describe, expect, it, onTestFinished } from 'vitest'
import { LegEndedError } from '../../src/voice/telephony/port.js'
import { TcpProxy } from '../support/http/tcp-proxy.js'
import { eslApi } from '../support/media/esl-api.js'
import { LAB_PROCESS } from '../support/media/lab.js'
import { TelephonyRig, type TelephonyServers } from '../support/media/telephony-rig.js'
import { waitUntil } from '../support/time/wait-until.js'

export function describeFaults(rig: () => TelephonyRig): void {
  describe('when a server goes', () => {
    it('a channel that FreeSWITCH ends takes its leg along', async () => {
      const { leg, events, call } = await rig().dialed()
      await eslApi(rig().servers.freeswitchUrl, 'hupall')
      await call.request('BYE')
      expect(await events.ended()).toMatchObject({ cause: 'media-lost', sipStatus: 200 })
      await expect(leg.media.setVariable('a', 'b')).rejects.toThrow(LegEndedError)
    })

    it('a leg that still rings is taken back with its channel', async () => {
      const peer = await rig().peer()
      const { events } = rig().dial(peer)
      const call = await peer.nextCall()
      call.ring()
      await waitUntil('it rings', () => events.progress.length > 0)
      await eslApi(rig().servers.freeswitchUrl, 'hupall')
      await call.request('CANCEL')
      expect(await events.ended()).toMatchObject({ cause: 'media-lost', sipStatus: 503 })
    })

    it('legs end with drachtio, and new ones are made when it is back', async () => {
      await using proxied = await behindProxies(rig().servers)
      const { rig: own, drachtio } = proxied
      const answered = await own.dialed()
      const peer = await own.peer()
      const ringing = own.dial(peer)
      await peer.nextCall()
      const healths: string[] = []
      own.telephony.onHealth(({ signaling }) => {
        // An attempt that fails meanwhile tells its reason, and the same state again.
        if (healths.at(-1) !== signaling) healths.push(signaling)
      })
      drachtio.cut()
      expect(await answered.events.ended()).toMatchObject({
        cause: 'signaling-lost',
        sipStatus: 200,
      })
      expect(await ringing.events.ended()).toMatchObject({
        cause: 'signaling-lost',
        sipStatus: 503,
      })
      expect(own.telephony.legCount()).toBe(0)
      const tooEarly = own.dial(peer)
      expect(await tooEarly.events.ended()).toMatchObject({ cause: 'signaling-lost' })
      drachtio.restore()
      await own.up()
      expect(healths).toEqual(['down', 'up'])
      const again = await own.dialed()
      await again.leg.hangup()
      expect(again.events.ends).toHaveLength(1)
    })

    it('no leg is made without FreeSWITCH, and some are when it is back', async () => {
      await using proxied = await behindProxies(rig().servers)
      const { rig: own, freeswitch } = proxied
      freeswitch.cut()
      await waitUntil('it is missed', () => own.telephony.health.media === 'down')
      const peer = await own.peer()
      const { events } = own.dial(peer)
      expect(await events.ended()).toMatchObject({ cause: 'media-lost', sipStatus: 503 })
      freeswitch.restore()
      await own.up()
      const again = await own.dialed()
      await again.leg.hangup()
    })

    it('says once that a secret is wrong', async () => {
      const { drachtioUrl, freeswitchUrl } = rig().servers
      const wrong = (url: string) => url.replace(/:[^:@/]+@/, ':wrong@')
      const servers = {
        drachtioUrl: wrong(drachtioUrl),
        freeswitchUrl: wrong(freeswitchUrl),
        [Symbol.asyncDispose]: () => Promise.resolve(),
      }
      const own = await TelephonyRig.connecting(servers)
      const faults = () => own.log.filter((line) => line.fields['fault'] === 'wrong-secret')
      await waitUntil(
        'both are reported',
        () => faults().length === 2,
        15_000,
        () => own.log,
      )
      const attempts = () =>
        own.log.filter((line) => line.msg === 'connection attempt failed').length
      await waitUntil(
        'more attempts fail',
        () => attempts() > 6,
        15_000,
        () => own.log,
      )
      expect(faults()).toHaveLength(2)
      expect(own.telephony.health).toEqual({
        signaling: 'down',
        signalingFault: 'drachtio refused the secret',
        media: 'down',
        mediaFault: 'FreeSWITCH refused the password',
      })
      await own.close()
    })

    it('lets only the media server connect back', async ({ skip }) => {
      const outside = outsideAddress()
      if (outside === undefined) return skip('this machine has loopback addresses only')
      const own = await TelephonyRig.open(rig().servers, {
        listenAddress: '0.0.0.0',
        advertisedAddress: '127.0.0.1',
      })
      onTestFinished(() => own.close())
      const { leg } = await own.dialed()
      let heard: readonly string[] = []
      await waitUntil('a channel is listed whose port answers from outside', async () => {
        const ports = await callbackPorts(own)
        const said = await Promise.all(ports.map((port) => saidTo(outside, port)))
        // Others, the last test's among them, listen on loopback alone or have ended.
        heard = said.filter((text) => text !== 'nobody listens')
        return heard.length > 0
      })
      expect(heard).toEqual([''])
      await waitUntil('the refusal is logged', () =>
        own.log.some(({ msg }) => msg === 'refused a connection that is not the media server'),
      )
      await leg.hangup()
    })

    it('a dispose hangs up what is left', async () => {
      const own = await TelephonyRig.open(rig().servers)
      const { events, call } = await own.dialed()
      await own.telephony[Symbol.asyncDispose]()
      await call.request('BYE')
      expect(events.ends).toHaveLength(1)
      expect(own.telephony.legCount()).toBe(0)
      await own.close()
    })
  })

  describe('a process that is killed', () => {
    it.each([
      'playing',
      'bridged',
      'parted',
    ])('while legs are %s leaves no channel', async (doing) => {
      const { drachtioUrl, freeswitchUrl } = rig().servers
      const peer = await rig().peer()
      const killed = spawn(
        process.execPath,
        [
          '--input-type=module',
          '-e',
          ABANDON,
          BUILT,
          drachtioUrl,
          freeswitchUrl,
          peer.uri(),
          doing,
        ],
        { stdio: ['ignore', 'pipe', 'inherit'] },
      )
      for (let i = 0; i < 2; i += 1) await (await peer.nextCall(20_000)).answer()
      await once(killed.stdout, 'data')
      killed.kill('SIGKILL')
      await once(killed, 'exit')
      // Its next life ends what the server did not end by itself.
      const next = await TelephonyRig.open(rig().servers)
      await waitUntil(
        'the channels are gone',
        async () => /^\s*0 total/.test(await eslApi(freeswitchUrl, 'show channels count')),
        15_000,
      )
      await next.close()
    })
  })

  describe('two hundred calls', () => {
    it('or forty at once are no different from one', async () => {
      const calls = await Promise.all(Array.from({ length: 40 }, () => rig().dialed()))
      await Promise.all(calls.map(({ leg }) => leg.hangup()))
      for (const { events } of calls) expect(events.ends).toMatchObject([{ cause: 'local-hangup' }])
    })

    it('leave nothing behind', { timeout: 120_000 }, async () => {
      const peer = await rig().peer()
      const before = openSockets()
      for (let i = 0; i < 200; i += 1) {
        const { leg, events } = rig().dial(peer)
        const call = await peer.nextCall()
        await call.answer()
        await events.answered()
        if (i % 2 === 0) await leg.hangup()
        else {
          call.bye()
          await events.ended()
        }
        expect(events.ends).toHaveLength(1)
      }
      expect(rig().telephony.legCount()).toBe(0)
      await waitUntil('the sockets are gone', () => openSockets() <= before, 15_000, openSockets)
      // The server counts its channels in a database of its own, a little later.
      let channels = ''
      const areGone = async () => {
        channels = await eslApi(rig().servers.freeswitchUrl, 'show channels')
        return /^\s*0 total/m.test(channels)
      }
      await waitUntil('the channels are gone', areGone, 30_000, () => channels)
    })
  })
}

/** The built adapter, beside the built lab: a child process does not run TypeScript. */
const BUILT = new URL('..', LAB_PROCESS).href

/** Makes two legs, brings them where they shall be, says so, and waits for its end. */
const ABANDON = `
  const [, built, drachtio, freeswitch, uri, doing] = process.argv
  const load = (file) => import(new URL(file, built))
  const { connectTelephony } = await load('voice/telephony/connect-telephony.js')
  const { createLogger } = await load('platform/log.js')
  const { systemClock } = await load('platform/clock.js')
  const telephony = await connectTelephony({
    drachtioUrls: [drachtio], freeswitchUrls: [freeswitch], log: createLogger('error'), clock: systemClock,
  })
  const isUp = () => telephony.health.media === 'up' && telephony.health.signaling === 'up'
  if (!isUp()) await new Promise((done) => telephony.onHealth(() => isUp() && done()))
  const dial = () => new Promise((done) => {
    const leg = telephony.dial({ uri, from: { user: 'x' }, timeoutMs: 9000 }, {
      onAnswered: () => done(leg), onEnded: () => undefined,
    })
  })
  const first = await dial()
  const second = await dial()
  const stop = new AbortController()
  if (doing === 'playing') void first.media.play({ type: 'silence', durationMs: 60000 }, stop.signal)
  else {
    const bridged = first.media.bridge(second.media, stop.signal)
    await second.media.setVariable('joined', 'true')
    if (doing === 'parted') {
      stop.abort()
      await bridged
      await Promise.all([first, second].map((leg) =>
        leg.media.play({ type: 'silence', durationMs: 20 }, new AbortController().signal)))
    }
  }
  process.stdout.write('there')
`

/** An address of this machine that others can reach; undefined when there is none. */
function outsideAddress(): string | undefined {
  return Object.values(networkInterfaces())
    .flatMap((entries) => entries ?? [])
    .find(({ family, internal }) => family === 'IPv4' && !internal)?.address
}

/**
 * The ports that channels of the media server connect back to. It lists its channels from a database
 * that it writes a little later, and none as no list.
 */
async function callbackPorts({ servers }: TelephonyRig): Promise<readonly number[]> {
  const api = (command: string) => eslApi(servers.freeswitchUrl, command)
  const list = JSON.parse(await api('show channels as json')) as {
    readonly rows?: readonly { readonly uuid: string }[]
  }
  const asked = (list.rows ?? []).map(({ uuid }) => api(`uuid_getvar ${uuid} sip_h_X-esl-outbound`))
  const ports = (await Promise.all(asked)).map((text) => Number(text.trim().split(':').at(-1)))
  return [...new Set(ports.filter(Number.isInteger))]
}

/** What a listener says to whoever connects, until it closes the connection. */
async function saidTo(host: string, port: number): Promise<string> {
  const socket = connect(port, host)
  socket.setEncoding('utf8')
  let text = ''
  socket.on('data', (chunk: string) => {
    text += chunk
  })
  socket.once('error', () => {
    text = 'nobody listens'
  })
  await once(socket, 'close', { signal: AbortSignal.timeout(10_000) })
  return text
}

function openSockets(): number {
  return process.getActiveResourcesInfo().filter((kind) => kind === 'TCPSocketWrap').length
}

interface Proxied extends AsyncDisposable {
  readonly rig: TelephonyRig
  readonly drachtio: TcpProxy
  readonly freeswitch: TcpProxy
}

/** An adapter of its own, whose connections to the servers can be cut. */
async function behindProxies(servers: TelephonyServers): Promise<Proxied> {
  const through = async (url: string) => {
    const { port, password } = new URL(url)
    const proxy = await TcpProxy.open(Number(port))
    return { proxy, url: `tcp://:${password}@127.0.0.1:${String(proxy.port)}` }
  }
  const [drachtio, freeswitch] = await Promise.all([
    through(servers.drachtioUrl),
    through(servers.freeswitchUrl),
  ])
  const rig = await TelephonyRig.open({
    drachtioUrl: drachtio.url,
    freeswitchUrl: freeswitch.url,
    [Symbol.asyncDispose]: () => Promise.resolve(),
  })
  return {
    rig,
    drachtio: drachtio.proxy,
    freeswitch: freeswitch.proxy,
    async [Symbol.asyncDispose]() {
      await rig.close()
      await Promise.all([drachtio.proxy.close(), freeswitch.proxy.close()])
    },
  }
}
