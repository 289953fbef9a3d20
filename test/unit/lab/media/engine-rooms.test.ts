import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createMediaEngine } from '../../../../src/lab/media/engine.js'
import type { MediaEngine } from '../../../../src/lab/media/model/media-engine.js'
import { connectPeer, MEDIA_WORKER, type PeerCall } from '../../../support/media/rtp-engine.js'
import { tempFolder } from '../../../support/process/temp-folder.js'
import { rms, toneShare } from '../../../support/sound/tone.js'
import { readWav } from '../../../support/sound/tone-wav.js'
import { waitUntil } from '../../../support/time/wait-until.js'

const TONE = { type: 'tone', script: '%(1500,0,1900);loops=-1' } as const

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

/** So many parties, each saying a tone of its own. */
async function parties(count: number): Promise<{ calls: PeerCall[]; tones: number[] }> {
  const calls: PeerCall[] = []
  const tones = Array.from({ length: count }, (_, i) => 400 + i * 150)
  for (const tone of tones) {
    const call = await connectPeer(engine)
    call.peer.speak(tone)
    calls.push(call)
  }
  return { calls, tones }
}

/** What of the last 200 ms is each tone: the mixture's tones are equally loud. */
function heardTones(call: PeerCall, tones: readonly number[]): number[] {
  const last = call.peer.heard().subarray(-1600)
  return tones.filter((tone) => toneShare(last, tone) > 0.5 / tones.length)
}

const hears = (call: PeerCall, all: readonly number[], wanted: readonly number[]) => () =>
  call.peer.heard().length > 1600 && String(heardTones(call, all)) === String(wanted)

describe('a room', () => {
  it('lets everybody hear all others, and nobody themselves', async () => {
    const { calls, tones } = await parties(6)
    const room = engine.openRoom({})
    for (const { endpoint } of calls) endpoint.joinRoom(room)
    for (const [i, call] of calls.entries()) {
      const others = tones.filter((_, j) => j !== i)
      await waitUntil(`party ${i} to hear ${others.join(' ')}`, hears(call, tones, others))
    }
    // One leaves: it hears silence, and nobody hears it.
    const [first, second] = calls
    first?.endpoint.leaveRoom()
    await first?.peer.waitForSilence()
    if (second !== undefined) await waitUntil('it is gone', hears(second, tones, tones.slice(2)))
    await room.close()
    await second?.peer.waitForSilence()
    for (const call of calls) await call[Symbol.asyncDispose]()
  })

  it('mutes, deafens, and keeps one from another', async () => {
    const { calls, tones } = await parties(3)
    const [a, b, c] = calls
    if (a === undefined || b === undefined || c === undefined) throw new Error('three parties')
    const [ta = 0, tb = 0, tc = 0] = tones
    const room = engine.openRoom({})
    for (const { endpoint } of calls) endpoint.joinRoom(room)
    a.endpoint.setRoomVoice({ speaks: false, hears: true })
    await waitUntil('a is muted', hears(b, tones, [tc]))
    await waitUntil('a still hears', hears(a, tones, [tb, tc]))
    a.endpoint.setRoomVoice({ speaks: true, hears: false })
    await a.peer.waitForSilence()
    await waitUntil('a speaks', hears(b, tones, [ta, tc]))
    a.endpoint.setRoomVoice({ speaks: true, hears: true })
    b.endpoint.setDeafTo(a.endpoint, true)
    await waitUntil('b hears c alone', hears(b, tones, [tc]))
    await waitUntil('c hears both', hears(c, tones, [ta, tb]))
    a.endpoint.setRoomVoice({ speaks: false, hears: true })
    await waitUntil('b hears c alone, a being mute', hears(b, tones, [tc]))
    a.endpoint.setRoomVoice({ speaks: true, hears: true })
    b.endpoint.setDeafTo(a.endpoint, false)
    await waitUntil('b hears both', hears(b, tones, [ta, tc]))
    await room.close()
    for (const call of calls) await call[Symbol.asyncDispose]()
  })

  it('plays to all, and records what all say', async () => {
    const { calls, tones } = await parties(2)
    const room = engine.openRoom({})
    for (const { endpoint } of calls) endpoint.joinRoom(room)
    const file = join(folder.path, 'room.wav')
    const recording = room.record(file, { channels: 'mono' })
    await recording.started
    const playback = room.play(TONE)
    for (const [i, call] of calls.entries()) {
      const other = tones[1 - i] ?? 0
      await waitUntil('the tone', hears(call, [...tones, 1900], [other, 1900]))
    }
    room.break('all')
    expect((await playback.ended).reason).toBe('break')
    const short = room.play({ type: 'silence', durationMs: 100 })
    expect((await short.ended).reason).toBe('done')
    room.stopRecording(file)
    const end = await recording.ended
    expect(end.reason).toBe('stopped')
    const [mix = new Int16Array()] = readWav(file).samples
    expect(mix.length).toBe(end.samples)
    for (const tone of tones) expect(toneShare(mix, tone)).toBeGreaterThan(0.15)
    await room.close()
    for (const call of calls) await call[Symbol.asyncDispose]()
  })

  it('loses a party that hangs up, and ends its own work when it closes', async () => {
    const { calls, tones } = await parties(3)
    const [a, b] = calls
    if (a === undefined || b === undefined) throw new Error('parties')
    const room = engine.openRoom({})
    for (const { endpoint } of calls) endpoint.joinRoom(room)
    await a[Symbol.asyncDispose]()
    await waitUntil('b hears c alone', hears(b, tones, tones.slice(2)))
    const playback = room.play({ type: 'silence', durationMs: -1 })
    await playback.started
    await room.close()
    expect((await playback.ended).reason).toBe('closed')
    await b.peer.waitForSilence()
    b.peer.forget()
    expect(rms(b.peer.heard())).toBe(0)
    for (const call of calls.slice(1)) await call[Symbol.asyncDispose]()
  })
})
