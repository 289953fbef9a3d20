import { describe, expect, it } from 'vitest'
import { dialogNameOf } from '../../src/voice/telephony/dialog-facts.js'
import { LegEndedError, UnsafeArgumentError } from '../../src/voice/telephony/port.js'
import type { AnsweredCall, TelephonyRig } from '../support/media/telephony-rig.js'
import { headerOf } from '../support/sip/sip-peer-message.js'
import { waitUntil } from '../support/time/wait-until.js'

const TARGET = 'sip:agent@198.51.100.7;transport=tcp?X-Account=17&X-Reason=bill%20paid%3B1'
const never = () => new AbortController().signal

/** Answers to the peer's NOTIFYs, in order. */
const answers = ({ call }: AnsweredCall) =>
  call.log
    .filter((message) => headerOf(message, 'cseq').endsWith('NOTIFY'))
    .map(({ status }) => status)

async function answered(call: AnsweredCall, count: number): Promise<(number | undefined)[]> {
  await waitUntil('every NOTIFY is answered', () => answers(call).length >= count, 15_000)
  return answers(call)
}

export function describeReferrals(rig: () => TelephonyRig): void {
  const ways = [
    ['dialled', () => rig().dialed()],
    ['received', () => rig().received()],
  ] as const

  describe.each(ways)('a %s leg that is referred', (_way, begin) => {
    it('hears where to, and tells how its new call went', async () => {
      const parties = await begin()
      const { leg, call, events } = parties
      const referred = leg.refer(TARGET, never())
      const refer = await call.request('REFER')
      expect(headerOf(refer, 'refer-to')).toBe(`<${TARGET}>`)
      expect(headerOf(refer, 'referred-by')).toMatch(/^<sip:\S+@127\.0\.0\.1\S*>$/)
      expect(headerOf(refer, 'contact')).not.toBe('')
      call.respond(202, 'Accepted', { to: refer })
      call.notify('100 Trying', 'active;expires=60')
      call.notify('180 Ringing', 'active;expires=60')
      call.notify('200 OK', 'terminated;reason=noresource')
      expect(await referred).toEqual({ how: 'notified', sipStatus: 202, notifiedStatus: 200 })
      expect(await answered(parties, 3)).toEqual([200, 200, 200])
      expect(leg.state).toBe('answered')
      const steps = events.steps.map(({ message }) => message)
      expect(steps).toEqual(
        expect.arrayContaining(['REFER', '202 Accepted', 'NOTIFY 180 Ringing', 'NOTIFY 200 OK']),
      )
      await leg.hangup()
    })

    it('may refuse', async () => {
      const { leg, call } = await begin()
      const referred = leg.refer(TARGET, never())
      call.respond(603, 'Decline', { to: await call.request('REFER') })
      expect(await referred).toEqual({ how: 'refused', sipStatus: 603, notifiedStatus: undefined })
      expect(leg.state).toBe('answered')
      await leg.hangup()
    })

    it('may fail to reach whom it shall call, and be referred to another', async () => {
      const { leg, call } = await begin()
      const first = leg.refer(TARGET, never())
      const refer = await call.request('REFER')
      call.respond(202, 'Accepted', { to: refer })
      // Quicker than an acceptance may be, and with what follows in the same subscription.
      call.notify('486 Busy Here', 'active;expires=60')
      call.notify('486 Busy Here', 'terminated;reason=noresource')
      expect(await first).toEqual({ how: 'notified', sipStatus: 202, notifiedStatus: 486 })
      const second = leg.refer('sips:other@example.com', never())
      const again = () => call.requests('REFER')[1]
      await waitUntil('the second REFER', () => again() !== undefined)
      const number = Number.parseInt(headerOf(again() ?? refer, 'cseq'), 10)
      const old = Number.parseInt(headerOf(refer, 'cseq'), 10)
      call.respond(202, 'Accepted', { to: again() ?? refer })
      call.notify('200 OK', 'terminated', `refer;id=${String(old)}`)
      call.notify('404 Not Found', 'terminated', `refer;id=${String(number)}`)
      expect(await second).toEqual({ how: 'notified', sipStatus: 202, notifiedStatus: 404 })
      await leg.hangup()
    })

    it('may agree and say nothing', async () => {
      const { leg, call } = await begin()
      const referred = leg.refer(TARGET, never())
      call.respond(202, 'Accepted', { to: await call.request('REFER') })
      expect(await referred).toEqual({ how: 'unknown', sipStatus: 202, notifiedStatus: undefined })
      await leg.hangup()
    })

    it('may stop telling before the end', async () => {
      const { leg, call } = await begin()
      const referred = leg.refer(TARGET, never())
      call.respond(202, 'Accepted', { to: await call.request('REFER') })
      call.notify('180 Ringing', 'terminated;reason=timeout')
      expect(await referred).toEqual({ how: 'unknown', sipStatus: 202, notifiedStatus: 180 })
      await leg.hangup()
    })

    it('may hang up in between', async () => {
      const parties = await begin()
      const { leg, call, events } = parties
      const referred = leg.refer(TARGET, never())
      call.respond(202, 'Accepted', { to: await call.request('REFER') })
      call.notify('180 Ringing', 'active;expires=60')
      await answered(parties, 1)
      call.bye()
      expect(await referred).toEqual({ how: 'leg-over', sipStatus: 202, notifiedStatus: 180 })
      expect(await events.ended()).toMatchObject({ cause: 'remote-hangup' })
      await expect(leg.refer(TARGET, never())).rejects.toThrow(LegEndedError)
    })

    it('is hung up all the same', async () => {
      const { leg, call, events } = await begin()
      const referred = leg.refer(TARGET, never())
      await call.request('REFER')
      await leg.hangup()
      expect(await referred).toMatchObject({ how: 'leg-over', notifiedStatus: undefined })
      expect(events.ends).toMatchObject([{ cause: 'local-hangup' }])
    })

    it('is left alone when nobody wants to know any more', async () => {
      const parties = await begin()
      const { leg, call } = parties
      const stop = new AbortController()
      const referred = leg.refer(TARGET, stop.signal)
      call.respond(202, 'Accepted', { to: await call.request('REFER') })
      call.notify('100 Trying', 'active;expires=60')
      await answered(parties, 1)
      stop.abort(new Error('another document'))
      await expect(referred).rejects.toThrow('another document')
      call.notify('200 OK', 'terminated')
      expect(await answered(parties, 2)).toEqual([200, 481])
      await leg.hangup()
    })
  })

  describe('a referral', () => {
    it('goes nowhere but to a URI', async () => {
      const { leg, call } = await rig().dialed()
      for (const target of [
        'agent@example.com',
        'https://example.com/',
        'sip:a@example.com>\r\nX-Injected: 1',
        'sip:a@example.com|x',
        'sip:a b@example.com',
        '',
      ])
        await expect(leg.refer(target, never()), target).rejects.toThrow(UnsafeArgumentError)
      expect(call.log.filter(({ method }) => method === 'REFER')).toEqual([])
      await leg.hangup()
    })

    it('is one at a time', async () => {
      const { leg, call } = await rig().dialed()
      const first = leg.refer('tel:+15550002222', never())
      await call.request('REFER')
      await expect(leg.refer(TARGET, never())).rejects.toThrow('already')
      await leg.hangup()
      await first
    })

    it('that is not answered is over as well', async () => {
      const { leg, call } = await rig().dialed()
      const referred = leg.refer(TARGET, never())
      await call.request('REFER')
      expect(await referred).toEqual({
        how: 'refused',
        sipStatus: undefined,
        notifiedStatus: undefined,
      })
      await leg.hangup()
    })
  })

  describe.each(ways)('a %s leg whose peer refers us', (_way, begin) => {
    it('is told to whom, takes it over, and lets the peer go', async () => {
      const { leg, call, events } = await begin()
      const heard: string[] = []
      const unsubscribe = leg.onReferral((referral) => {
        heard.push(referral.target)
        referral.accept()
        referral.notifySuccess()
      })
      call.refer(TARGET)
      await call.response(202, 'REFER', 15_000)
      const notices = () => call.requests('NOTIFY')
      await waitUntil('two NOTIFYs', () => notices().length === 2, 15_000)
      expect(heard).toEqual([TARGET])
      const sent = call.log.find(({ status }) => status === 202)
      const number = Number.parseInt(headerOf(sent ?? call.invite, 'cseq'), 10)
      expect(
        notices().map((notice) => [
          notice.body.trim(),
          headerOf(notice, 'subscription-state').split(';')[0],
          headerOf(notice, 'event'),
        ]),
      ).toEqual([
        ['SIP/2.0 100 Trying', 'active', `refer;id=${String(number)}`],
        ['SIP/2.0 200 OK', 'terminated', `refer;id=${String(number)}`],
      ])
      unsubscribe()
      expect(events.steps.map(({ message }) => message)).toContain('NOTIFY 200 OK')
      await leg.hangup()
    })
  })

  it('a referral with Replaces names the dialog, by the tags as they are here', async () => {
    const { leg, call } = await rig().received()
    const replaced: unknown[] = []
    leg.onReferral((referral) => {
      replaced.push(referral.replaces)
      referral.refuse()
    })
    const { callId, localTag = '', remoteTag = '' } = call
    const name = encodeURIComponent(`${callId};to-tag=${remoteTag};from-tag=${localTag}`)
    call.refer(`sip:peer@127.0.0.1?Replaces=${name}`)
    await call.response(603, 'REFER', 15_000)
    expect(replaced).toEqual([leg.dialogFacts && dialogNameOf(leg.dialogFacts)])
    expect(replaced).toEqual([{ callId, localTag: remoteTag, remoteTag: localTag }])
    await leg.hangup()
  })

  it.each([
    ['no URI', 'agent'],
    ['longer than anybody takes', `sip:${'a'.repeat(300)}@example.com`],
  ])('a referral to %s is a bad request', async (_title, target) => {
    const { leg, call } = await rig().dialed()
    leg.onReferral(() => {
      throw new Error('it was reported')
    })
    call.refer(target)
    await call.response(400, 'REFER')
    await leg.hangup()
  })

  it('what a peer tells unasked is refused, and so is its own referral', async () => {
    const parties = await rig().dialed()
    const { leg, call } = parties
    call.notify('200 OK', 'terminated')
    call.notify('200 OK', 'active', 'message-summary')
    expect((await answered(parties, 2)).toSorted()).toEqual([481, 489])
    call.refer('sip:somebody@example.com')
    await call.response(603, 'REFER')
    expect(leg.state).toBe('answered')
    await leg.hangup()
  })
}
