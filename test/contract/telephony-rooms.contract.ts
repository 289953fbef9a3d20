import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ForkEvents } from '../../src/voice/telephony/leg-media.js'
import type { TelephonyRig } from '../support/media/telephony-rig.js'
import { toneLevel, toneShare } from '../support/sound/tone.js'
import { readWav } from '../support/sound/tone-wav.js'
import { waitUntil } from '../support/time/wait-until.js'

const LIMIT_MS = 15_000
const SPEAKS = { speaks: 'yes' } as const
const NOBODY: ForkEvents = {
  onAudio: () => undefined,
  onMark: () => undefined,
  onEnded: () => undefined,
}

/** One channel of 16 bits; before its samples, a server may write of itself. */
function readRecorded(path: string): Int16Array {
  const bytes = readFileSync(path)
  let at = 12
  while (bytes.toString('latin1', at, at + 4) !== 'data') at += 8 + bytes.readUInt32LE(at + 4)
  const length = bytes.readUInt32LE(at + 4) / 2
  return Int16Array.from({ length }, (_, i) => bytes.readInt16LE(at + 8 + 2 * i))
}

export function describeRooms(rig: () => TelephonyRig): void {
  let folder: string
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'trunkline-rooms-'))
  })
  afterAll(() => {
    rmSync(folder, { recursive: true, force: true })
  })

  /** So many answered calls, each saying a tone of its own. */
  async function parties(count: number) {
    const tones = Array.from({ length: count }, (_, i) => 500 + i * 400)
    const calls = await Promise.all(tones.map(() => rig().dialed()))
    for (const [i, { peer }] of calls.entries()) peer.rtp.speak(tones[i] ?? 0)
    return calls.map((call, i) => ({ ...call, tone: tones[i] ?? 0 }))
  }
  type Party = Awaited<ReturnType<typeof parties>>[number]

  /** Waits until the party hears these parties, equally loud, and none of the rest. */
  async function untilHears(party: Party, all: readonly Party[], wanted: readonly Party[]) {
    const heard = () => {
      const last = party.peer.rtp.heardLately()
      return all.filter(({ tone }) => toneShare(last, tone) > 0.5 / all.length)
    }
    const tonesOf = (some: readonly Party[]) => some.map(({ tone }) => tone).join(' ')
    await waitUntil(
      `${party.tone} hears ${tonesOf(wanted)}`,
      () => tonesOf(heard()) === tonesOf(wanted),
      LIMIT_MS,
      () => tonesOf(heard()),
    )
  }

  describe('rooms', () => {
    const NAME = () => `room-${process.hrtime.bigint()}`

    it('let everybody hear all others, and survive one who leaves', async () => {
      const all = await parties(3)
      const name = NAME()
      const seats = await Promise.all(all.map(({ leg }) => leg.media.joinRoom(name, SPEAKS)))
      for (const one of all)
        await untilHears(
          one,
          all,
          all.filter((other) => other !== one),
        )
      const [first, second, third] = all
      if (!first || !second || !third) throw new Error('three were called')
      await seats[0]?.leave()
      expect(first.leg.state).toBe('answered')
      await untilHears(second, all, [third])
      await second.leg.hangup()
      await seats[1]?.left
      await untilHears(third, all, [])
      await third.leg.hangup()
      // The room is over with its last one; the name is free.
      const again = await first.leg.media.joinRoom(name, SPEAKS)
      await again.leave()
      await first.leg.hangup()
    })

    it('mute one for all, and for one of them', async () => {
      const all = await parties(3)
      const [first, second, third] = all
      if (!first || !second || !third) throw new Error('three were called')
      const name = NAME()
      const one = await first.leg.media.joinRoom(name, { speaks: 'no' })
      const two = await second.leg.media.joinRoom(name, SPEAKS)
      await third.leg.media.joinRoom(name, SPEAKS)
      await untilHears(third, all, [second])
      await one.setSpeaks('yes')
      await untilHears(third, all, [first, second])
      await one.setHeardBy(two, 'no')
      await untilHears(second, all, [third])
      await untilHears(third, all, [first, second])
      await one.setHeardBy(two, 'yes')
      await untilHears(second, all, [first, third])
      for (const { leg } of all) await leg.hangup()
    })

    it('keep one out of hearing while it hears its own music, and let it back', async () => {
      const all = await parties(3)
      const [first, second, third] = all
      if (!first || !second || !third) throw new Error('three were called')
      const name = NAME()
      const seats = await Promise.all(all.map(({ leg }) => leg.media.joinRoom(name, SPEAKS)))
      await untilHears(first, all, [second, third])
      await seats[0]?.setSpeaks('no')
      await seats[0]?.setHears('no')
      await untilHears(second, all, [third])
      await untilHears(first, all, [])
      const music = new AbortController()
      const tone = { type: 'tone', frequencies: [2100], onMs: 60_000, offMs: 0, repeat: 1 } as const
      const played = first.leg.media.play(tone, music.signal)
      await waitUntil(
        'it hears its music',
        () => toneShare(first.peer.rtp.heardLately(), 2100) > 0.5,
        LIMIT_MS,
      )
      await untilHears(second, all, [third])
      music.abort(new Error('enough'))
      await expect(played).rejects.toThrow('enough')
      await seats[0]?.setHears('yes')
      await seats[0]?.setSpeaks('yes')
      await untilHears(first, all, [second, third])
      await untilHears(second, all, [first, third])
      // Nobody is left in there, whoever plays on top.
      const more = first.leg.media.play(tone, new AbortController().signal)
      const ended = expect(more).rejects.toThrow()
      await second.leg.hangup()
      await third.leg.hangup()
      await first.leg.hangup()
      await ended
    })

    it('tell who talks and who does not, nor is heard', async () => {
      const all = await parties(2)
      const [first, second] = all
      if (!first || !second) throw new Error('two were called')
      const name = NAME()
      const told: string[] = []
      const seat = await first.leg.media.joinRoom(name, SPEAKS)
      seat.onTalking((talking) => told.push(talking))
      const other = await second.leg.media.joinRoom(name, { speaks: 'no' })
      other.onTalking((talking) => told.push(`the other ${talking}`))
      const untilTold = async (wanted: string, since: number) => {
        const isTold = () => told.slice(since).at(-1) === wanted
        await waitUntil(`it is told: ${wanted}`, isTold, LIMIT_MS, () => told.join(' '))
        return told.length
      }
      const begun = await untilTold('started', 0)
      first.peer.rtp.speak(0)
      const ended = await untilTold('stopped', begun)
      first.peer.rtp.speak(first.tone)
      await untilTold('started', ended)
      // In turns, whatever pauses a busy machine made in what the first one said.
      expect(told).toEqual(told.map((_, index) => (index % 2 === 0 ? 'started' : 'stopped')))
      for (const { leg } of all) await leg.hangup()
    })

    it('are recorded: what all say, whoever leaves, until stopped or empty', async () => {
      const all = await parties(2)
      const [first, second] = all
      if (!first || !second) throw new Error('two were called')
      const name = NAME()
      const seat = await first.leg.media.joinRoom(name, SPEAKS)
      await second.leg.media.joinRoom(name, SPEAKS)
      await untilHears(first, all, [second])
      const sizeOf = (file: string) => statSync(file, { throwIfNoEntry: false })?.size ?? 0
      const [one, two] = [join(folder, `${name}-1.wav`), join(folder, `${name}-2.wav`)]
      const stopped = await seat.record(one)
      await expect(seat.record('/dev/null/no.wav')).rejects.toThrow()
      const emptied = await seat.record(two)
      await untilHears(second, all, [first])
      await waitUntil('something is recorded', () => sizeOf(one) > 8_000, LIMIT_MS)
      await stopped.stop()
      const samples = readRecorded(one)
      for (const { tone } of all) expect(toneLevel(samples, tone)).toBeGreaterThan(500)
      await waitUntil('the other goes on', () => sizeOf(two) > sizeOf(one), LIMIT_MS)
      await first.leg.hangup()
      await second.leg.hangup()
      await emptied.stop()
      expect(readRecorded(two).length).toBeGreaterThan(samples.length)
    })

    it.each(['a recording', 'a fork'])('let a leg hear on when %s of it begins', async (what) => {
      const all = await parties(2)
      const [first, second] = all
      if (!first || !second) throw new Error('two were called')
      const name = NAME()
      const seats = await Promise.all(all.map(({ leg }) => leg.media.joinRoom(name, SPEAKS)))
      await untilHears(first, all, [second])
      const { media } = first.leg
      const begun =
        what === 'a fork'
          ? await media.fork({ name: 'late', hears: 'both', speaks: 'no' }, NOBODY)
          : await media.record(join(folder, `${name}-leg.wav`), { channels: 'mono' })
      // Another tone than before, so that it is heard now.
      second.peer.rtp.speak(1_700)
      await waitUntil('it is heard', () => first.peer.rtp.hears(1_700), LIMIT_MS)
      await seats[0]?.leave()
      await begun.stop()
      for (const { leg } of all) await leg.hangup()
    })

    it.each([
      0, 1,
    ])('hold all of a short recording of one whose turn to enter was %i', async (turn) => {
      const path = join(folder, `short ${String(turn)}.wav`)
      const all = await parties(2)
      const name = NAME()
      for (const { leg } of all) await leg.media.joinRoom(name, { speaks: 'yes' })
      const [one, other] = turn === 0 ? all : all.toReversed()
      if (one === undefined || other === undefined) throw new Error('unreachable')
      await untilHears(one, all, [other])
      const recording = await one.leg.media.record(path, { channels: 'stereo' })
      // 300 ms by the clock of what is said, however busy the machine.
      const start = one.peer.rtp.clock
      await waitUntil('a little is said', () => (one.peer.rtp.clock - start) >>> 0 >= 2_400)
      await recording.stop()
      const { samples } = readWav(path)
      const [said = new Int16Array(), heard = new Int16Array()] = samples
      expect(said.length).toBeGreaterThan(1_600)
      expect(toneShare(said.subarray(-1_000), one.tone)).toBeGreaterThan(0.5)
      expect(toneShare(heard.subarray(-1_000), other.tone)).toBeGreaterThan(0.5)
      await Promise.all(all.map(({ leg }) => leg.hangup()))
    })

    it('play to all', async () => {
      const all = await parties(2)
      const name = NAME()
      const seats = await Promise.all(
        all.map(({ leg }) => leg.media.joinRoom(name, { speaks: 'no' })),
      )
      await seats[0]?.play({ type: 'tone', frequencies: [1900], onMs: 4_000, offMs: 0, repeat: 1 })
      for (const { peer } of all)
        await waitUntil(
          'it is heard',
          () => toneShare(peer.rtp.heardLately(), 1900) > 0.5,
          LIMIT_MS,
        )
      for (const { leg } of all) await leg.hangup()
    })
  })
}
