import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { expectNothingLeft } from '../support/process/nothing-left.js'
import { type RunningTrunkline, startTrunkline } from '../support/process/trunkline.js'
import { SipPeer } from '../support/sip/sip-peer.js'
import { startVoiceApp, type VoiceApp } from '../support/voice/voice-app.js'

let trunkline: RunningTrunkline
let app: VoiceApp

beforeAll(async () => {
  trunkline = await startTrunkline()
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
