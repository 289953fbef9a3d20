import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createMediaEngine } from '../../../../src/lab/media/engine.js'
import { MediaClosedError, type MediaEngine } from '../../../../src/lab/media/model/media-engine.js'
import { connectPeer, MEDIA_WORKER, remoteOf } from '../../../support/media/rtp-engine.js'
import { writeKey, writeRtp } from '../../../support/media/rtp-packets.js'
import { toneShare } from '../../../support/sound/tone.js'
import { waitUntil } from '../../../support/time/wait-until.js'

let engine: MediaEngine
beforeAll(async () => {
  engine = await createMediaEngine({
    host: '127.0.0.1',
    rtpPorts: { first: 0, last: 0 },
    workerFile: MEDIA_WORKER,
  })
})
afterAll(() => engine[Symbol.asyncDispose]())

const ALL = '0123456789*#ABCD'

describe.each([96, 101, 127])('telephone-event as payload type %i', (dtmfPayloadType) => {
  it('sends every key once, with three ends', async () => {
    await using call = await connectPeer(engine, { dtmfPayloadType })
    await call.endpoint.sendDigits(ALL, { durationMs: 60, gapMs: 40 })
    await call.peer.waitForDigits(ALL)
    const ofEvents = () => call.peer.packets.filter((one) => one.payloadType === dtmfPayloadType)
    const ofEnds = () => ofEvents().filter((one) => ((one.payload[1] ?? 0) & 0x80) !== 0)
    await waitUntil('every end', () => ofEnds().length >= 3 * ALL.length)
    const [events, ends] = [ofEvents(), ofEnds()]
    expect(ends).toHaveLength(3 * ALL.length)
    expect(events.filter((one) => one.isMarked)).toHaveLength(ALL.length)
    expect(new Set(ends.map((one) => one.payload.readUInt16BE(2)))).toEqual(new Set([480]))
  })

  it('receives every key once', async () => {
    const digits: string[] = []
    const onDigit = (digit: string, durationMs: number, source: string) => {
      digits.push(`${digit} ${durationMs} ${source}`)
    }
    await using call = await connectPeer(engine, { dtmfPayloadType, events: { onDigit } })
    await call.peer.sendDigits('159#', { durationMs: 80 })
    await waitUntil('four keys', () => digits.length === 4)
    expect(digits).toEqual(['1', '5', '9', '#'].map((digit) => `${digit} 80 rfc4733`))
  })
})

it('hears keys through loss, jitter and packets that change places', async () => {
  const digits: string[] = []
  const network = { seed: 42, lossShare: 0.05, jitterMs: 60, reorderShare: 0.02 }
  await using call = await connectPeer(engine, {
    network,
    events: { onDigit: (digit) => digits.push(digit) },
  })
  const pressed = '0123456789'
  await call.peer.sendDigits(pressed)
  await waitUntil('ten keys', () => digits.length >= pressed.length)
  expect(digits.join('')).toBe(pressed)
})

/** A telephone-event packet of a sender of its own. */
function eventPacket(
  key: string,
  head: { sequence: number; timestamp: number; ssrc: number },
  duration: number,
  isEnd: boolean,
): Buffer {
  const payload = writeKey(key, duration, isEnd)
  return writeRtp({ ...head, payloadType: 101, isMarked: false, payload })
}

it('hears keys whose timestamps run backwards, as those of replayed recordings do', async () => {
  const digits: string[] = []
  await using call = await connectPeer(engine, {
    events: { onDigit: (digit) => digits.push(digit) },
  })
  let sequence = 1
  for (const [key, timestamp] of [
    ['4', 90_000],
    ['2', 45_000],
    ['2', 45_000],
  ] as const)
    for (const duration of [160, 320, 480, 480, 480]) {
      const head = { sequence: sequence++, timestamp, ssrc: 7 }
      call.peer.send(eventPacket(key, head, duration, duration === 480))
    }
  await waitUntil('three keys', () => digits.length >= 3)
  expect(digits.join('')).toBe('422')
})

it('hears each key once from a phone that sends keys and audio from two sources', async () => {
  const digits: string[] = []
  await using call = await connectPeer(engine, {
    events: { onDigit: (digit) => digits.push(digit) },
  })
  const { endpoint, peer } = call
  endpoint.setEcho(true)
  peer.speak(440)
  const press = async (time: number): Promise<number> => {
    await peer.waitForTone(440)
    peer.forget()
    const pressed = digits.length
    for (let frame = 1; frame <= 8; frame++) {
      const head = { sequence: time * 8 + frame, timestamp: 5_000 * time, ssrc: 0x99 }
      peer.send(eventPacket('6', head, 160 * Math.min(frame, 6), frame >= 6))
      const { packetsReceived } = await endpoint.stats()
      await waitUntil(
        'audio between',
        async () => (await endpoint.stats()).packetsReceived > packetsReceived,
      )
    }
    await waitUntil('the key', () => digits.length > pressed)
    await peer.waitForTone(440)
    return toneShare(peer.heard().subarray(-3200), 440)
  }
  // The audio's buffer is not thrown away for each packet of the key. A pause of this process leaves a
  // gap as well, but not each time.
  let times = 1
  let share = await press(times)
  for (; times < 6 && share <= 0.95; share = await press(times)) times++
  expect(share).toBeGreaterThan(0.95)
  expect(digits).toEqual(Array.from({ length: times }, () => '6'))
})

it('takes no key from a payload type that was not agreed upon', async () => {
  const digits: string[] = []
  await using call = await connectPeer(engine, {
    dtmfPayloadType: 96,
    remote: { dtmfPayloadType: 101 },
    events: { onDigit: (digit) => digits.push(digit) },
  })
  await call.peer.sendDigits('5')
  await waitUntil('ignored', async () => (await call.endpoint.stats()).packetsIgnored > 0)
  expect(digits).toEqual([])
  // Each side may have its own number (RFC 3264 §5.1): we send 101 and listen to 96.
  call.endpoint.setRemote(remoteOf(call.peer, { remote: { localDtmfPayloadType: 96 } }))
  await call.peer.sendDigits('5')
  await waitUntil('the key', () => digits.length === 1)
})

it('sends keys as tones to a peer without telephone-event', async () => {
  await using call = await connectPeer(engine, { hasEvents: false })
  await call.endpoint.sendDigits('5w', { durationMs: 200, gapMs: 100 })
  const begins = () => call.peer.heard().findIndex((sample) => Math.abs(sample) > 1000)
  const isHeard = () => begins() >= 0 && call.peer.heard().length >= begins() + 2300
  await waitUntil('the key and the pause', isHeard)
  const [heard, start] = [call.peer.heard(), begins()]
  const key = heard.slice(start, start + 1500)
  expect(toneShare(key, 770)).toBeGreaterThan(0.4)
  expect(toneShare(key, 1336)).toBeGreaterThan(0.4)
  expect(heard.slice(start + 1700, start + 2300).every((sample) => Math.abs(sample) < 64)).toBe(
    true,
  )
})

it('audio goes on around a key, with timestamps that run through', async () => {
  await using call = await connectPeer(engine)
  call.endpoint.play({ type: 'tone', script: '%(1000,0,600);loops=-1' })
  await call.peer.waitForTone(600)
  await call.endpoint.sendDigits('7', { durationMs: 100 })
  await call.peer.waitForTone(600)
  const audio = call.peer.packets.filter((one) => one.payloadType === 0)
  const key = call.peer.packets.filter((one) => one.payloadType === 101)
  expect(new Set(key.map((one) => one.timestamp)).size).toBe(1)
  // Seven packets of the key stand in for seven frames of audio.
  const gaps = audio.slice(1).map((one, i) => (one.timestamp - (audio[i]?.timestamp ?? 0)) >>> 0)
  expect(gaps.filter((gap) => gap !== 160)).toEqual([8 * 160])
})

it.each(['x', '1 2', '5;', 'é'])('refuses "%s"', async (digits) => {
  await using call = await connectPeer(engine)
  await expect(call.endpoint.sendDigits(digits)).rejects.toThrow(RangeError)
})

it('sending is over when the endpoint closes', async () => {
  const call = await connectPeer(engine)
  const sending = expect(call.endpoint.sendDigits('WWWW')).rejects.toThrow(MediaClosedError)
  await call[Symbol.asyncDispose]()
  await sending
  await expect(call.endpoint.sendDigits('1')).rejects.toThrow(MediaClosedError)
  await call.endpoint.stats()
})
