import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { expectNothingLeft } from '../support/process/nothing-left.js'
import { IS_LAB } from '../support/process/real-servers.js'
import { joinTrunkline } from '../support/process/shared-trunkline.js'
import type { RunningTrunkline } from '../support/process/trunkline.js'
import { startBaresip } from '../support/sip/baresip.js'
import { describeSoftphone } from '../support/sip/describe-softphone.js'
import { rms } from '../support/sound/tone.js'
import { startVoiceApp, type VoiceApp } from '../support/voice/voice-app.js'

// Each server stops before the next one starts: drachtio would share its calls out between the two.
describe('a softphone that registers nowhere', () => {
  let trunkline: RunningTrunkline
  let app: VoiceApp

  beforeAll(async () => {
    trunkline = await joinTrunkline()
    app = await startVoiceApp()
    await trunkline.assignNumber('+15551112222', {
      voiceUrl: `${app.url}/voice`,
      statusCallback: `${app.url}/status`,
    })
  })
  afterAll(async () => {
    await app[Symbol.asyncDispose]()
    await trunkline[Symbol.asyncDispose]()
  })

  it('calls a number, hears speech, and its digits arrive [F53]', async () => {
    await using phone = await startBaresip()
    app.page(
      '/voice',
      '<Gather numDigits="2" action="/digits" timeout="15"><Say>Please press four, then two.</Say></Gather>',
    )
    app.page('/digits', '<Say>Thank you.</Say>')
    phone.command('dial', `sip:15551112222@127.0.0.1:${trunkline.sipPort}`)
    await expect.poll(() => phone.printed(), { timeout: 20_000 }).toContain('CALL_ESTABLISHED')
    phone.command('sndcode', '4')
    phone.command('sndcode', '2')
    const asked = await app.asked('/digits').catch((cause: unknown) => {
      throw new Error(phone.printed(), { cause })
    })
    expect(asked['Digits']).toBe('42')
    const callbacks = await app.completed(asked['CallSid'] ?? '')
    expect(callbacks.map((params) => params['CallStatus'])).toEqual(['completed'])
    // Its file is whole once the call is over.
    await expect.poll(() => rms(phone.heard())).toBeGreaterThan(300)
    await expectNothingLeft(trunkline)
  })

  if (IS_LAB)
    it('with nothing but Opus is refused by the lab, and the application is not asked', async () => {
      await using phone = await startBaresip({ codec: 'opus' })
      const asked = app.sink.requests.length
      phone.command('dial', `sip:15551112222@127.0.0.1:${trunkline.sipPort}`)
      await expect.poll(() => phone.printed(), { timeout: 20_000 }).toContain('488')
      expect(app.sink.requests).toHaveLength(asked)
      await expectNothingLeft(trunkline)
    })

  it('is called, hears speech and is hung up [F53]', async () => {
    await using phone = await startBaresip()
    const { sid } = await trunkline.createCall({
      To: `sip:baresip@127.0.0.1:${phone.sipPort}`,
      From: '+15551112222',
      Markup: '<Response><Say>This sentence is spoken by a machine.</Say></Response>',
      StatusCallback: `${app.url}/status`,
    })
    const callbacks = await app.completed(sid)
    expect(
      callbacks.map((params) => params['CallStatus']),
      phone.printed(),
    ).toEqual(['completed'])
    await expect.poll(() => rms(phone.heard())).toBeGreaterThan(300)
    await expectNothingLeft(trunkline)
  })
})

describeSoftphone('baresip [F53]', startBaresip)
describeSoftphone('baresip with nothing but G.722 [F53]', (options) =>
  startBaresip({ ...options, codec: 'G722' }),
)
// The lab has no Opus, and refuses such a call: above.
if (!IS_LAB)
  describeSoftphone('baresip with nothing but Opus [F53]', (options) =>
    startBaresip({ ...options, codec: 'opus' }),
  )
