import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { expectNothingLeft } from '../support/process/nothing-left.js'
import { joinTrunkline } from '../support/process/shared-trunkline.js'
import type { RunningTrunkline } from '../support/process/trunkline.js'
import { sipp } from '../support/sip/sipp.js'
import { startVoiceApp, type VoiceApp } from '../support/voice/voice-app.js'

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

const createApplication = async (form: Readonly<Record<string, string>>) =>
  (await trunkline.api('POST', '/Applications.json', form)).body['sid'] as string
const totalOf = async (query: string) =>
  (await trunkline.api('GET', `/Calls.json?${query}`)).body['total'] as number

describe('a caller who is connected with an application by Dial, with SIPp,', () => {
  const NUMBER = '+15551113333'
  const target = () => ({ target: `127.0.0.1:${trunkline.sipPort}`, service: NUMBER.slice(1) })

  it('hears its documents and presses keys for it, as a call of its own', async () => {
    const sid = await createApplication({
      VoiceUrl: `${app.url}/menu`,
      StatusCallback: `${app.url}/status`,
      StatusCallbackEvent: 'initiated,answered,completed',
    })
    await trunkline.assignNumber(NUMBER, {
      voiceUrl: `${app.url}/reception`,
      statusCallback: `${app.url}/status`,
    })
    app.page(
      '/reception',
      `<Dial action="/parted"><Application customerId="ours" copyParentTo="false">
        <ApplicationSid>${sid}</ApplicationSid><Parameter name="Account" value="a&amp;b 7"/>
      </Application></Dial>`,
    )
    app.page(
      '/menu',
      '<Gather numDigits="2" action="/chosen" timeout="8"><Say>Press.</Say></Gather>',
    )
    app.page('/chosen', '<Say>Thank you.</Say>')
    app.page('/parted', '<Hangup/>')
    await sipp({ scenario: 'uac-presses-101', ...target() })
    const caller = (await app.asked('/reception'))['CallSid'] ?? ''
    const menu = await app.asked('/menu')
    expect(menu).toMatchObject({
      ParentCallSid: caller,
      ApplicationSid: sid,
      To: sid,
      From: '+15553334444',
      Direction: 'outbound-dial',
      CallStatus: 'in-progress',
      CustomerId: 'ours',
      Param_Account: 'a&b 7',
    })
    const child = menu['CallSid'] ?? ''
    expect(child).not.toBe(caller)
    expect(await app.asked('/chosen', child)).toMatchObject({ Digits: '24' })
    expect(await app.asked('/parted', caller)).toMatchObject({
      DialCallSid: child,
      DialCallStatus: 'completed',
      DialBridged: 'true',
    })
    const callbacks = await app.completed(child)
    expect(callbacks.map((params) => params['CallStatus'])).toEqual([
      'initiated',
      'in-progress',
      'completed',
    ])
    await app.completed(caller)
    expect(await totalOf(`ParentCallSid=${caller}`)).toBe(1)
    await expectNothingLeft(trunkline)
  })

  it('is parted from it when the timeLimit of the Dial is over, and goes on with the action', async () => {
    const sid = await createApplication({ VoiceUrl: `${app.url}/long-menu` })
    await trunkline.assignNumber(NUMBER, { voiceUrl: `${app.url}/short-reception` })
    app.page(
      '/short-reception',
      `<Dial timeLimit="2" action="/time-over"><Application>${sid}</Application></Dial>`,
    )
    app.page('/long-menu', '<Pause length="50"/>')
    app.page('/time-over', '<Hangup/>')
    await sipp({ scenario: 'uac-waits-for-bye', ...target() })
    const { DialCallSid: child = '', DialCallStatus } = await app.asked('/time-over')
    const { status, to } = await trunkline.fetchCall(child)
    // A slow machine may not have begun the application's call by then: it is canceled.
    expect({ DialCallStatus, to }).toEqual({ DialCallStatus: status, to: sid })
    await expectNothingLeft(trunkline)
  })

  it('is parted from it when the call of the application is ended by REST', async () => {
    const sid = await createApplication({ VoiceUrl: `${app.url}/endless` })
    await trunkline.assignNumber(NUMBER, {
      voiceUrl: `${app.url}/second-reception`,
      statusCallback: `${app.url}/status`,
    })
    app.page(
      '/second-reception',
      `<Dial><Application copyParentTo="true">${sid}</Application></Dial><Hangup/>`,
    )
    app.page('/endless', '<Pause length="50"/>')
    app.page('/another', '<Say>Another document.</Say><Pause length="50"/>')
    const caller = sipp({ scenario: 'uac-waits-for-bye', ...target() })
    const { CallSid: child = '', To } = await app.asked('/endless')
    expect(To).toBe(NUMBER)
    await trunkline.api('POST', `/Calls/${child}.json`, { Url: `${app.url}/another` })
    await app.asked('/another', child)
    await trunkline.api('POST', `/Calls/${child}.json`, { Status: 'completed' })
    await caller
    expect((await trunkline.fetchCall(child)).status).toBe('completed')
    await expectNothingLeft(trunkline)
  })

  it('hangs up, and the call of the application ends', async () => {
    app.page('/endless', '<Pause length="50"/>')
    const ended = `Status=completed&To=${encodeURIComponent(NUMBER)}`
    const before = await totalOf(ended)
    await sipp({ scenario: 'uac-hangs-up', ...target() })
    await expect.poll(() => totalOf(ended), { timeout: 15_000 }).toBe(before + 2)
    await expectNothingLeft(trunkline)
  })
})
