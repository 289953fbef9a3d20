import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, expect, it, vi } from 'vitest'
import { createMediaEngine } from '../../../../src/lab/media/engine.js'
import {
  MediaClosedError,
  type MediaEngine,
  NoPortError,
} from '../../../../src/lab/media/model/media-engine.js'
import { pause } from '../../../../src/platform/async/sleep.js'
import {
  connectPeer,
  MEDIA_WORKER,
  type PeerCall,
  remoteOf,
} from '../../../support/media/rtp-engine.js'
import { writeRtp } from '../../../support/media/rtp-packets.js'
import { RtpPeer } from '../../../support/media/rtp-peer.js'
import { seeded } from '../../../support/media/seeded.js'
import { freePort } from '../../../support/process/free-port.js'
import { tempFolder } from '../../../support/process/temp-folder.js'
import { toneShare } from '../../../support/sound/tone.js'
import { waitUntil } from '../../../support/time/wait-until.js'

const start = (rtpPorts = { first: 0, last: 0 }) =>
  createMediaEngine({ host: '127.0.0.1', rtpPorts, workerFile: MEDIA_WORKER })

/** A range of so many pairs that were free a moment ago, outside what the system hands out itself. */
async function freeRange(pairs: number): Promise<{ first: number; last: number }> {
  const port = await freePort(2 * pairs + 1)
  const first = port + (port % 2)
  return { first, last: first + 2 * pairs - 1 }
}

async function tryBind(port: number): Promise<Socket | undefined> {
  const socket = createSocket('udp4')
  socket.bind(port, '127.0.0.1')
  return once(socket, 'listening').then(
    () => socket,
    () => undefined,
  )
}

/** A call whose peer has the port after its own as well, for RTCP. */
async function callWithRtcp(engine: MediaEngine): Promise<{ call: PeerCall; rtcp: Socket }> {
  for (;;) {
    const call = await connectPeer(engine)
    const rtcp = await tryBind(call.peer.port + 1)
    if (rtcp !== undefined) return { call, rtcp }
    await call[Symbol.asyncDispose]()
  }
}

describe('who is heard', () => {
  it('others are ignored and counted, the peer may change its source [E34]', async () => {
    await using engine = await start()
    await using call = await connectPeer(engine)
    const { endpoint, peer } = call
    endpoint.setEcho(true)
    peer.speak(440)
    await peer.waitForTone(440)
    await using intruder = await RtpPeer.open()
    intruder.connect(endpoint.port)
    intruder.speak(990)
    await waitUntil('them to be counted', async () => (await endpoint.stats()).packetsIgnored > 20)
    expect(toneShare(peer.heard().slice(-3200), 990)).toBeLessThan(0.02)
    expect(intruder.packets).toEqual([])
    peer.changeSsrc()
    peer.forget()
    await peer.waitForTone(440)
  })

  it('a peer that sends from another port than it said is latched, and answered there', async () => {
    await using engine = await start()
    await using call = await connectPeer(engine)
    await using other = await RtpPeer.open()
    call.endpoint.setEcho(true)
    other.connect(call.endpoint.port)
    other.speak(440)
    await other.waitForTone(440)
    // The very port of the SDP wins over it.
    call.peer.speak(660)
    await call.peer.waitForTone(660)
  })

  it('a new SDP moves the audio', async () => {
    await using engine = await start()
    await using call = await connectPeer(engine)
    await using other = await RtpPeer.open({ codec: 'PCMA', dtmfPayloadType: 96 })
    call.endpoint.play({ type: 'tone', script: '%(1000,0,600);loops=-1' })
    await call.peer.waitForTone(600)
    call.endpoint.setRemote(remoteOf(other, { dtmfPayloadType: 96 }))
    await other.waitForTone(600)
  })

  it('nothing is heard before the peer is known', async () => {
    await using engine = await start()
    const endpoint = await engine.open({})
    await using early = await RtpPeer.open()
    early.connect(endpoint.port)
    early.speak(440)
    await waitUntil('them to be counted', async () => (await endpoint.stats()).packetsIgnored > 3)
    expect((await endpoint.close()).packetsReceived).toBe(0)
  })
})

it('garbage never harms: neither on the RTP nor on the RTCP port [E35]', async () => {
  await using engine = await start()
  await using call = await connectPeer(engine)
  const { endpoint, peer } = call
  endpoint.setEcho(true)
  const seed = 77
  const random = seeded(seed)
  for (let i = 0; i < 400; i++) {
    const size = i % 7 === 0 ? 1 : Math.floor(random() * 200)
    const packet = Buffer.from(Array.from({ length: size }, () => Math.floor(random() * 256)))
    if (packet.length > 1 && i % 2 === 0) {
      packet[0] = 0x80 | ((packet[0] ?? 0) & 0x3f) // the right version: deeper into the parser
      if (i % 4 === 0) packet[1] = [0, 8, 13, 101][Math.floor(random() * 4)] ?? 0
    }
    peer.connect(endpoint.port + (i % 3 === 0 ? 1 : 0))
    peer.send(packet)
    if (i % 20 === 0) await endpoint.stats() // let it be read: the socket's buffer is finite
  }
  peer.connect(endpoint.port)
  peer.changeSsrc()
  peer.speak(440)
  await peer.waitForTone(440)
  expect((await endpoint.stats()).packetsIgnored, `seed ${seed}`).toBeGreaterThan(50)
})

it('reports to the RTCP port of the peer', async () => {
  await using engine = await start()
  const { call, rtcp } = await callWithRtcp(engine)
  const reports: Buffer[] = []
  rtcp.on('message', (packet) => reports.push(packet))
  call.peer.speak(440)
  await waitUntil('a report', () => reports.length > 0)
  const [report = Buffer.alloc(0)] = reports
  // SR with one reception report about the peer's source, then SDES.
  expect([report[0], report[1]]).toEqual([0x81, 200])
  expect(report.readUInt32BE(28)).toBe(call.peer.ssrc)
  expect(report[53]).toBe(202)
  rtcp.close()
  await once(rtcp, 'close')
  await call[Symbol.asyncDispose]()
})

it('measures the round trip by a report of the peer', async () => {
  await using engine = await start()
  const { call, rtcp } = await callWithRtcp(engine)
  call.peer.speak(440)
  const sent = once(rtcp, 'message') as Promise<[Buffer]>
  const [report] = await sent
  expect((await call.endpoint.stats()).roundTripMs).toBe(-1)
  // A receiver report (RFC 3550 §6.4.2): our report came 100 ms ago and was held for 60 ms of them.
  const answer = Buffer.alloc(32)
  answer.writeUInt16BE(0x81c9, 0)
  answer.writeUInt16BE(7, 2)
  answer.writeUInt32BE(call.peer.ssrc, 4)
  const sentAt =
    (((report.readUInt32BE(8) & 0xffff) << 16) | (report.readUInt32BE(12) >>> 16)) >>> 0
  answer.writeUInt32BE(sentAt, 24)
  await pause(100)
  answer.writeUInt32BE(Math.round(0.06 * 65_536), 28)
  rtcp.send(answer, call.endpoint.port + 1, '127.0.0.1')
  const measured = async () => (await call.endpoint.stats()).roundTripMs >= 0
  await waitUntil('the round trip', measured)
  expect((await call.endpoint.stats()).roundTripMs).toBeGreaterThan(39)
  rtcp.close()
  await once(rtcp, 'close')
  await call[Symbol.asyncDispose]()
})

it('counts bytes, gaps, digits, and shows a payload type that was not agreed', async () => {
  await using engine = await start()
  await using call = await connectPeer(engine)
  const { endpoint, peer } = call
  peer.speak(440)
  await waitUntil('audio', async () => (await endpoint.stats()).packetsReceived > 10)
  peer.mute()
  await pause(300)
  peer.speak(440)
  await peer.sendDigits('5')
  const odd = { payloadType: 34, isMarked: false, sequence: 1, timestamp: 0, ssrc: peer.ssrc }
  peer.send(writeRtp({ ...odd, payload: Buffer.alloc(160) }))
  await waitUntil('it', async () => (await endpoint.stats()).unexpectedType === 34)
  const stats = await endpoint.stats()
  expect(stats.largestGapMs).toBeGreaterThanOrEqual(300)
  expect(stats.digitPackets).toBeGreaterThan(3)
  expect(stats.bytesReceived).toBeGreaterThan(
    (stats.packetsReceived - stats.digitPackets) * 172 - 1,
  )
  expect([stats.sourceAddress, stats.sourcePort]).toEqual(['127.0.0.1', peer.port])
})

describe('ports', () => {
  it('are even, skip what others hold, and run out with NoPortError', async () => {
    const range = await freeRange(4)
    const squatter = createSocket('udp4')
    squatter.bind(range.first + 3, '127.0.0.1') // the RTCP port of the second pair
    await once(squatter, 'listening')
    await using engine = await start(range)
    const endpoints = [await engine.open({}), await engine.open({}), await engine.open({})]
    expect(endpoints.map((one) => one.port - range.first)).toEqual([0, 4, 6])
    await expect(engine.open({})).rejects.toThrow(NoPortError)
    await endpoints[1]?.close()
    expect((await engine.open({})).port - range.first).toBe(4)
    squatter.close()
    await once(squatter, 'close')
    expect((await engine.open({})).port - range.first).toBe(2)
  })

  it('with half of them taken by others, every call that fits is heard [E37]', async () => {
    const range = await freeRange(8)
    const squatters = [0, 2, 4, 6].map((pair) => {
      const socket = createSocket('udp4')
      socket.bind(range.first + 2 * pair, '127.0.0.1')
      return socket
    })
    await Promise.all(squatters.map((socket) => once(socket, 'listening')))
    await using engine = await start(range)
    const calls = [1, 2, 3, 4].map(() => connectPeer(engine))
    for (const [i, call] of (await Promise.all(calls)).entries()) {
      call.endpoint.setEcho(true)
      call.peer.speak(440 + 110 * i)
      await call.peer.waitForTone(440 + 110 * i)
      await call[Symbol.asyncDispose]()
    }
    for (const socket of squatters) socket.close()
  })

  it('an address that is not ours is no lack of ports', async () => {
    await using engine = await createMediaEngine({
      host: '192.0.2.1',
      rtpPorts: await freeRange(2),
      workerFile: MEDIA_WORKER,
    })
    const failure = await engine.open({}).catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(Error)
    expect(failure).not.toBeInstanceOf(NoPortError)
  })

  it('a call on a port that was just freed hears nothing of the one before [E37]', async () => {
    await using engine = await start(await freeRange(1))
    const before = await connectPeer(engine)
    before.peer.speak(990)
    before.endpoint.setEcho(true)
    await before.peer.waitForTone(990)
    const { port } = before.endpoint
    await before.endpoint.close()
    await using after = await connectPeer(engine)
    expect(after.endpoint.port).toBe(port)
    after.endpoint.setEcho(true)
    after.peer.speak(440)
    await after.peer.waitForTone(440)
    await waitUntil('strays', async () => (await after.endpoint.stats()).packetsIgnored > 10)
    expect(toneShare(after.peer.heard().slice(-3200), 990)).toBeLessThan(0.02)
    await before.peer[Symbol.asyncDispose]()
  })
})

describe('the end of the thread', () => {
  it('is orderly: everything open is closed, nothing can be opened', async () => {
    const engine = await start()
    const call = await connectPeer(engine)
    const playback = call.endpoint.play({ type: 'silence', durationMs: -1 })
    await engine[Symbol.asyncDispose]()
    expect((await playback.ended).reason).toBe('closed')
    await expect(engine.open({})).rejects.toThrow(MediaClosedError)
    await expect(engine.stats()).rejects.toThrow(MediaClosedError)
    await engine[Symbol.asyncDispose]()
    await call[Symbol.asyncDispose]()
  })

  it('is loud when it dies: everything pending ends, everybody is told', async () => {
    using folder = tempFolder()
    const file = join(folder.path, 'dying-worker.mjs')
    // The real thread, with a way to kill it: a WAV file of that name.
    writeFileSync(
      file,
      `import { parentPort } from 'node:worker_threads'
       await import(${JSON.stringify(MEDIA_WORKER.href)})
       parentPort.on('message', (messages) => {
         const isEnd = ({ command }) => command?.source?.path === 'die'
         if (messages.some(isEnd)) throw new Error('killed by the test')
       })`,
    )
    const onFailure = vi.fn()
    const engine = await createMediaEngine({
      host: '127.0.0.1',
      rtpPorts: { first: 0, last: 0 },
      workerFile: pathToFileURL(file),
      onFailure,
    })
    const onFailed = vi.fn()
    const call = await connectPeer(engine, { events: { onFailed } })
    const playback = call.endpoint.play({ type: 'silence', durationMs: -1 })
    await playback.started
    const recording = call.endpoint.record(join(folder.path, 'lost.wav'), { channels: 'mono' })
    const digits = expect(call.endpoint.sendDigits('WWWWWW')).rejects.toThrow(MediaClosedError)
    call.endpoint.play({ type: 'file', path: 'die' })
    expect((await playback.ended).reason).toBe('closed')
    expect(await recording.ended).toMatchObject({ reason: 'failed', error: 'killed by the test' })
    await digits
    expect(onFailure).toHaveBeenCalledExactlyOnceWith(new Error('killed by the test'))
    expect(onFailed).toHaveBeenCalledOnce()
    await expect(engine.open({})).rejects.toThrow(MediaClosedError)
    await call[Symbol.asyncDispose]()
    await engine[Symbol.asyncDispose]()
  })

  it('is reported when the thread cannot even start', async () => {
    const options = { host: '127.0.0.1', rtpPorts: { first: 0, last: 0 } }
    const workerFile = new URL('file:///nowhere/worker.js')
    await expect(createMediaEngine({ ...options, workerFile })).rejects.toThrow()
  })
})
