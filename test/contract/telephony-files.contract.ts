import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { TelephonyRig, type TelephonyServers } from '../support/media/telephony-rig.js'
import { toneShare } from '../support/sound/tone.js'
import { toneWav } from '../support/sound/wav-bytes.js'
import { waitUntil } from '../support/time/wait-until.js'

const LIMIT_MS = 15_000
const SPEAKS = { speaks: 'yes' } as const

/**
 * What must hold when the media server shares no folder with us. `theirs` is a folder of the media
 * server's machine, which this process may look into but not the adapter.
 */
export function describeFiles(name: string, open: () => Promise<TelephonyServers>): void {
  describe(`files without a shared folder: ${name}`, () => {
    let servers: TelephonyServers
    let rig: TelephonyRig
    let folder: string
    let theirs: string
    let ours: string

    const openRig = () =>
      TelephonyRig.open(servers, { recordings: { here: ours, onMediaServer: theirs } })

    beforeAll(async () => {
      folder = mkdtempSync(join(tmpdir(), 'trunkline-files-'))
      ours = join(folder, 'ours')
      theirs = join(folder, 'theirs')
      for (const each of [ours, theirs]) mkdirSync(each)
      servers = await open()
      rig = await openRig()
    })
    afterEach(() => rig.clear())
    afterAll(async () => {
      await rig.close()
      await servers[Symbol.asyncDispose]()
      rmSync(folder, { recursive: true, force: true })
    })

    async function untilHears(party: Awaited<ReturnType<TelephonyRig['dialed']>>, hz: number) {
      const isHeard = () => toneShare(party.peer.rtp.heardLately(), hz) > 0.5
      await waitUntil(`a party hears ${hz}`, isHeard, LIMIT_MS)
    }

    it('a file is heard, again and again', async () => {
      const path = join(ours, 'prompt.wav')
      writeFileSync(path, toneWav(600, 1))
      const call = await rig.dialed()
      for (let i = 0; i < 2; i++) {
        const played = call.leg.media.play({ type: 'file', path }, new AbortController().signal)
        await untilHears(call, 600)
        await played
      }
    })

    it('a file that is not here cannot be played', async () => {
      const { leg } = await rig.dialed()
      const source = { type: 'file', path: join(ours, 'nothing.wav') } as const
      await expect(leg.media.play(source, new AbortController().signal)).rejects.toThrow(
        'could not play',
      )
    })

    it('a room hears a file', async () => {
      const path = join(ours, 'announcement.wav')
      writeFileSync(path, toneWav(700, 4))
      const call = await rig.dialed()
      const seat = await call.leg.media.joinRoom(`room-${process.hrtime.bigint()}`, SPEAKS)
      await seat.play({ type: 'file', path })
      await untilHears(call, 700)
      await seat.leave()
    })

    it('a recording is here when it has stopped, and no longer there', async () => {
      const call = await rig.dialed()
      call.peer.rtp.speak(800)
      const recording = await call.leg.media.record(join(theirs, 'leg.wav'), { channels: 'mono' })
      const hasAudio = () =>
        existsSync(join(theirs, 'leg.wav')) && statSync(join(theirs, 'leg.wav')).size > 8_000
      await waitUntil('something is recorded', hasAudio, LIMIT_MS)
      await recording.stop()
      expect(statSync(join(ours, 'leg.wav')).size).toBeGreaterThan(8_000)
      await waitUntil('it is removed there', () => !existsSync(join(theirs, 'leg.wav')))
    })

    it('a recording is brought after its leg has ended', async () => {
      const call = await rig.dialed()
      call.peer.rtp.speak(800)
      const recording = await call.leg.media.record(join(theirs, 'late.wav'), {
        channels: 'stereo',
      })
      await waitUntil('it has begun', () => existsSync(join(theirs, 'late.wav')), LIMIT_MS)
      await call.leg.hangup()
      await recording.stop()
      expect(existsSync(join(ours, 'late.wav'))).toBe(true)
    })

    it('a recording of a room is brought', async () => {
      const call = await rig.dialed()
      call.peer.rtp.speak(900)
      const seat = await call.leg.media.joinRoom(`room-${process.hrtime.bigint()}`, SPEAKS)
      const recording = await seat.record(join(theirs, 'room.wav'))
      await untilRecorded('room.wav')
      await recording.stop()
      expect(existsSync(join(ours, 'room.wav'))).toBe(true)
      await seat.leave()
    })

    it('what a killed process left on the media server is brought by the next one', async () => {
      writeFileSync(join(theirs, 'left.wav'), toneWav(500, 1))
      await using next = await other()
      expect(await next.telephony.bringRecording(join(theirs, 'left.wav'))).toBe(true)
      expect(existsSync(join(ours, 'left.wav'))).toBe(true)
      expect(await next.telephony.bringRecording(join(theirs, 'nothing.wav'))).toBe(false)
      expect(await next.telephony.bringRecording(join(folder, 'elsewhere.wav'))).toBe(false)
      expect(readdirSync(ours).filter((file) => file.endsWith('.part'))).toEqual([])
    })

    async function untilRecorded(file: string) {
      await waitUntil('something is recorded', () => existsSync(join(theirs, file)), LIMIT_MS)
    }

    async function other() {
      const next = await openRig()
      return { telephony: next.telephony, [Symbol.asyncDispose]: () => next.close() }
    }
  })
}
