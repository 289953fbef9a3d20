/**
 * | attribute | allowed | default | warning |
 * |---|---|---|---|
 * | action, method; Sip | URL; GET, POST; URI | goes on, POST | 12200, 13243 |
 */
import { describe, expect, it } from 'vitest'
import { DocumentReplacedError } from '../../../../src/voice/markup/document.js'
import {
  type Leg,
  LegEndedError,
  type ReferralOutcome,
  UnsafeArgumentError,
} from '../../../../src/voice/telephony/port.js'
import { BASE, FakeCall, type Played, playBody, timelineUntil } from './fake-host.js'

const TARGET = 'sip:agent@example.com?X-Account=17'
const VERB = `<Refer action="/done"><Sip>${TARGET}</Sip></Refer><Say>next</Say>`
const DONE = { 'http://app.example/done': '<Say>done</Say>' }

/** A far end that, after a second, has come to this. */
function refer(outcome: Partial<ReferralOutcome>, body = VERB): Promise<Played> {
  const full = { how: 'notified', sipStatus: 202, notifiedStatus: undefined, ...outcome } as const
  return playBody(body, { documents: DONE, leg: { refer: () => Promise.resolve(full) } })
}

describe('the action of a Refer', () => {
  it.each<[string, Partial<ReferralOutcome>, string]>([
    [
      'the new call was answered',
      { notifiedStatus: 200 },
      'ReferCallStatus=in-progress&ReferSipResponseCode=202&NotifySipResponseCode=200',
    ],
    [
      'the new call met somebody busy',
      { notifiedStatus: 486 },
      'ReferCallStatus=busy&ReferSipResponseCode=202&NotifySipResponseCode=486',
    ],
    [
      'nobody answered the new call',
      { notifiedStatus: 480 },
      'ReferCallStatus=no-answer&ReferSipResponseCode=202&NotifySipResponseCode=480',
    ],
    [
      'the new call led nowhere',
      { notifiedStatus: 404 },
      'ReferCallStatus=failed&ReferSipResponseCode=202&NotifySipResponseCode=404',
    ],
    [
      'the far end would not',
      { how: 'refused', sipStatus: 603 },
      'ReferCallStatus=failed&ReferSipResponseCode=603',
    ],
    [
      'the far end did not answer',
      { how: 'refused', sipStatus: undefined },
      'ReferCallStatus=failed',
    ],
    ['nothing was told', { how: 'unknown' }, 'ReferSipResponseCode=202'],
    [
      'no end was told',
      { how: 'unknown', notifiedStatus: 180 },
      'ReferCallStatus=ringing&ReferSipResponseCode=202&NotifySipResponseCode=180',
    ],
  ])('is told when %s', async (_case, outcome, query) => {
    const { timeline } = await refer(outcome)
    expect(timeline.slice(1)).toEqual([`0 POST http://app.example/done ${query}`, '0 say done'])
  })

  it('is asked by the method that was given', async () => {
    const body = VERB.replace('action', 'method="GET" action')
    const { timeline } = await refer({ notifiedStatus: 200 }, body)
    expect(timeline[1]).toMatch(/^0 GET http:\/\/app\.example\/done /)
  })

  it('is told at the end of the call when the caller hangs up meanwhile', async () => {
    const seen: string[] = []
    const ended = playBody(VERB, {
      leg: {
        refer: () => Promise.resolve({ how: 'leg-over', sipStatus: 202, notifiedStatus: 180 }),
      },
      host: {
        tell: ({ url, params }) => {
          seen.push(url, JSON.stringify(params))
          return Promise.resolve()
        },
      },
    })
    await expect(ended).rejects.toThrow(LegEndedError)
    expect(seen).toEqual([
      'http://app.example/done',
      '{"ReferCallStatus":"canceled","ReferSipResponseCode":"202","NotifySipResponseCode":"180"}',
    ])
  })
})

/** A far end that tells nothing until the REFER is given up. */
const pending: Partial<Leg> = {
  refer: (_target, signal) =>
    new Promise((_resolve, reject) => {
      signal.addEventListener('abort', () => {
        reject(signal.reason as Error)
      })
    }),
}

describe('the action of a Refer that is given up', () => {
  it('is told once when the call is ended in another way than by the caller', async () => {
    const timeline = await timelineUntil(1000, VERB, { leg: pending })
    expect(timeline.slice(1)).toEqual([
      '1000 tell POST http://app.example/done ReferCallStatus=canceled',
    ])
  })

  it('is not asked when another document takes the call over', async () => {
    const abortReason = new DocumentReplacedError('another document takes over')
    const call = new FakeCall({
      ...{ abortAt: 1000, abortReason, leg: pending },
      documents: { [BASE]: VERB },
    })
    const run = call.run({ type: 'url', request: { url: BASE, method: 'POST', params: {} } })
    await expect(run).rejects.toBe(abortReason)
    expect(call.timeline).toEqual([`0 POST ${BASE}`])
  })
})

describe('without an action', () => {
  it.each<Partial<ReferralOutcome>>([
    { notifiedStatus: 200 },
    { how: 'refused', sipStatus: 603 },
  ])('the next verb runs after %o', async (outcome) => {
    const { timeline } = await refer(outcome, VERB.replace('action="/done"', ''))
    expect(timeline.slice(1)).toEqual(['0 say next'])
  })
})

describe('what a Refer logs', () => {
  it.each([405, 501])('that a far end answered %d: it cannot be referred', async (sipStatus) => {
    const { log } = await refer({ how: 'refused', sipStatus })
    expect(log).toContainEqual(expect.objectContaining({ type: 'error', code: 13801 }))
  })

  it('that there is nobody to refer to', async () => {
    const { log, timeline } = await refer({}, '<Refer action="/done"/>')
    expect(log).toContainEqual(expect.objectContaining({ type: 'warning', code: 13243 }))
    expect(timeline[1]).toBe('0 POST http://app.example/done ReferCallStatus=failed')
  })

  it('that the target is not a URI', async () => {
    const { log, timeline } = await playBody(VERB, {
      documents: DONE,
      leg: { refer: () => Promise.reject(new UnsafeArgumentError('not a SIP URI')) },
    })
    expect(log).toContainEqual(expect.objectContaining({ type: 'warning', code: 13243 }))
    expect(timeline[1]).toBe('0 POST http://app.example/done ReferCallStatus=failed')
  })
})
