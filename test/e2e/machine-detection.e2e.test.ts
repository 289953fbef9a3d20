import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { expectNothingLeft } from '../support/process/nothing-left.js'
import { joinTrunkline } from '../support/process/shared-trunkline.js'
import type { RunningTrunkline } from '../support/process/trunkline.js'
import { SipPeer } from '../support/sip/sip-peer.js'
import { waitUntil } from '../support/time/wait-until.js'
import { startVoiceApp, type VoiceApp } from '../support/voice/voice-app.js'
import { join, silence, speech, tone } from '../unit/voice/amd/sounds.js'

let trunkline: RunningTrunkline
let app: VoiceApp

beforeAll(async () => {
  trunkline = await joinTrunkline()
  app = await startVoiceApp()
})
afterAll(async () => {
  await app[Symbol.asyncDispose]()
  await trunkline[Symbol.asyncDispose]()
})

async function call(phone: string, form: Readonly<Record<string, string>>): Promise<string> {
  const { sid } = await trunkline.createCall({
    To: `+1500555${phone}`,
    From: '+15551112222',
    Markup: '<Response><Pause length="40"/></Response>',
    StatusCallback: `${app.url}/status`,
    AsyncAmd: 'true',
    AsyncAmdStatusCallback: `${app.url}/amd`,
    ...form,
  })
  return sid
}

function toldOf(sid: string): Readonly<Record<string, string>>[] {
  return app.sink.requests
    .filter(({ target }) => target.startsWith('/amd'))
    .map(({ params }): Record<string, string> => Object.fromEntries(params))
    .filter((params) => params['CallSid'] === sid)
}

/** The verdict of that phone while the call goes on, and then its end. */
async function verdict(sid: string): Promise<string> {
  const { AnsweredBy = '', ...rest } = await app.asked('/amd', sid)
  expect(rest).toEqual({
    CallSid: sid,
    AccountSid: trunkline.account.sid,
    MachineDetectionDuration: expect.stringMatching(/^[1-9][0-9]*$/) as unknown,
  })
  expect(await trunkline.fetchCall(sid)).toMatchObject({
    status: 'in-progress',
    answered_by: AnsweredBy,
  })
  await trunkline.api('POST', `/Calls/${sid}.json`, { Status: 'completed' })
  const [completed] = await app.completed(sid)
  expect(completed).toMatchObject({ CallStatus: 'completed', AnsweredBy })
  expect(toldOf(sid)).toHaveLength(1)
  return AnsweredBy
}

/** Person, voicemail with beep, fax, nobody. */
const PHONES = ['0001', '0010', '0012', '0002']

it('tells person, voicemail, fax and silence apart, and each call goes on', async () => {
  const heard = async (MachineDetection: string) => {
    const sids = await Promise.all(PHONES.map((phone) => call(phone, { MachineDetection })))
    return Promise.all(sids.map(verdict))
  }
  const [enable, messageEnd] = await Promise.all([heard('Enable'), heard('DetectMessageEnd')])
  expect(enable).toEqual(['human', 'machine_start', 'fax', 'unknown'])
  expect(messageEnd).toEqual(['human', 'machine_end_beep', 'fax', 'unknown'])
  await expectNothingLeft(trunkline)
})

describe('a voicemail that pauses after its first word', () => {
  const hi = join(silence(300), speech(500), silence(1_700))
  const greeting = join(hi, speech(4_000), silence(400), tone([1_000], 500), silence(12_000))

  /** Answers with the sound; resolves when the call is over, with what was told of it. */
  async function answer(
    to: string,
    form: Readonly<Record<string, string>>,
    hangUpAfter: (sid: string, peer: SipPeer) => Promise<unknown>,
    sound = greeting,
  ) {
    const peer = await SipPeer.open()
    try {
      const invited = peer.nextCall(20_000)
      const { sid } = await trunkline.createCall({
        To: peer.uri(to),
        From: '+15551112222',
        Markup: '<Response><Pause length="40"/></Response>',
        StatusCallback: `${app.url}/status`,
        MachineDetection: 'Enable',
        AsyncAmdStatusCallback: `${app.url}/amd`,
        ...form,
      })
      const leg = await invited
      await leg.answer()
      peer.rtp.say(sound)
      await hangUpAfter(sid, peer)
      const shown = await trunkline.fetchCall(sid)
      leg.bye()
      const [completed] = await app.completed(sid)
      return { sid, shown, completed, told: toldOf(sid).map(answersOf) }
    } finally {
      peer.close()
    }
  }

  const answersOf = ({ AnsweredBy, PreviousAnsweredBy }: Readonly<Record<string, string>>) => [
    AnsweredBy,
    PreviousAnsweredBy,
  ]
  const toldTimes = (times: number) => (sid: string) =>
    waitUntil('it is told', () => toldOf(sid).length >= times, 30_000)

  async function conclusionsOf(sid: string): Promise<unknown[]> {
    const { body } = await trunkline.api('GET', `/Calls/${sid}/Events.json?PageSize=1000`)
    const events = body['events'] as { kind: string; detail: Readonly<Record<string, unknown>> }[]
    return events
      .filter(({ kind, detail }) => kind === 'detection' && 'answeredBy' in detail)
      .map(({ detail }) => [detail['type'], detail['answeredBy']])
  }

  it('is a person first, and a machine in one more callback', async () => {
    const { sid, told, shown, completed } = await answer(
      'pauses',
      { MachineDetectionCorrectionWindow: '8000' },
      toldTimes(2),
    )
    expect(told).toEqual([
      ['human', undefined],
      ['machine_start', 'human'],
    ])
    expect(shown).toMatchObject({ status: 'in-progress', answered_by: 'machine_start' })
    expect(completed).toMatchObject({ CallStatus: 'completed', AnsweredBy: 'machine_start' })
    expect(await conclusionsOf(sid)).toEqual([
      [undefined, 'human'],
      ['correction', 'machine_start'],
    ])
  })

  it('is told with its beep where the end of the message was asked for', async () => {
    const { told } = await answer(
      'beeps',
      { MachineDetection: 'DetectMessageEnd', MachineDetectionCorrectionWindow: '8000' },
      toldTimes(2),
    )
    expect(told).toEqual([
      ['human', undefined],
      ['machine_end_beep', 'human'],
    ])
  })

  it('stays a person without the parameter, after the window, and when the call ends before', async () => {
    const later = join(hi, silence(1_500), greeting.subarray(hi.length))
    const brief = join(hi, speech(4_000))
    const heardAll = (_sid: string, peer: SipPeer) =>
      waitUntil('all is said', () => !peer.rtp.isSaying, 30_000)
    const closed = (sid: string) =>
      waitUntil('the window is closed', async () => {
        const { body } = await trunkline.api('GET', `/Calls/${sid}/Events.json?PageSize=1000`)
        return JSON.stringify(body).includes('correction-window-closed')
      })
    const [plain, after, ended] = await Promise.all([
      answer('plain', {}, heardAll, brief),
      answer('after', { MachineDetectionCorrectionWindow: '1000' }, closed, later),
      answer('ended', { MachineDetectionCorrectionWindow: '8000' }, toldTimes(1)),
    ])
    for (const { told, completed } of [plain, after, ended]) {
      expect(told).toEqual([['human', undefined]])
      expect(completed).toMatchObject({ AnsweredBy: 'human' })
    }
    await expectNothingLeft(trunkline)
  })
})

describe('detection on a party that Dial calls', () => {
  it('tells of the child, which is connected all the while', async () => {
    const caller = await SipPeer.open()
    try {
      const invited = caller.nextCall(20_000)
      const detection = `machineDetection="DetectMessageEnd" amdStatusCallback="${app.url}/amd-child"`
      const { sid } = await trunkline.createCall({
        To: caller.uri('caller'),
        From: '+15551112222',
        Markup: `<Response><Dial><Number ${detection}>+15005550010</Number></Dial></Response>`,
        StatusCallback: `${app.url}/status`,
      })
      const invite = await invited
      await invite.answer()
      const told = await app.asked('/amd-child')
      const { body } = await trunkline.api('GET', `/Calls.json?ParentCallSid=${sid}`)
      expect(body['calls']).toMatchObject([
        { sid: told['CallSid'], status: 'in-progress', answered_by: 'machine_end_beep' },
      ])
      invite.bye()
      await app.completed(sid)
      await expectNothingLeft(trunkline)
    } finally {
      caller.close()
    }
  })
})
