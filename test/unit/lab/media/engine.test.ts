import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createMediaEngine } from '../../../../src/lab/media/engine.js'
import type { MediaEngine } from '../../../../src/lab/media/model/media-engine.js'
import { connectPeer, MEDIA_WORKER } from '../../../support/media/rtp-engine.js'
import { encodeSample } from '../../../support/media/rtp-g711.js'
import { tempFolder } from '../../../support/process/temp-folder.js'
import { rms, sine, toneShare } from '../../../support/sound/tone.js'
import { pcm16, writeWav } from '../../../support/sound/tone-wav.js'
import { waitUntil } from '../../../support/time/wait-until.js'

let engine: MediaEngine
const folder = tempFolder()
beforeAll(async () => {
  engine = await createMediaEngine({
    host: '127.0.0.1',
    rtpPorts: { first: 0, last: 0 },
    workerFile: MEDIA_WORKER,
  })
})
afterAll(async () => {
  await engine[Symbol.asyncDispose]()
  folder[Symbol.dispose]()
})

const tone = (hz: number, script = `%(1000,0,${hz});loops=-1`) =>
  ({ type: 'tone', script }) as const

describe('playing', () => {
  it.each(['PCMU', 'PCMA'] as const)('a tone is heard in %s, then silence', async (codec) => {
    await using call = await connectPeer(engine, { codec })
    const playback = call.endpoint.play(tone(600, '%(400,0,600)'))
    await call.peer.waitForTone(600)
    expect(await playback.ended).toEqual({ reason: 'done', playedSamples: 3200 })
    await call.peer.waitForSilence()
  })

  it('sends even packets: one source, sequence and timestamps without a gap, the first one marked', async () => {
    await using call = await connectPeer(engine)
    call.endpoint.play(tone(600))
    await waitUntil('20 packets', () => call.peer.packets.length >= 20)
    const packets = call.peer.packets.slice(0, 20)
    const [first] = packets
    packets.forEach((packet, i) => {
      expect(packet).toMatchObject({ payloadType: 0, isMarked: i === 0, ssrc: first?.ssrc })
      expect(packet.payload).toHaveLength(160)
      expect((packet.sequence - (first?.sequence ?? 0)) & 0xffff).toBe(i)
      expect((packet.timestamp - (first?.timestamp ?? 0)) >>> 0).toBe(i * 160)
    })
  })

  it.each<[string, number, number, number, (samples: Int16Array) => Buffer]>([
    ['16-bit 8 kHz', 1, 16, 1, (samples) => pcm16(samples)],
    ['stereo', 1, 16, 2, (samples) => pcm16(samples, 2)],
    ['8-bit', 1, 8, 1, (samples) => Buffer.from(samples.map((one) => (one >> 8) + 128))],
    ['µ-law', 7, 8, 1, (samples) => Buffer.from(samples.map((one) => encodeSample('PCMU', one)))],
    ['A-law', 6, 8, 1, (samples) => Buffer.from(samples.map((one) => encodeSample('PCMA', one)))],
  ])('a WAV file, %s', async (title, format, bits, channels, toData) => {
    const path = join(folder.path, `${title}.wav`)
    writeWav(path, { format, bits, channels, sampleRate: 8000, data: toData(sine(500, 3200)) })
    await using call = await connectPeer(engine)
    const playback = call.endpoint.play({ type: 'file', path })
    await call.peer.waitForTone(500)
    expect(await playback.ended).toEqual({ reason: 'done', playedSamples: 3200 })
  })

  it.each([
    16_000, 44_100, 48_000,
  ])('a WAV file of %i Hz lasts as long as it should', async (rate) => {
    const path = join(folder.path, `${rate}.wav`)
    const data = pcm16(sine(700, rate / 2, 8000, rate))
    writeWav(path, { format: 1, bits: 16, channels: 1, sampleRate: rate, data })
    await using call = await connectPeer(engine)
    const playback = call.endpoint.play({ type: 'file', path })
    await call.peer.waitForTone(700)
    expect(await playback.ended).toEqual({ reason: 'done', playedSamples: 4000 })
  })

  it('a long file is read as it plays, from an offset, and closed at the break', async () => {
    const path = join(folder.path, 'long.wav')
    const samples = Int16Array.from([...sine(500, 8000 * 20), ...sine(900, 8000 * 60)])
    writeWav(path, { format: 1, bits: 16, channels: 1, sampleRate: 8000, data: pcm16(samples) })
    await using call = await connectPeer(engine)
    const playback = call.endpoint.play({ type: 'file', path, offsetSamples: 8000 * 20 - 1600 })
    await call.peer.waitForTone(500)
    await call.peer.waitForTone(900)
    expect((await engine.stats()).openFiles).toBe(1)
    call.endpoint.break('current')
    expect((await playback.ended).reason).toBe('break')
    await waitUntil('no open file', async () => (await engine.stats()).openFiles === 0)
  })

  it.each([
    ['a file that is not there', { type: 'file', path: '/nowhere/at-all.wav' }],
    ['a folder', { type: 'file', path: '/tmp' }],
    ['a file that is no WAV', { type: 'file', path: import.meta.filename }],
    ['a script that is none', { type: 'tone', script: 'nonsense' }],
  ] as const)('%s fails, and what is queued behind it plays', async (_title, source) => {
    await using call = await connectPeer(engine)
    const failing = call.endpoint.play(source)
    call.endpoint.play(tone(600))
    expect(await failing.ended).toMatchObject({ reason: 'failed', playedSamples: 0 })
    await failing.started
    await call.peer.waitForTone(600)
  })

  it('one after the other without a gap', async () => {
    await using call = await connectPeer(engine)
    const pcm = sine(500, 1650) // not a whole number of frames
    const first = call.endpoint.play({ type: 'samples', pcm })
    const second = call.endpoint.play({ type: 'samples', pcm: sine(900, 1650) })
    const third = call.endpoint.play({ type: 'silence', durationMs: 100 })
    expect(await first.ended).toEqual({ reason: 'done', playedSamples: 1650 })
    expect(await second.ended).toEqual({ reason: 'done', playedSamples: 1650 })
    expect(await third.ended).toEqual({ reason: 'done', playedSamples: 800 })
    await call.peer.waitForSilence()
    const heard = call.peer.heard()
    const start = heard.findIndex((sample) => Math.abs(sample) > 500)
    expect(toneShare(heard.slice(start, start + 1600), 500)).toBeGreaterThan(0.95)
    expect(toneShare(heard.slice(start + 1660, start + 3260), 900)).toBeGreaterThan(0.95)
  })

  it('break ends the current one, or all', async () => {
    await using call = await connectPeer(engine)
    const playbacks = [500, 700, 900].map((hz) => call.endpoint.play(tone(hz)))
    await call.peer.waitForTone(500)
    call.endpoint.break('current')
    await call.peer.waitForTone(700)
    call.endpoint.break('all')
    const ends = await Promise.all(playbacks.map((one) => one.ended))
    expect(ends.map((end) => end.reason)).toEqual(['break', 'break', 'break'])
    expect(ends[2]?.playedSamples).toBe(0)
    await call.peer.waitForSilence()
  })

  it('after a break no frame of it is sent any more', async () => {
    await using call = await connectPeer(engine)
    const playback = call.endpoint.play(tone(500))
    await call.peer.waitForTone(500)
    call.endpoint.break('current')
    await playback.ended
    // The report and a last packet may cross; what comes after that is silent.
    const sent = (await call.endpoint.stats()).packetsSent
    await waitUntil('ten more', () => call.peer.packets.length >= sent + 10)
    const after = call.peer.packets.slice(-8).flatMap((packet) => [...packet.payload])
    expect(new Set(after)).toEqual(new Set([0xff]))
  })

  it('waits until the peer is known', async () => {
    await using unknown = await connectPeer(engine)
    const endpoint = await engine.open({})
    const playback = endpoint.play(tone(600, '%(200,0,600)'))
    const { address, port } = { address: '127.0.0.1', port: unknown.peer.port }
    endpoint.setRemote({ address, port, codec: 'PCMU', direction: 'sendonly' })
    expect((await playback.ended).playedSamples).toBe(1600)
    await endpoint.close()
  })

  it('closing ends what plays and what waits', async () => {
    const call = await connectPeer(engine)
    const playbacks = [call.endpoint.play(tone(600)), call.endpoint.play(tone(700))]
    await call.peer.waitForTone(600)
    await call[Symbol.asyncDispose]()
    const ends = await Promise.all(playbacks.map((one) => one.ended))
    expect(ends.map((end) => end.reason)).toEqual(['closed', 'closed'])
    expect((await call.endpoint.play(tone(600)).ended).reason).toBe('closed')
    expect((await call.endpoint.close()).packetsSent).toBeGreaterThan(0)
  })
})

describe('directions', () => {
  it.each([
    ['sendrecv', true, true],
    ['sendonly', true, false],
    ['recvonly', false, true],
    ['inactive', false, false],
  ] as const)('%s', async (direction, isSending, isListening) => {
    const digits: string[] = []
    await using call = await connectPeer(engine, { events: { onDigit: (one) => digits.push(one) } })
    const { endpoint, peer } = call
    peer.speak(440)
    endpoint.setEcho(true)
    await peer.waitForTone(440)
    const remote = {
      address: '127.0.0.1',
      port: peer.port,
      codec: 'PCMU',
      dtmfPayloadType: 101,
    } as const
    endpoint.setRemote({ ...remote, direction })
    const before = await endpoint.stats()
    const received = async () => (await endpoint.stats()).packetsReceived
    await waitUntil(
      'ten packets more',
      async () => (await received()) > before.packetsReceived + 10,
    )
    await peer.sendDigits('5')
    await waitUntil('the key to pass', async () => (await received()) > before.packetsReceived + 20)
    const isSent = (await endpoint.stats()).packetsSent > before.packetsSent + 5
    expect(isSent).toBe(isSending)
    if (isListening) await waitUntil('the key', () => digits.length > 0)
    else expect(digits).toEqual([])
    // Back from hold: as before.
    endpoint.setRemote({ ...remote, direction: 'sendrecv' })
    peer.forget()
    await peer.waitForTone(440)
  })

  it('silence is not sent when it is suppressed, and the next talkspurt is marked', async () => {
    await using call = await connectPeer(engine, { remote: { silence: 'suppressed' } })
    await call.endpoint.play(tone(600, '%(200,0,600)')).ended
    await call.endpoint.play({ type: 'silence', durationMs: 100 }).ended
    await call.endpoint.play(tone(600, '%(200,0,600)')).ended
    expect((await call.endpoint.stats()).packetsSent).toBe(25)
    await waitUntil('all of them', () => call.peer.packets.length === 25)
  })

  it('nothing is sent before the first sound when that is asked for, then silence is', async () => {
    await using call = await connectPeer(engine, { remote: { silence: 'after-sound' } })
    call.peer.speak(440)
    const { endpoint, peer } = call
    await waitUntil(
      'a second of the peer',
      async () => (await endpoint.stats()).packetsReceived >= 50,
    )
    expect((await endpoint.stats()).packetsSent).toBe(0)
    await endpoint.play(tone(600, '%(200,0,600)')).ended
    await waitUntil('silence after the tone', () => peer.packets.length >= 20)
    await peer.waitForSilence()
    expect(peer.packets[0]).toMatchObject({ isMarked: true })
  })

  it('a key is a sound: silence follows it', async () => {
    await using call = await connectPeer(engine, { remote: { silence: 'after-sound' } })
    await call.endpoint.sendDigits('5')
    await call.peer.waitForDigits('5')
    await waitUntil('silence after the key', () =>
      call.peer.packets.some((one) => one.payloadType === 0),
    )
  })

  it('mutes what the peer hears, and what is heard of it', async () => {
    await using call = await connectPeer(engine)
    const { endpoint, peer } = call
    peer.speak(440)
    endpoint.setEcho(true)
    await peer.waitForTone(440)
    endpoint.setMute('write', true)
    await peer.waitForSilence()
    endpoint.setMute('write', false)
    await peer.waitForTone(440)
    endpoint.setMute('read', true)
    await peer.waitForSilence()
    endpoint.setMute('read', false)
    await peer.waitForTone(440)
    endpoint.setEcho(false)
    await peer.waitForSilence()
  })
})

describe('bridging', () => {
  it('each hears the other, whatever law they speak; then nobody', async () => {
    await using one = await connectPeer(engine, { codec: 'PCMU' })
    await using other = await connectPeer(engine, { codec: 'PCMA' })
    one.peer.speak(440)
    other.peer.speak(660)
    one.endpoint.bridge(other.endpoint)
    await Promise.all([one.peer.waitForTone(660), other.peer.waitForTone(440)])
    const hearsItself = toneShare(one.peer.heard().slice(-1600), 440)
    expect(hearsItself).toBeLessThan(0.02)
    one.endpoint.unbridge()
    await Promise.all([one.peer.waitForSilence(), other.peer.waitForSilence()])
  })

  it('what plays wins over the bridge', async () => {
    await using one = await connectPeer(engine)
    await using other = await connectPeer(engine)
    other.peer.speak(660)
    one.endpoint.bridge(other.endpoint)
    await one.peer.waitForTone(660)
    one.endpoint.play(tone(900))
    await one.peer.waitForTone(900)
    one.endpoint.break('all')
    await one.peer.waitForTone(660)
  })

  it('a third takes over, and the one left alone hears silence', async () => {
    await using one = await connectPeer(engine)
    await using other = await connectPeer(engine)
    await using third = await connectPeer(engine)
    one.peer.speak(440)
    third.peer.speak(880)
    one.endpoint.bridge(other.endpoint)
    await other.peer.waitForTone(440)
    one.endpoint.bridge(third.endpoint)
    await Promise.all([one.peer.waitForTone(880), other.peer.waitForSilence()])
    await third.endpoint.close()
    await one.peer.waitForSilence()
  })

  it('passes keys on, as events or as tones, as each peer takes them', async () => {
    const heard: string[] = []
    const events = { onDigit: (digit: string) => heard.push(digit) }
    await using one = await connectPeer(engine, { dtmfPayloadType: 96, events })
    await using other = await connectPeer(engine, { dtmfPayloadType: 101 })
    one.endpoint.bridge(other.endpoint)
    await one.peer.sendDigits('1#')
    await other.peer.waitForDigits('1#')
    await other.peer.sendDigits('*9')
    await one.peer.waitForDigits('*9')
    expect(heard).toEqual(['1', '#'])
  })
})

describe('levels and silence', () => {
  it('reports talking and quiet', async () => {
    const states: boolean[] = []
    const events = { onTalking: (isTalking: boolean) => states.push(isTalking) }
    await using call = await connectPeer(engine, { events })
    call.endpoint.watchLevel({ hangoverMs: 200 })
    call.peer.speak(440)
    await waitUntil('talking', () => states.at(-1) === true)
    call.peer.speak(0)
    await waitUntil('quiet', () => states.at(-1) === false)
    // A pause of this process is a pause of the peer.
    expect(states).toEqual(states.map((_, i) => i % 2 === 0))
  })

  it('reports the first packet, and each long silence once', async () => {
    const seen: string[] = []
    const events = {
      onFirstPacket: () => seen.push('first'),
      onMediaTimeout: () => seen.push('timeout'),
    }
    await using call = await connectPeer(engine, { events })
    call.endpoint.watchSilence(200)
    await waitUntil('the first timeout', () => seen.length === 1)
    call.peer.speak(0)
    await waitUntil('the first packet', () => seen.includes('first'))
    call.peer.mute()
    await waitUntil('the second timeout', () => seen.length >= 3)
    expect(seen.slice(0, 3)).toEqual(['timeout', 'first', 'timeout'])
  })

  it('does not take a hold for silence', async () => {
    const seen: string[] = []
    const events = { onMediaTimeout: () => seen.push('timeout') }
    await using call = await connectPeer(engine, { events, remote: { direction: 'sendonly' } })
    call.endpoint.watchSilence(100)
    const sent = async () => (await call.endpoint.stats()).packetsSent
    await waitUntil('300 ms', async () => (await sent()) > 15)
    expect(seen).toEqual([])
  })
})

it('an IPv6 peer is heard and hears', async () => {
  await using six = await createMediaEngine({
    host: '::1',
    rtpPorts: { first: 0, last: 0 },
    workerFile: MEDIA_WORKER,
  })
  await using call = await connectPeer(six, { host: '::1' })
  call.endpoint.setEcho(true)
  call.peer.speak(440)
  await call.peer.waitForTone(440)
  expect(rms(call.peer.heard())).toBeGreaterThan(100)
})
