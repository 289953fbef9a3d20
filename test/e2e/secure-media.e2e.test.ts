import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { expectNothingLeft } from '../support/process/nothing-left.js'
import { IS_LAB } from '../support/process/real-servers.js'
import { type RunningTrunkline, startTrunkline } from '../support/process/trunkline.js'
import { startBaresip } from '../support/sip/baresip.js'
import { SipPeer } from '../support/sip/sip-peer.js'
import { rms } from '../support/sound/tone.js'
import { waitUntil } from '../support/time/wait-until.js'
import { startVoiceApp, type VoiceApp } from '../support/voice/voice-app.js'

const SERVICE = '15551112222'
/** Keys of the examples in RFC 4568. */
const KEY = 'PS1uQCVeeCFCanVmcjkpPywjNWhcYD0mXXtxaVBR'
const OTHER_KEY = 'd0RmdmcmVCspeEc3QGZiNWpVLFJhQX1cfHAwJSoj'
/** What baresip prints once its audio is encrypted. */
const ENCRYPTED = 'SRTP is Enabled (cryptosuite=AES_CM_128_HMAC_SHA1_80)'
const POLL = { timeout: 20_000 }

let trunkline: RunningTrunkline
let app: VoiceApp

beforeAll(async () => {
  trunkline = await startTrunkline({ LOG_LEVEL: 'debug' })
  app = await startVoiceApp()
  await trunkline.assignNumber(`+${SERVICE}`, {
    voiceUrl: `${app.url}/voice`,
    statusCallback: `${app.url}/status`,
  })
})
afterAll(async () => {
  await app[Symbol.asyncDispose]()
  await trunkline[Symbol.asyncDispose]()
})

describe('a call over SRTP', () => {
  it('hears the prompt, presses a key, and is recorded with its sound [E41]', async () => {
    using party = await SipPeer.open()
    app.page(
      '/voice',
      `<Gather numDigits="1" action="/digits" timeout="15"><Play loop="0">${app.url}/tone.wav</Play></Gather>`,
    )
    app.page('/digits', '<Record maxLength="2" playBeep="false" action="/recorded"/>')
    app.page('/recorded', '<Hangup/>')
    const call = party.call(trunkline.sipPort, { user: SERVICE, sdp: party.sdp({ key: KEY }) })
    const { body } = await call.response(200, 'INVITE', 15_000)
    expect(body).toMatch(/^m=audio \d+ RTP\/SAVP/m)
    await waitUntil('the prompt is heard', () => party.rtp.hears(440))
    party.rtp.speak(990)
    await party.rtp.sendDigit('4')
    expect((await app.asked('/digits'))['Digits']).toBe('4')
    const recorded = await app.asked('/recorded')
    await call.request('BYE', 15_000)
    expect(party.rtp.unreadable).toBe(0)
    const sid = recorded['RecordingUrl']?.split('/').at(-1) ?? ''
    const audio = await fetchRecording(sid)
    expect(rms(audio)).toBeGreaterThan(1_000)
    await expectNothingLeft(trunkline)
  })

  it('with a wrong key is not heard and presses nothing; one warning says so [E41]', async () => {
    using party = await SipPeer.open()
    app.page(
      '/voice',
      '<Gather numDigits="1" action="/wrong" timeout="2"><Pause length="1"/></Gather>',
    )
    const call = party.call(trunkline.sipPort, { user: SERVICE, sdp: party.sdp({ key: KEY }) })
    await call.response(200, 'INVITE', 15_000)
    party.rtp.secure({
      suite: 'AES_CM_128_HMAC_SHA1_80',
      sendKey: OTHER_KEY,
      receiveKey: OTHER_KEY,
    })
    // FreeSWITCH speaks as soon as it answers.
    party.rtp.forget()
    party.rtp.speak(990)
    await party.rtp.sendDigit('4')
    await call.request('BYE', 15_000)
    expect(party.rtp.packets).toEqual([])
    expect(app.sink.requests.filter(({ target }) => target === '/wrong')).toEqual([])
    const warnings = () =>
      trunkline.server.log().match(/dropped RTP that fails SRTP authentication/g) ?? []
    // FreeSWITCH writes its own log.
    if (IS_LAB) await expect.poll(warnings, POLL).toHaveLength(1)
    await expectNothingLeft(trunkline)
  })

  it('leaves no key in the log or in the events of the call', async () => {
    using party = await SipPeer.open()
    app.page('/voice', '<Hangup/>')
    const call = party.call(trunkline.sipPort, { user: SERVICE, sdp: party.sdp({ key: KEY }) })
    const { body } = await call.response(200, 'INVITE', 15_000)
    await call.request('BYE', 15_000)
    const [, ours = 'none'] = /inline:(\S+)/.exec(body) ?? []
    const { body: list } = await trunkline.api('GET', '/Calls.json?PageSize=1')
    const [latest] = list['calls'] as readonly { readonly sid: string }[]
    const { body: log } = await trunkline.api('GET', `/Calls/${latest?.sid}/Events.json`)
    const events = JSON.stringify(log)
    expect(events).toContain('INVITE')
    for (const text of [trunkline.server.log(), events])
      for (const key of [KEY, ours]) expect(text).not.toContain(key)
  })
})

describe('a softphone from Debian with its srtp module', () => {
  it.each([
    'srtp-mand',
    'srtp',
  ] as const)('calls with %s and hears speech; its key arrives', async (mediaEncryption) => {
    await using phone = await startBaresip({ mediaEncryption })
    app.page(
      '/voice',
      `<Gather numDigits="2" action="/phone-${mediaEncryption}" timeout="15"><Say>Please press four, then two.</Say></Gather>`,
    )
    app.page(`/phone-${mediaEncryption}`, '<Say>Thank you.</Say>')
    phone.dial(`sip:${SERVICE}@127.0.0.1:${trunkline.sipPort}`)
    await expect.poll(() => phone.printed(), POLL).toContain('CALL_ESTABLISHED')
    // What is pressed before the Gather has begun is not for it.
    await expect.poll(() => rms(phone.heard()), POLL).toBeGreaterThan(300)
    phone.press('42')
    const asked = await app.asked(`/phone-${mediaEncryption}`).catch((cause: unknown) => {
      throw new Error(phone.printed(), { cause })
    })
    expect(asked['Digits']).toBe('42')
    expect(phone.printed().includes(ENCRYPTED)).toBe(mediaEncryption === 'srtp-mand')
    await app.completed(asked['CallSid'] ?? '')
    await expectNothingLeft(trunkline)
  })

  it('is called with ;secure=true and hears speech', async () => {
    await using phone = await startBaresip({ mediaEncryption: 'srtp-mand' })
    const { sid } = await trunkline.createCall({
      To: `sip:baresip@127.0.0.1:${phone.sipPort};secure=true`,
      From: `+${SERVICE}`,
      Markup: '<Response><Say>This sentence is spoken by a machine.</Say></Response>',
      StatusCallback: `${app.url}/status`,
    })
    const callbacks = await app.completed(sid)
    expect(
      callbacks.map((params) => params['CallStatus']),
      phone.printed(),
    ).toEqual(['completed'])
    await expect.poll(() => phone.printed(), POLL).toContain(ENCRYPTED)
    await expect.poll(() => rms(phone.heard()), POLL).toBeGreaterThan(300)
    await expectNothingLeft(trunkline)
  })
})

describe('a carrier with secureMedia', () => {
  it('is offered SRTP; one that answers in the clear gets a BYE', async () => {
    using carrier = await SipPeer.open()
    await trunkline.adminApi('PUT', '/carriers/secure', {
      host: '127.0.0.1',
      port: carrier.port,
      prefixes: ['+1777'],
      secureMedia: true,
    })
    const dial = () =>
      trunkline.createCall({
        To: '+17775550001',
        From: `+${SERVICE}`,
        Markup: `<Response><Play loop="0">${app.url}/tone.wav</Play></Response>`,
      })
    await dial()
    const call = await carrier.nextCall(15_000)
    expect(call.invite.body).toMatch(/^m=audio \d+ RTP\/SAVP/m)
    const tag = Number(/^a=crypto:(\d+)/m.exec(call.invite.body)?.[1])
    await call.answer(carrier.sdp({ key: KEY, tag }))
    await waitUntil('the tone is heard', () => carrier.rtp.hears(440))
    call.bye()
    await call.response(200, 'BYE')
    await dial()
    const second = await carrier.nextCall(15_000)
    await second.answer(carrier.sdp())
    await second.request('BYE', 15_000)
    await expectNothingLeft(trunkline)
  })
})

/** The samples of a recording, as the API gives them: 16-bit WAV with a plain header. */
async function fetchRecording(sid: string): Promise<Int16Array> {
  const { account, http } = trunkline
  const url = `${http}/2010-04-01/Accounts/${account.sid}/Recordings/${sid}.wav`
  const basic = Buffer.from(`${account.sid}:${account.secret}`).toString('base64')
  let bytes = Buffer.alloc(0)
  await expect
    .poll(async () => {
      const answer = await fetch(url, { headers: { authorization: `Basic ${basic}` } })
      bytes = Buffer.from(await answer.arrayBuffer())
      return answer.status
    }, POLL)
    .toBe(200)
  const data = bytes.subarray(44)
  return Int16Array.from({ length: data.length >> 1 }, (_, index) => data.readInt16LE(2 * index))
}
