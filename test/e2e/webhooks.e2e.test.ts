import twilio from 'twilio'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { HttpSink } from '../support/http/http-sink.js'
import { RtpPeer } from '../support/media/rtp-peer.js'
import { freePort } from '../support/process/free-port.js'
import { joinTrunkline } from '../support/process/shared-trunkline.js'
import type { RunningTrunkline } from '../support/process/trunkline.js'
import { startSipp } from '../support/sip/sipp.js'
import { RATE } from '../support/sound/tone.js'
import { toneWav } from '../support/sound/wav-bytes.js'
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

const call = (form: Readonly<Record<string, string>>) =>
  trunkline.createCall({
    To: '+15005550002',
    From: '+15005550000',
    StatusCallback: `${app.url}/status`,
    ...form,
  })

/** What the call's event log says of one kind, oldest first. */
async function details(sid: string, kind: string): Promise<readonly Record<string, unknown>[]> {
  const { body } = await trunkline.api('GET', `/Calls/${sid}/Events.json?PageSize=200`)
  const events = body['events'] as readonly { kind: string; detail: Record<string, unknown> }[]
  return events.filter((event) => event.kind === kind).map(({ detail }) => detail)
}

describe('an application that fails', () => {
  it.each([
    ['hangs before its headers', { hang: 'headers' }, '#tt=400', '11203'],
    ['hangs in its body', { hang: 'body', body: '<Response/>' }, '#tt=400', '11203'],
    ['has an error', { status: 500 }, '', '11200'],
    ['has no such page', { status: 404 }, '', '11200'],
    [
      'answers something else',
      { headers: { 'content-type': 'image/png' }, body: 'x' },
      '',
      '12300',
    ],
    ['answers no markup', { headers: { 'content-type': 'text/xml' }, body: '<Resp' }, '', '12100'],
  ] as const)('and %s: its fallback is told why and goes on [D30]', async (title, answer, fragment, code) => {
    const path = `/${title.replaceAll(' ', '-')}`
    app.page(path, '', answer)
    app.page(`${path}-fallback`, '<Pause length="1"/>')
    const { sid } = await call({
      Url: `${app.url}${path}?a=b${fragment}`,
      FallbackUrl: `${app.url}${path}-fallback`,
    })
    expect(await app.asked(`${path}-fallback`, sid)).toMatchObject({
      CallSid: sid,
      CallStatus: 'in-progress',
      ErrorCode: code,
      ErrorUrl: `${app.url}${path}?a=b`,
    })
    expect((await app.completed(sid)).at(-1)).toMatchObject({ CallStatus: 'completed' })
  })

  const redirect = '<Response><Redirect>/caf\u00E9</Redirect></Response>'
  const utf16 = Buffer.from(`\uFEFF<?xml version="1.0" encoding="UTF-16"?>${redirect}`, 'utf16le')
  const latin1 = Buffer.from(`<?xml version="1.0" encoding="ISO-8859-1"?>${redirect}`, 'latin1')
  it.each([
    ['UTF-16 in the order of a PC', utf16, 'text/xml'],
    ['UTF-16 in the order of the network', Buffer.from(utf16).swap16(), 'text/xml'],
    ['UTF-16 without a mark', utf16.subarray(2), 'application/xml'],
    ['Latin-1 by its declaration', latin1, 'text/xml'],
    [
      'Latin-1 by its content type',
      Buffer.from(redirect, 'latin1'),
      'text/xml; charset=ISO-8859-1',
    ],
    ['UTF-8 under a charset that nobody knows', Buffer.from(redirect), 'text/xml; charset=x-none'],
  ])('may answer a document in %s', async (_title, body, type) => {
    app.page('/encoded', '', { headers: { 'content-type': type }, body })
    const { sid } = await call({ Url: `${app.url}/encoded` })
    expect(await app.asked('/caf%C3%A9', sid)).toMatchObject({ CallSid: sid })
    expect((await app.completed(sid)).at(-1)).toMatchObject({ CallStatus: 'completed' })
  })

  it('by GET: its fallback is told its URL without the parameters of the call', async () => {
    app.page('/failing', '', { status: 500 })
    const { sid } = await call({
      Url: `${app.url}/failing?a=b`,
      Method: 'GET',
      FallbackUrl: `${app.url}/failing-fallback`,
    })
    const told = await app.asked('/failing-fallback', sid)
    expect(told).toMatchObject({ ErrorCode: '11200', ErrorUrl: `${app.url}/failing?a=b` })
  })

  it('without a fallback that works, the callee hears that it did, and the call ends', async () => {
    await using ear = await RtpPeer.open()
    await using callee = await startSipp({ scenario: 'uas-answers-and-waits', rtpPort: ear.port })
    app.page('/broken', '', { status: 503 })
    const { sid } = await call({
      To: `sip:callee@127.0.0.1:${String(callee.port)}`,
      Url: `${app.url}/broken`,
      FallbackUrl: `${app.url}/broken`,
    })
    expect((await app.completed(sid)).at(-1)).toMatchObject({ CallStatus: 'completed' })
    await callee.done
    const loud = ear.heard().filter((sample) => Math.abs(sample) > 500)
    expect(loud.length / RATE).toBeGreaterThan(0.5)
    const errors = await details(sid, 'error')
    expect(errors.map(({ code }) => code)).toEqual([11200, 11200])
    expect(await trunkline.fetchCall(sid)).toMatchObject({ status: 'completed' })
  })
})

describe('what an application may answer', () => {
  it.each([
    ['audio, which is played', '/tone.wav', 440],
    ['text, which is spoken', '/text', undefined],
  ] as const)('%s, and then the call ends', async (_title, path, hz) => {
    await using ear = await RtpPeer.open()
    await using callee = await startSipp({ scenario: 'uas-answers-and-waits', rtpPort: ear.port })
    app.page('/text', '', { headers: { 'content-type': 'text/plain' }, body: 'Hello there.' })
    const { sid } = await call({
      To: `sip:callee@127.0.0.1:${String(callee.port)}`,
      Url: app.url + path,
    })
    if (hz !== undefined) await ear.waitForTone(hz)
    expect((await app.completed(sid)).at(-1)).toMatchObject({ CallStatus: 'completed' })
    await callee.done
    expect(ear.heard().some((sample) => Math.abs(sample) > 500)).toBe(true)
    expect(await details(sid, 'error')).toEqual([])
  })
})

it('an application with a password gets it with what its documents name by a relative URL', async () => {
  await using sink = await HttpSink.start()
  const documents: Readonly<Record<string, string>> = {
    '/first': '<Play>tone.wav</Play><Redirect>second</Redirect>',
    '/second': '<Gather timeout="1" actionOnEmptyResult="true"/>',
    '/backup': `<Redirect>${app.url}/end</Redirect>`,
  }
  let gathered = 0
  sink.script(({ target, headers, params }) => {
    if (headers.authorization !== `Basic ${btoa('user:hidden')}`)
      return { status: 401, headers: { 'www-authenticate': 'Basic realm="app"' } }
    if (target === '/tone.wav')
      return { headers: { 'content-type': 'audio/wav' }, body: toneWav(440, 1) }
    if (new Map(params).has('Digits')) gathered += 1
    const verbs = gathered === 1 && target === '/second' ? '<Redirect>missing</Redirect' : undefined
    const body = verbs ?? documents[target]
    return body === undefined
      ? { status: 404 }
      : { headers: { 'content-type': 'text/xml' }, body: `<Response>${body}</Response>` }
  })
  const withPassword = sink.url.replace('//', '//user:hidden@')
  const { sid } = await call({
    Url: `${withPassword}/first`,
    FallbackUrl: `${withPassword}/backup`,
  })
  await app.asked('/end', sid)
  await app.completed(sid)
  const granted = sink.requests.filter(({ headers }) => headers.authorization !== undefined)
  expect(granted.map(({ target }) => target)).toEqual([
    '/first',
    '/tone.wav',
    '/second',
    '/second',
    '/backup',
  ])
  expect(Object.fromEntries(granted.at(-1)?.params ?? [])).toMatchObject({
    ErrorCode: '12100',
    ErrorUrl: `${sink.url}/second`,
  })
  const events = await trunkline.api('GET', `/Calls/${sid}/Events.json?PageSize=200`)
  expect(JSON.stringify(events)).not.toContain('hidden')
})

describe('a document by GET that leads back to itself', () => {
  it.each([
    ['a Gather', '<Gather method="GET" numDigits="1"><Say>Press.</Say></Gather>'],
    ['a Redirect', '<Pause length="1"/><Redirect method="GET"/>'],
  ])('with %s has each parameter of its request once', async (title, verbs) => {
    const path = `/${title.replaceAll(' ', '-')}`
    app.page(path, verbs)
    const { sid } = await call({ To: '+15005550004', Url: `${app.url}${path}?a=b`, Method: 'GET' })
    const targets = () =>
      app.sink.requests
        .filter(({ params }) => params.some(([, value]) => value === sid))
        .map(({ target }) => target)
        .filter((target) => target.startsWith(`${path}?`))
    await expect.poll(() => targets().length).toBeGreaterThan(1)
    for (const target of targets()) {
      const names = [...new URL(target, app.url).searchParams.keys()]
      expect(names).toEqual([...new Set(names)])
      expect(names[0]).toBe('a')
    }
    await trunkline.api('POST', `/Calls/${sid}.json`, { Status: 'completed' })
  })
})

describe('a status callback', () => {
  it('that is refused warns in the event log, and the next one is sent', async () => {
    app.page('/missing', '', { status: 404 })
    const { sid } = await call({
      Markup: '<Response/>',
      StatusCallback: `http://user:hidden@127.0.0.1:${String(app.sink.port)}/missing#rc=9`,
      StatusCallbackEvent: 'initiated answered completed',
    })
    await expect
      .poll(async () => (await details(sid, 'callback')).length, { timeout: 20_000 })
      .toBe(3)
    const warnings = async () => (await details(sid, 'warning')).map(({ code }) => code)
    await expect
      .poll(warnings, { timeout: 20_000 })
      .toEqual(expect.arrayContaining([11242, 15003, 15003, 15003]))
    expect(JSON.stringify(await trunkline.api('GET', `/Calls/${sid}/Events.json`))).not.toContain(
      'hidden',
    )
  })

  it('that fails again and again does not hold back the end of the call', async () => {
    await using sink = await HttpSink.start()
    let fails = true
    sink.script(({ params }) => {
      return { status: fails && new Map(params).get('CallStatus') === 'ringing' ? 500 : 204 }
    })
    const { sid } = await call({
      Markup: '<Response/>',
      StatusCallback: sink.url,
      StatusCallbackEvent: 'initiated ringing answered completed',
    })
    const told = () =>
      sink.requests
        .map(({ params }) => new Map(params))
        .filter((params) => params.get('CallSid') === sid)
    const ends = () => told().filter((params) => params.get('CallStatus') === 'completed')
    await expect.poll(() => ends().length, { timeout: 20_000 }).toBe(1)
    const numbers = told().map((params) => params.get('SequenceNumber'))
    expect(numbers).toEqual(['0', '1', '1', '2', '3'])
    fails = false
    const isTold = () => told().filter((params) => params.get('CallStatus') === 'ringing').length
    await expect.poll(isTold, { timeout: 20_000 }).toBe(3)
    expect(ends()).toHaveLength(1)
  })

  it('whose server is away holds back no callback to another server', async () => {
    const { sid } = await call({
      Markup: '<Response><Say>Hello.</Say></Response>',
      StatusCallback: `http://127.0.0.1:${String(await freePort())}/status`,
      StatusCallbackEvent: 'initiated answered completed',
      Record: 'true',
      RecordingStatusCallback: `${app.url}/recorded`,
      RecordingStatusCallbackEvent: 'in-progress completed',
    })
    const told = () =>
      app.sink.requests
        .filter(({ target }) => target === '/recorded')
        .map(({ params }) => new Map(params))
        .filter((params) => params.get('CallSid') === sid)
        .map((params) => params.get('RecordingStatus'))
    await expect.poll(told, { timeout: 20_000 }).toEqual(['in-progress', 'completed'])
  })

  it("has the signature under the account's second name as well, for its validator", async () => {
    const { sid: account, secret } = trunkline.account
    const settings = { secondSignatureHeader: 'X-Acme-Signature' }
    const changed = await trunkline.adminApi('PATCH', `/accounts/${account}`, { settings })
    expect(changed.status).toBe(200)
    const { sid } = await call({ Markup: '<Response/>' })
    const callbacks = await app.completed(sid)
    const request = app.sink.requests.find(({ params }) => new Map(params).get('CallSid') === sid)
    const signature = String(request?.headers['x-acme-signature'])
    expect(
      twilio.validateRequest(secret, signature, `${app.url}/status`, { ...callbacks[0] }),
    ).toBe(true)
  })
})

it('inline markup that cannot be run asks the FallbackUrl, as markup at a URL does', async () => {
  app.page('/inline-fallback', '<Pause length="1"/>')
  const { sid } = await call({
    Markup: '<Response><Say>',
    FallbackUrl: `${app.url}/inline-fallback`,
    FallbackMethod: 'GET',
  })
  expect(await app.asked('/inline-fallback', sid)).toMatchObject({
    CallSid: sid,
    ErrorCode: '12100',
  })
  await app.completed(sid)
})
