import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { TelephonyRig, type TelephonyServers } from '../support/media/telephony-rig.js'
import { toneShare } from '../support/sound/tone.js'
import { waitUntil } from '../support/time/wait-until.js'

/** A drachtio, and two FreeSWITCH servers that it sends INVITEs to. */
export interface SeveralServers extends TelephonyServers {
  readonly freeswitchUrls: readonly [string, string]
}

const SPEAKS = { speaks: 'yes' } as const
const LIMIT_MS = 15_000

/** What must hold with several FreeSWITCH servers, on the lab as on real ones. */
export function describeServers(name: string, open: () => Promise<SeveralServers>): void {
  describe(`several media servers: ${name}`, () => {
    let servers: SeveralServers
    let rig: TelephonyRig
    let folder: string
    let names: readonly [string, string]

    beforeAll(async () => {
      servers = await open()
      rig = await TelephonyRig.open(servers, { freeswitchUrls: servers.freeswitchUrls })
      const [a, b] = servers.freeswitchUrls.map((url) => new URL(url).host)
      names = [a ?? '', b ?? '']
      folder = mkdtempSync(join(tmpdir(), 'trunkline-servers-'))
      const isUp = () => freeswitches().every(({ health }) => health === 'up')
      await waitUntil('all are up', isUp, LIMIT_MS, () => rig.log)
    })
    afterEach(async () => {
      rig.telephony.drain(new Set())
      await rig.clear()
    })
    afterAll(async () => {
      await rig.close()
      await servers[Symbol.asyncDispose]()
      rmSync(folder, { recursive: true, force: true })
    })

    const freeswitches = () => rig.telephony.servers().filter(({ kind }) => kind === 'freeswitch')
    const channels = () => freeswitches().map(({ ownChannels }) => ownChannels)

    /** An answered call on the server of that name, whose party says a tone. */
    async function callOn(server: string, tone: number) {
      rig.telephony.drain(new Set(names.filter((name) => name !== server)))
      const call = await rig.dialed()
      rig.telephony.drain(new Set())
      call.peer.rtp.speak(tone)
      return { ...call, tone }
    }
    type Party = Awaited<ReturnType<typeof callOn>>

    const hears = (party: Party, tone: number) =>
      toneShare(party.peer.rtp.heardLately(), tone) > 0.25

    async function untilHears(party: Party, tone: number) {
      await waitUntil(`${party.tone} hears ${tone}`, () => hears(party, tone), LIMIT_MS)
    }

    it('share the calls', async () => {
      const before = channels()
      await Promise.all([rig.dialed(), rig.dialed(), rig.dialed(), rig.dialed()])
      const added = channels().map((count, i) => count - (before[i] ?? 0))
      expect(added).toEqual([2, 2])
    })

    it('give a leg the server of the leg that it will be connected with', async () => {
      const first = await callOn(names[1], 500)
      const before = channels()
      await rig.dialed({ request: { beside: first.leg.media } })
      await rig.dialed({ request: { beside: first.leg.media } })
      expect(channels()).toEqual([before[0], (before[1] ?? 0) + 2])
    })

    it('connect legs on two of them, and part them again', async () => {
      const one = await callOn(names[0], 500)
      const other = await callOn(names[1], 900)
      const parting = new AbortController()
      const bridged = one.leg.media.bridge(other.leg.media, parting.signal)
      await untilHears(one, 900)
      await untilHears(other, 500)
      parting.abort()
      await bridged
      await waitUntil('they are apart', () => !hears(one, 900) && !hears(other, 500), LIMIT_MS)
      // The line between the servers is closed, and each leg is free for something else.
      const tone = { type: 'tone', frequencies: [1300], onMs: 5_000, offMs: 0, repeat: 1 } as const
      const stop = new AbortController()
      const playing = one.leg.media.play(tone, stop.signal)
      await untilHears(one, 1300)
      stop.abort(new Error('heard'))
      await expect(playing).rejects.toThrow('heard')
    })

    it('part legs when one of them hangs up, and close the line', async () => {
      const before = channels()
      const one = await callOn(names[0], 500)
      const other = await callOn(names[1], 900)
      const never = new AbortController()
      const bridged = one.leg.media.bridge(other.leg.media, never.signal)
      await untilHears(one, 900)
      await other.leg.hangup()
      await bridged
      expect(one.leg.state).toBe('answered')
      await one.leg.hangup()
      await waitUntil(
        'no channel is left',
        () => channels().every((count, i) => count <= (before[i] ?? 0)),
        LIMIT_MS,
        () => String(channels()),
      )
    })

    it('have a room together, on the server of the first', async () => {
      const one = await callOn(names[0], 500)
      const two = await callOn(names[1], 900)
      const three = await callOn(names[1], 1300)
      const room = `room-${process.hrtime.bigint()}`
      const seats = [
        await one.leg.media.joinRoom(room, SPEAKS),
        await two.leg.media.joinRoom(room, SPEAKS),
        await three.leg.media.joinRoom(room, SPEAKS),
      ] as const
      for (const [party, others] of [
        [one, [900, 1300]],
        [two, [500, 1300]],
        [three, [500, 900]],
      ] as const)
        for (const tone of others) await untilHears(party, tone)
      await seats[1].setSpeaks('no')
      await waitUntil('a muted one is not heard', () => !hears(three, 900), LIMIT_MS)
      await seats[2].leave()
      await waitUntil('one who left hears nobody', () => !hears(three, 500), LIMIT_MS)
      // One who stays hears what is played to it alone.
      const tone = { type: 'tone', frequencies: [1700], onMs: 8_000, offMs: 0, repeat: 1 } as const
      const stop = new AbortController()
      const playing = two.leg.media.play(tone, stop.signal)
      await untilHears(two, 1700)
      stop.abort(new Error('heard'))
      await expect(playing).rejects.toThrow('heard')
      const path = join(folder, 'room.wav')
      const recording = await seats[0].record(path)
      await seats[1].setSpeaks('yes')
      await untilHears(one, 900)
      await recording.stop()
      expect(readFileSync(path).length).toBeGreaterThan(44)
      await two.leg.hangup()
      await seats[1].left
      await seats[0].leave()
    })

    it('give a drained one no call, and keep those that it has', async () => {
      const call = await callOn(names[0], 500)
      rig.telephony.drain(new Set([names[0]]))
      const [before = 0] = channels()
      await Promise.all([rig.dialed(), rig.dialed()])
      expect(channels()[0]).toBe(before)
      expect(call.leg.state).toBe('answered')
      expect(freeswitches().map(({ isDrained }) => isDrained)).toEqual([true, false])
      expect(rig.telephony.health.media).toBe('up')
      rig.telephony.drain(new Set(names))
      expect(rig.telephony.health).toMatchObject({
        media: 'down',
        mediaFault: 'every server of this kind is drained',
      })
    })
  })
}
