import { describe, expect, it } from 'vitest'
import type { AnsweredCall, TelephonyRig } from '../support/media/telephony-rig.js'
import { waitUntil } from '../support/time/wait-until.js'

const never = () => new AbortController().signal
const WITHOUT_EVENTS = { digitPayloadType: 'none' } as const

/** Keys of and for a party whose SDP has no telephone events: they are tones in its audio. */
export function describeKeysInAudio(rig: () => TelephonyRig): void {
  describe('keys of a party without telephone events', () => {
    const ways = [
      ['dialled', () => rig().dialed({ offered: WITHOUT_EVENTS })],
      [
        'received',
        () => rig().received((peer, port) => peer.call(port, { sdp: peer.sdp(WITHOUT_EVENTS) })),
      ],
    ] as const

    it.each(ways)('are sent to a %s one as tones, in order, with pauses', async (_way, begin) => {
      const { leg, peer } = await begin()
      await leg.media.sendDigits('112w#A', never())
      await waitUntil(
        'all arrive',
        () => peer.rtp.tonedKeys.length >= 5,
        15_000,
        () => peer.rtp.tonedKeys,
      )
      expect(peer.rtp.tonedKeys).toBe('112#A')
      expect(peer.rtp.digits).toEqual([])
      await leg.hangup()
    })

    it('stop when aborted', async () => {
      const { leg, peer } = await rig().dialed({ offered: WITHOUT_EVENTS })
      const stop = new AbortController()
      const sending = leg.media.sendDigits(`1${'W'.repeat(60)}2`, stop.signal)
      await waitUntil('the first arrives', () => peer.rtp.tonedKeys === '1')
      stop.abort(new Error('enough'))
      await expect(sending).rejects.toThrow('enough')
      await leg.hangup()
    })

    async function bridged(
      a: AnsweredCall,
      b: AnsweredCall,
      work: () => Promise<void>,
    ): Promise<void> {
      const stop = new AbortController()
      const done = a.leg.media.bridge(b.leg.media, stop.signal)
      a.peer.rtp.speak(500)
      await waitUntil('they are joined', () => b.peer.rtp.hears(500))
      a.peer.rtp.speak(0)
      await work()
      stop.abort()
      await done
      await Promise.all([a.leg.hangup(), b.leg.hangup()])
    }

    it.each(ways)('come as tones to a %s one that is bridged', async (_way, begin) => {
      const [a, b] = await Promise.all([rig().dialed(), begin()])
      await bridged(a, b, async () => {
        await a.peer.rtp.sendDigits('55#1')
        await waitUntil(
          'all arrive',
          () => b.peer.rtp.tonedKeys.length >= 4,
          15_000,
          () => b.peer.rtp.tonedKeys,
        )
        expect(b.peer.rtp.tonedKeys).toBe('55#1')
        expect(a.events.pressed).toBe('55#1')
        expect(b.events.pressed).toBe('')
      })
    })

    it.each(['events', 'tones'] as const)('reach a party that takes %s once', async (takes) => {
      const [a, b] = await Promise.all([
        rig().dialed({ offered: WITHOUT_EVENTS }),
        rig().dialed(takes === 'tones' ? { offered: WITHOUT_EVENTS } : {}),
      ])
      await bridged(a, b, async () => {
        for (const key of '159') await a.peer.rtp.pressInBand(key)
        await waitUntil('all are told', () => a.events.pressed === '159')
        await waitUntil('all are heard', () => b.peer.rtp.tonedKeys === '159')
        expect(b.peer.rtp.digits).toEqual([])
      })
      expect(b.peer.rtp.digits).toEqual([])
    })

    it('are events once a re-INVITE takes them', async () => {
      const { leg, peer, call, events } = await rig().dialed({ offered: WITHOUT_EVENTS })
      call.reinvite(peer.sdp({ version: 2 }))
      await call.response(200)
      await leg.media.sendDigits('7', never())
      await peer.rtp.waitForDigits('7')
      expect(peer.rtp.tonedKeys).toBe('')
      await peer.rtp.pressInBand('3')
      await peer.rtp.sendDigit('4')
      await waitUntil('the event is heard', () => events.digits.length > 0)
      expect(events.pressed).toBe('4')
      await leg.hangup()
    })
  })
}
