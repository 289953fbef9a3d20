import { describe, expect, it } from 'vitest'
import { AdapterError } from '../../../../../src/platform/errors.js'
import type { MachineDetectionPlan } from '../../../../../src/voice/model/call-plan.js'
import { waitUntil } from '../../../../support/time/wait-until.js'
import { PLAN, paramsOf, setUpCalls } from '../../../../support/voice/calls-fixture.js'
import { join, silence, speech, tone } from '../../amd/sounds.js'

const DETECTION: MachineDetectionPlan = {
  mode: 'enable',
  timeoutMs: 30_000,
  speechThresholdMs: 2_400,
  speechEndThresholdMs: 1_200,
  silenceTimeoutMs: 5_000,
  callback: { url: 'http://app.test/amd', method: 'GET' },
}
const PERSON = join(silence(300), speech(900), silence(2_000))
const VOICEMAIL = join(silence(300), speech(4_000), silence(300), tone([1_000], 500), silence(500))

/** A call with detection that has just been answered. */
async function answered(t: Awaited<ReturnType<typeof setUpCalls>>, detection = DETECTION) {
  const plan = { ...PLAN, machineDetection: detection }
  const { sid } = await t.calls.create(t.account, {
    to: '+15005550001',
    from: '+15551112222',
    plan,
  })
  const leg = await t.telephony.leg(0)
  return { sid, leg }
}

async function forked(t: Awaited<ReturnType<typeof setUpCalls>>, detection = DETECTION) {
  const { sid, leg } = await answered(t, detection)
  leg.pickUp()
  await waitUntil('the leg is listened to', () => leg.asked.length > 0)
  return { sid, leg }
}

function told(t: Awaited<ReturnType<typeof setUpCalls>>) {
  return t.callbacks.filter((row) => row.kind === 'machine-detection')
}

const recordOf = (t: Awaited<ReturnType<typeof setUpCalls>>, sid: string) =>
  t.calls.fetch(t.account.sid, sid)

describe('a call with machine detection', () => {
  it('tells once who answered, remembers it, and stops listening while the call goes on', async () => {
    await using t = await setUpCalls()
    const { sid, leg } = await forked(t)
    expect(leg.asked).toEqual(['fork answering-machine far-end no'])
    leg.hear(PERSON)
    await waitUntil('it is told', () => told(t).length > 0)
    expect(leg.asked).toContain('stop fork answering-machine')
    expect(leg.state).toBe('answered')
    leg.hear(VOICEMAIL)
    leg.end('remote-hangup', 200)
    expect(await t.completed()).toEqual(['initiated', 'in-progress', 'completed'])
    expect(told(t)).toMatchObject([
      { url: 'http://app.test/amd', method: 'GET', stream: sid, accountSid: t.account.sid },
    ])
    const { MachineDetectionDuration, ...rest } = paramsOf(told(t)[0] ?? expect.fail())
    expect(rest).toEqual({ CallSid: sid, AccountSid: t.account.sid, AnsweredBy: 'human' })
    expect(Number(MachineDetectionDuration)).toBeGreaterThan(2_000)
    expect(await recordOf(t, sid)).toMatchObject({ answeredBy: 'human', callbackCount: 3 })
    expect(paramsOf(t.callbacks.at(-1) ?? expect.fail())).toMatchObject({
      CallStatus: 'completed',
      AnsweredBy: 'human',
    })
  })

  it('writes into the event log what was heard and what followed', async () => {
    await using t = await setUpCalls()
    const { sid, leg } = await forked(t, { ...DETECTION, mode: 'detect-message-end' })
    leg.hear(VOICEMAIL)
    await waitUntil('it is told', () => told(t).length > 0)
    await t.events.flush()
    const { events } = await t.events.list(sid, { type: 'offset', offset: 0 }, 100)
    const heard = events.filter(({ kind }) => kind === 'detection').map(({ detail }) => detail)
    expect(heard).toMatchObject([
      { type: 'speech-started' },
      { type: 'machine-started' },
      { type: 'tone-heard', tone: 'beep' },
      { answeredBy: 'machine_end_beep' },
    ])
  })

  describe('that may be corrected', () => {
    const CORRECTABLE = { ...DETECTION, correctionWindowMs: 8_000 }
    const answers = (t: Awaited<ReturnType<typeof setUpCalls>>) =>
      told(t).map((row) => {
        const { AnsweredBy, PreviousAnsweredBy } = paramsOf(row)
        return [AnsweredBy, PreviousAnsweredBy]
      })

    it('tells once more when the person talks on like a machine', async () => {
      await using t = await setUpCalls()
      const { sid, leg } = await forked(t, CORRECTABLE)
      leg.hear(PERSON)
      await waitUntil('it is told', () => told(t).length > 0)
      expect(leg.asked).not.toContain('stop fork answering-machine')
      leg.hear(VOICEMAIL)
      await waitUntil('it is corrected', () => told(t).length > 1)
      expect(leg.asked).toContain('stop fork answering-machine')
      leg.hear(VOICEMAIL)
      leg.end('remote-hangup', 200)
      await t.completed()
      expect(answers(t)).toEqual([
        ['human', undefined],
        ['machine_start', 'human'],
      ])
      expect(await recordOf(t, sid)).toMatchObject({ answeredBy: 'machine_start' })
      expect(paramsOf(t.callbacks.at(-1) ?? expect.fail())['AnsweredBy']).toBe('machine_start')
      await t.events.flush()
      const { events } = await t.events.list(sid, { type: 'offset', offset: 0 }, 100)
      const heard = events.filter(({ kind }) => kind === 'detection').map(({ detail }) => detail)
      expect(heard.at(-1)).toMatchObject({ type: 'correction', answeredBy: 'machine_start' })
    })

    it('is final when the window closes, and nothing is heard after it', async () => {
      await using t = await setUpCalls()
      const { sid, leg } = await forked(t, CORRECTABLE)
      leg.hear(join(PERSON, silence(9_000), VOICEMAIL))
      await waitUntil('the fork stops', () => leg.asked.includes('stop fork answering-machine'))
      leg.end('remote-hangup', 200)
      await t.completed()
      expect(answers(t)).toEqual([['human', undefined]])
      expect(await recordOf(t, sid)).toMatchObject({ answeredBy: 'human' })
    })

    it('is not corrected by its end', async () => {
      await using t = await setUpCalls()
      const { sid, leg } = await forked(t, { ...CORRECTABLE, mode: 'detect-message-end' })
      leg.hear(join(PERSON, speech(5_000)))
      await waitUntil('it is told', () => told(t).length > 0)
      leg.end('remote-hangup', 200)
      await t.completed()
      expect(answers(t)).toEqual([['human', undefined]])
      expect(await recordOf(t, sid)).toMatchObject({ answeredBy: 'human' })
    })

    it('keeps its verdict once it is being hung up', async () => {
      await using t = await setUpCalls()
      const { sid, leg } = await forked(t, CORRECTABLE)
      leg.hear(PERSON)
      await waitUntil('it is told', () => told(t).length > 0)
      leg.hangup = () => Promise.resolve()
      await t.calls.update(t.account.sid, sid, { end: 'completed' })
      leg.hear(VOICEMAIL)
      leg.end('local-hangup', 200)
      await t.completed()
      expect(answers(t)).toEqual([['human', undefined]])
    })
  })

  it('knows nothing of who hung up before it could be known, and says so before the end', async () => {
    await using t = await setUpCalls()
    const { sid, leg } = await forked(t)
    leg.hear(silence(500))
    leg.end('remote-hangup', 200)
    await t.completed()
    expect(told(t).map((row) => paramsOf(row)['AnsweredBy'])).toEqual(['unknown'])
    expect(await recordOf(t, sid)).toMatchObject({ status: 'completed', answeredBy: 'unknown' })
    expect(paramsOf(t.callbacks.at(-1) ?? expect.fail())['AnsweredBy']).toBe('unknown')
  })

  it('goes on as unknown when its audio cannot be had', async () => {
    await using t = await setUpCalls()
    const { sid, leg } = await answered(t)
    leg.media.fork = () => Promise.reject(new AdapterError('no such module'))
    leg.pickUp()
    await waitUntil('it is told', () => told(t).length > 0)
    expect(paramsOf(told(t)[0] ?? expect.fail())['AnsweredBy']).toBe('unknown')
    expect(await recordOf(t, sid)).toMatchObject({ status: 'in-progress', answeredBy: 'unknown' })
  })

  it('takes a peer that sends no audio at all for silence', async () => {
    await using t = await setUpCalls()
    const { sid } = await forked(t, { ...DETECTION, silenceTimeoutMs: 2_000 })
    await waitUntil('it is told', () => told(t).length > 0)
    expect(paramsOf(told(t)[0] ?? expect.fail())).toMatchObject({
      AnsweredBy: 'unknown',
      MachineDetectionDuration: '2000',
    })
    expect(await recordOf(t, sid)).toMatchObject({ status: 'in-progress' })
  })

  it('tells nobody of a call that nobody answered', async () => {
    await using t = await setUpCalls()
    const { leg } = await answered(t)
    leg.end('rejected', 486)
    await t.completed()
    expect(told(t)).toEqual([])
    expect(leg.asked).toEqual([])
  })

  it('warns when there is nobody to be told, and remembers it all the same', async () => {
    await using t = await setUpCalls()
    const { callback: _none, ...quiet } = DETECTION
    const { sid, leg } = await forked(t, quiet)
    leg.hear(PERSON)
    await waitUntil('the fork stops', () => leg.asked.length > 1)
    leg.end('remote-hangup', 200)
    await t.completed()
    expect(told(t)).toEqual([])
    expect((await recordOf(t, sid)).answeredBy).toBe('human')
    await t.events.flush()
    const { events } = await t.events.list(sid, { type: 'offset', offset: 0 }, 100)
    expect(events.filter(({ kind }) => kind === 'warning')).toMatchObject([
      { detail: { code: 21262 } },
    ])
  })
})
