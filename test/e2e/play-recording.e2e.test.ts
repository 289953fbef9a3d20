/** Documents that play a recording of their account by its RecordingUrl, without credentials. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { joinTrunkline } from '../support/process/shared-trunkline.js'
import type { RunningTrunkline } from '../support/process/trunkline.js'
import { SipPeer } from '../support/sip/sip-peer.js'
import { waitUntil } from '../support/time/wait-until.js'
import { startVoiceApp, type VoiceApp } from '../support/voice/voice-app.js'

const LIMIT_MS = 20_000
const POLL = { timeout: LIMIT_MS, interval: 20 }
const TONE = 500

let trunkline: RunningTrunkline
let app: VoiceApp
let phone: SipPeer

beforeAll(async () => {
  trunkline = await joinTrunkline()
  app = await startVoiceApp()
  phone = await SipPeer.open()
  app.page('/after', '<Hangup/>')
  app.page('/played', '<Hangup/>')
})
afterAll(async () => {
  phone.close()
  await app[Symbol.asyncDispose]()
  await trunkline[Symbol.asyncDispose]()
})

/** Calls the phone, which answers and speaks its tone, and runs the verbs. */
async function callPhone(verbs: string): Promise<string> {
  const invited = phone.nextCall(LIMIT_MS)
  const { sid } = await trunkline.createCall({
    To: phone.uri('phone'),
    From: '+15551112222',
    Markup: `<Response>${verbs}</Response>`,
    StatusCallback: `${app.url}/status`,
  })
  await (await invited).answer()
  return sid
}

async function warningsOf(callSid: string): Promise<readonly unknown[]> {
  const { body } = await trunkline.api('GET', `/Calls/${callSid}/Events.json?PageSize=200`)
  const events = body['events'] as readonly { kind: string; detail: { code?: number } }[]
  return events.filter(({ kind }) => kind === 'warning').map(({ detail }) => detail.code)
}

/** Resolves with the RecordingUrl that a callback of the call's recording tells. */
async function recordedBy(page: string, verbs: (callback: string) => string): Promise<string> {
  const callback = `recordingStatusCallback="${app.url}/${page}"`
  phone.rtp.speak(TONE)
  const sid = await callPhone(verbs(callback))
  const told = await app.asked(`/${page}`)
  await app.completed(sid)
  phone.rtp.speak(0)
  return told['RecordingUrl'] ?? ''
}

it.each([
  ['Record', (to: string) => `<Record maxLength="2" ${to} action="${app.url}/after"/>`],
  [
    'Dial',
    (to: string) => `<Dial timeLimit="2" record="record-from-answer" ${to}>+15005550002</Dial>`,
  ],
  [
    'Conference',
    (to: string) =>
      `<Dial timeLimit="4"><Conference record="record-from-start" ${to}>one</Conference></Dial>`,
  ],
  ['Start', (to: string) => `<Start><Recording ${to}/></Start><Pause length="2"/>`],
])('plays what %s recorded, by its bare URL and with a suffix', async (verb, verbs) => {
  if (verb === 'Conference')
    await trunkline.createCall({
      To: '+15005550002',
      From: '+15551112222',
      Markup: '<Response><Dial timeLimit="10"><Conference>one</Conference></Dial></Response>',
    })
  const url = await recordedBy(verb, verbs)
  for (const suffix of ['', '.wav', '.mp3']) {
    const sid = await callPhone(
      `<Play>${url}${suffix}</Play><Redirect>${app.url}/played</Redirect>`,
    )
    await waitUntil('the recording is heard', () => phone.rtp.hears(TONE), LIMIT_MS)
    await app.asked('/played', sid)
    expect(await warningsOf(sid)).toEqual([])
    await app.completed(sid)
    await waitUntil('silence', () => !phone.rtp.hears(TONE), LIMIT_MS)
  }
})

it('a recording of another account looks like none', async () => {
  const url = await recordedBy(
    'own',
    (to) => `<Record maxLength="2" ${to} action="${app.url}/after"/>`,
  )
  const { body } = await trunkline.adminApi('POST', '/accounts', { friendlyName: 'other' })
  const [sid, authToken] = [String(body['accountSid']), String(body['authToken'])]
  const authorization = `Basic ${Buffer.from(`${sid}:${authToken}`).toString('base64')}`
  const ask = async (method: string, path: string, form?: Readonly<Record<string, string>>) => {
    const answer = await fetch(`${trunkline.http}/2010-04-01/Accounts/${sid}${path}`, {
      method,
      headers: { authorization },
      ...(form === undefined ? {} : { body: new URLSearchParams(form) }),
    })
    return (await answer.json()) as Readonly<Record<string, unknown>>
  }
  const nobodys = `/Recordings/RE${'0'.repeat(32)}`
  const own = `${trunkline.http}/2010-04-01/Accounts/${sid}`
  const warned: unknown[] = []
  for (const wanted of [url, url.replace(/^.*\/Accounts\/[^/]+/, own), `${own}${nobodys}`]) {
    const call = await ask('POST', '/Calls.json', {
      To: '+15005550002',
      From: '+15551112222',
      Markup: `<Response><Play>${wanted}</Play></Response>`,
    })
    const path = `/Calls/${String(call['sid'])}`
    await expect
      .poll(async () => (await ask('GET', `${path}.json`))['status'], POLL)
      .toBe('completed')
    const { events } = (await ask('GET', `${path}/Events.json`)) as {
      readonly events: readonly { kind: string; detail: { code: number; message: string } }[]
    }
    const warning = events.find(({ kind }) => kind === 'warning' || kind === 'error')?.detail
    warned.push([warning?.code, warning?.message])
  }
  expect(warned[0]).toEqual([11200, expect.any(String)])
  expect(new Set(warned.map((each) => JSON.stringify(each))).size).toBe(1)
})
