import { describe, expect, it } from 'vitest'
import { pause } from '../../src/platform/async/sleep.js'
import type { MediaFigures } from '../../src/voice/telephony/media-figures.js'
import { BadNetwork } from '../support/media/bad-network.js'
import type { AnsweredCall, TelephonyRig } from '../support/media/telephony-rig.js'

/** FreeSWITCH counts losses every 5 s. */
const TALK_MS = 7_000
const GAP_MS = 2_000
const never = () => new AbortController().signal

async function endOf({ leg, events }: AnsweredCall): Promise<{
  readonly figures: MediaFigures
  readonly faults: readonly string[]
}> {
  await leg.hangup()
  const { figures, faults = [] } = events.channels.at(-1) ?? {}
  if (figures === undefined) throw new Error('the leg ended without figures')
  return { figures, faults }
}

export function describeFigures(rig: () => TelephonyRig): void {
  describe('the figures of the audio', () => {
    it('count a call with losses, and its gap', { timeout: 60_000 }, async () => {
      const call = await rig().received()
      const { rtp } = call.peer
      rtp.speak(440)
      const playing = call.leg.media
        .play({ type: 'silence', durationMs: 60_000 }, never())
        .catch(() => undefined)
      await pause(TALK_MS / 2)
      rtp.mute()
      await pause(GAP_MS)
      rtp.speak(440)
      await pause(TALK_MS / 2)
      const soFar = await call.leg.media.figures()
      expect(soFar?.packetsReceived).toBeGreaterThan(200)
      await rtp.sendDigits('1')
      const { figures, faults } = await endOf(call)
      await playing
      expect(faults).toEqual([])
      expect(figures).toMatchObject({ codec: 'PCMU', payloadType: 0, isSecure: false })
      expect(figures.remote).toBe(`127.0.0.1:${String(rtp.port)}`)
      expect(figures.packetsReceived).toBeGreaterThan((TALK_MS / 20) * 0.85)
      expect(figures.packetsReceived).toBeLessThan((TALK_MS / 20) * 1.3)
      expect(figures.packetsSent).toBeGreaterThan(100)
      expect(figures.bytesReceived).toBeGreaterThan(figures.packetsReceived * 100)
      expect(figures.digitPackets).toBeGreaterThan(0)
      expect(figures.lossPercent).toBeLessThanOrEqual(1)
      expect(figures.mos).toBeGreaterThan(3)
      // FreeSWITCH does not measure it.
      if (figures.largestGapMs !== null) {
        expect(figures.largestGapMs).toBeGreaterThan(GAP_MS * 0.9)
        expect(figures.largestGapMs).toBeLessThan(GAP_MS * 1.5)
      }
    })

    // The losses are within a percentage point: FreeSWITCH rounds, and counts them every 5 s.
    it('agree with a network that loses 3 % and delays up to 40 ms', {
      timeout: 60_000,
    }, async () => {
      const call = await rig().received()
      const { rtp } = call.peer
      const network = new BadNetwork({ seed: 7, lossShare: 0.03, jitterMs: 40, keepsOrder: true })
      rtp.network = network
      rtp.speak(440)
      await pause(2 * TALK_MS)
      const { figures } = await endOf(call)
      const { lost, delivered } = network
      expect(delivered).toBeGreaterThan(TALK_MS / 20)
      expect(Math.abs(figures.packetsReceived / delivered - 1)).toBeLessThan(0.03)
      expect(Math.abs(figures.lossPercent - (100 * lost) / (lost + delivered))).toBeLessThan(1)
      expect(figures.jitterMs).toBeGreaterThan(3)
      expect(figures.jitterMs).toBeLessThan(40)
      expect(figures.mos).toBeGreaterThan(3.9)
      expect(figures.mos).toBeLessThan(4.3)
    })

    it('say that nothing came from the other side', { timeout: 30_000 }, async () => {
      const call = await rig().received((peer, sipPort) => {
        peer.rtp.mute()
        return peer.call(sipPort)
      })
      await pause(2_500)
      const { figures, faults } = await endOf(call)
      expect(figures).toMatchObject({ packetsReceived: 0, mos: null })
      expect(faults.join()).toMatch(/^(no audio|one-way audio): nothing was received from/)
    })
  })
}
