import { describe, expect, it } from 'vitest'
import {
  type DialRequest,
  type IncomingInvite,
  LegEndedError,
} from '../../src/voice/telephony/port.js'
import { eslApi } from '../support/media/esl-api.js'
import type { RecordedLeg, TelephonyRig } from '../support/media/telephony-rig.js'
import { waitUntil } from '../support/time/wait-until.js'

const NUMBER = '+15550002222'

interface LoopbackCall extends RecordedLeg {
  readonly invite: IncomingInvite
}

/** Places a loopback call; resolves with the call as the handler of new calls gets it. */
async function calling(
  rig: TelephonyRig,
  request: Partial<DialRequest> = {},
): Promise<LoopbackCall> {
  const index = rig.invites.length
  const dialled = rig.dialLoopback(NUMBER, request)
  await waitUntil(
    'the call is offered',
    () => rig.invites.length > index,
    undefined,
    () => rig.log,
  )
  const invite = rig.invites[index]
  if (invite === undefined) throw new Error('unreachable')
  return { ...dialled, invite }
}

/** Both legs of an answered loopback call. */
async function connected(rig: TelephonyRig) {
  const { invite, ...caller } = await calling(rig)
  const called = rig.accept(invite)
  await called.leg.answer()
  await caller.events.answered()
  return { caller, called }
}

export function describeLoopback(rig: () => TelephonyRig): void {
  describe('a call inside', () => {
    it('tells who calls, whom and how far it came, and that no packet has brought it', async () => {
      const { leg, invite } = await calling(rig(), {
        from: { user: '+15550001111', displayName: 'Bob "B"' },
        headers: { 'X-One': 'first' },
        loopback: { hops: 3 },
      })
      expect(invite).toMatchObject({
        callId: leg.sipCallId,
        requestUri: { user: NUMBER },
        from: { user: '+15550001111', displayName: 'Bob "B"' },
        loopback: { hops: 3 },
        source: { address: '' },
        facts: undefined,
        headers: [{ name: 'X-One', value: 'first' }],
      })
      await leg.hangup()
    })

    it('rings, is answered, and carries keys in both directions', async () => {
      const { leg, events, invite } = await calling(rig())
      const called = rig().accept(invite)
      expect(called.leg).toMatchObject({ direction: 'inbound', sipCallId: leg.sipCallId })
      await called.leg.ring()
      expect(events.progress).toEqual([{ status: 180, hasEarlyMedia: false }])
      expect([leg.state, called.leg.state]).toEqual(['ringing', 'ringing'])
      await called.leg.answer()
      await events.answered()
      const { signal } = new AbortController()
      await leg.media.sendDigits('12', signal)
      await called.leg.media.sendDigits('34', signal)
      await waitUntil('keys arrive', () => called.events.pressed === '12')
      await waitUntil('keys arrive', () => events.pressed === '34')
      expect([events.answers, called.events.answers]).toEqual([1, 1])
      await leg.hangup()
      expect(await events.ended()).toMatchObject({ cause: 'local-hangup', sipStatus: 200 })
      expect(await called.events.ended()).toMatchObject({ cause: 'remote-hangup', sipStatus: 200 })
    })

    it('is heard before the answer when it rings with audio', async () => {
      const { leg, events, invite } = await calling(rig())
      const called = rig().accept(invite)
      await called.leg.ring({ withMedia: true })
      expect(events.progress).toEqual([{ status: 183, hasEarlyMedia: true }])
      await called.leg.media.sendDigits('9', new AbortController().signal)
      await waitUntil('a key arrives', () => events.pressed === '9')
      await called.leg.hangup()
      await leg.hangup()
    })

    it('ends for both when the called side hangs up', async () => {
      const { caller, called } = await connected(rig())
      await called.leg.hangup()
      expect(await called.events.ended()).toMatchObject({ cause: 'local-hangup' })
      expect(await caller.events.ended()).toMatchObject({ cause: 'remote-hangup', sipStatus: 200 })
    })

    it('ends for both when the channel of one is gone', async () => {
      const { caller, called } = await connected(rig())
      await eslApi(rig().servers.freeswitchUrl, `uuid_kill ${caller.events.channels[0]?.channel}`)
      expect(await caller.events.ended()).toMatchObject({ cause: 'media-lost' })
      expect(await called.events.ended()).toMatchObject({ cause: 'remote-hangup' })
    })

    it('is refused with status, reason and the time after which another may succeed', async () => {
      const { events, invite } = await calling(rig())
      invite.reject(503, 'Not now', { 'Retry-After': '7' })
      expect(await events.ended()).toMatchObject({
        cause: 'rejected',
        sipStatus: 503,
        reason: 'Not now',
        retryAfterSeconds: 7,
      })
    })

    it('is refused by a leg that was taken', async () => {
      const { events, invite } = await calling(rig())
      const called = rig().accept(invite)
      await called.leg.hangup({ status: 486 })
      expect(await called.events.ended()).toMatchObject({ cause: 'rejected', sipStatus: 486 })
      expect(await events.ended()).toMatchObject({ cause: 'rejected', sipStatus: 486 })
    })

    it('keeps nobody waiting whom nobody answers', async () => {
      const { events, invite } = await calling(rig())
      invite.drop()
      expect(await events.ended()).toMatchObject({ cause: 'rejected', sipStatus: 480 })
    })

    it('is taken back when its caller hangs up, before and after it is taken', async () => {
      const early = await calling(rig())
      await early.leg.hangup()
      expect(await early.events.ended()).toMatchObject({ cause: 'canceled', sipStatus: 487 })
      const late = rig().accept(early.invite)
      expect(await late.events.ended()).toMatchObject({ cause: 'canceled' })
      const { leg, invite } = await calling(rig())
      const called = rig().accept(invite)
      await called.leg.ring()
      await leg.hangup()
      expect(await called.events.ended()).toMatchObject({ cause: 'canceled' })
    })

    it('rings no longer than it may', async () => {
      const { events, invite } = await calling(rig(), { timeoutMs: 300 })
      const called = rig().accept(invite)
      await called.leg.ring()
      expect(await events.ended()).toMatchObject({ cause: 'no-answer', sipStatus: 487 })
      expect(await called.events.ended()).toMatchObject({ cause: 'canceled' })
    })

    it('is answered once, and ends once, when the answer crosses a hangup', async () => {
      const { leg, events, invite } = await calling(rig())
      const called = rig().accept(invite)
      const [answer] = await Promise.allSettled([
        called.leg.answer(),
        leg.hangup(),
        called.leg.hangup(),
      ])
      await events.ended()
      await called.events.ended()
      const wasAnswered = answer.status === 'fulfilled'
      expect(called.events.answers).toBe(wasAnswered ? 1 : 0)
      if (!wasAnswered) expect(answer.reason).toBeInstanceOf(LegEndedError)
    })

    it('is not referred: this server follows no REFER of its own', async () => {
      const { caller, called } = await connected(rig())
      const { signal } = new AbortController()
      const refused = { how: 'refused', sipStatus: 603 }
      expect(await called.leg.refer('sip:bob@example.com', signal)).toMatchObject(refused)
      expect(await caller.leg.refer('sip:bob@example.com', signal)).toMatchObject(refused)
      await caller.leg.hangup()
    })
  })
}
