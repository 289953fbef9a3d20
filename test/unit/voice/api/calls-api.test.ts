import { describe, expect, it } from 'vitest'
import { createPublicApp } from '../../../../src/platform/http/public-app.js'
import { createLogger } from '../../../../src/platform/log.js'
import { CALL_FIELD_ERRORS } from '../../../../src/voice/api/call-schemas.js'
import { createVoiceApi } from '../../../../src/voice/api/voice-api.js'
import type { CallLimits } from '../../../../src/voice/calls/admission/call-slots.js'
import { ERROR_CATALOGUE } from '../../../../src/voice/errors/error-catalogue.js'
import { setUpCalls } from '../../../support/voice/calls-fixture.js'

async function setUp(callLimits: Partial<CallLimits> = {}) {
  const bench = await setUpCalls(undefined, callLimits)
  const app = createPublicApp({
    version: '0.0.0',
    readiness: () => ({ isReady: true, detail: {} }),
    log: createLogger('silent'),
    mount: [createVoiceApi({ ...bench, log: createLogger('silent') })],
  })
  const { sid, secret } = bench.account
  const basic = `Basic ${Buffer.from(`${sid}:${secret}`).toString('base64')}`
  const request = async (
    method: string,
    path: string,
    fields?: Record<string, string> | [string, string][],
  ) => {
    const answer = await app.request(path, {
      method,
      headers: { authorization: basic, 'content-type': 'application/x-www-form-urlencoded' },
      ...(fields === undefined ? {} : { body: new URLSearchParams(fields).toString() }),
    })
    const text = await answer.text()
    return {
      status: answer.status,
      headers: answer.headers,
      body: (text === '' ? {} : JSON.parse(text)) as Record<string, unknown>,
    }
  }
  const calls = `/2010-04-01/Accounts/${sid}/Calls`
  return { ...bench, app, request, path: calls, sid, secret }
}

const GOOD = { To: '+15005550001', From: '+15551112222', Url: 'http://app.test/voice' }

describe('POST /Calls', () => {
  it('answers 201 with every field of the resource', async () => {
    await using t = await setUp()
    const { status, body } = await t.request('POST', `${t.path}.json`, {
      ...GOOD,
      Unknown: 'ignored',
    })
    expect(status).toBe(201)
    expect(Object.keys(body).sort()).toEqual(
      'account_sid annotation answered_by api_version caller_name date_created date_updated direction duration end_time forwarded_from from from_formatted group_sid parent_call_sid phone_number_sid price price_unit queue_time sid start_time status subresource_uris to to_formatted trunk_sid uri'.split(
        ' ',
      ),
    )
    expect(body).toMatchObject({
      account_sid: t.sid,
      api_version: '2010-04-01',
      to: '+15005550001',
      to_formatted: '(500) 555-0001',
      status: 'queued',
      direction: 'outbound-api',
      uri: `${t.path}/${String(body['sid'])}.json`,
    })
    expect(body['date_created']).toMatch(/^\w{3}, \d{2} \w{3} \d{4} \d{2}:\d{2}:\d{2} \+0000$/)
  })

  it('names each resource below the call, at a path that answers', async () => {
    await using t = await setUp()
    const { body } = await t.request('POST', `${t.path}.json`, GOOD)
    const uris = body['subresource_uris'] as Record<string, string>
    expect(Object.keys(uris).sort()).toEqual(['events', 'notifications', 'recordings', 'streams'])
    for (const [name, uri] of Object.entries(uris)) {
      const listed = await t.request('GET', uri)
      expect([listed.status, listed.body[name]]).toEqual([200, expect.any(Array)])
    }
  })

  it.each([
    ['a Timeout beyond the longest', { Timeout: '100000' }],
    ['a CallToken of any length', { CallToken: 'x'.repeat(5_000) }],
    ['a CallerId of any form', { CallerId: 'Bob\r\nSmith', Byoc: '?' }],
  ])('accepts %s', async (_title, fields) => {
    await using t = await setUp()
    const { status } = await t.request('POST', `${t.path}.json`, { ...GOOD, ...fields })
    expect(status).toBe(201)
  })

  it('refuses a number abroad to an account that may not call there (21215)', async () => {
    await using t = await setUp()
    await t.accounts.update(t.account.sid, { profile: { services: { intl: false } } })
    const fields = { ...GOOD, To: '+442079460018' }
    const { status, body } = await t.request('POST', `${t.path}.json`, fields)
    expect([status, body]).toMatchObject([400, { code: 21215 }])
  })

  it.each<[string, Record<string, string>, number]>([
    ['no To', { To: '' }, 21201],
    ['no From', { From: '' }, 21213],
    ['a bad To', { To: 'hello' }, 21211],
    ['a bad From', { From: '???' }, 21212],
    ['a To that the operator blocks', { To: '+1 900 555 0100' }, 21216],
    ['a To at port 0', { To: 'sip:a@b.test:0' }, 21211],
    ['a To at a port beyond the last', { To: 'sip:a@b.test:99999' }, 21211],
    ['a To with a line break', { To: 'sip:a@b.test\r\nX: y' }, 21211],
    ['neither Url nor Markup', { Url: '' }, 21205],
    ['a relative Url', { Url: '/voice' }, 21205],
    ['a Url of another scheme', { Url: 'file:///etc/passwd' }, 21205],
    ['a Url at port 0', { Url: 'http://app.test:0/voice' }, 21205],
    ['a Url at a port beyond the last', { Url: 'http://app.test:99999/voice' }, 21205],
    ['a bad Method', { Method: 'PUT' }, 21209],
    ['a bad StatusCallback', { StatusCallback: 'nowhere' }, 21609],
    ['a bad event', { StatusCallback: 'http://app.test', StatusCallbackEvent: 'never' }, 20422],
    ['bad digits', { SendDigits: '12x' }, 21206],
    ['too many digits', { SendDigits: '1'.repeat(33) }, 21206],
    ['Timeout 0', { Timeout: '0' }, 21208],
    ['a Timeout that is no number', { Timeout: 'soon' }, 21208],
    ['a Timeout in hexadecimal', { Timeout: '0x10' }, 21208],
    ['a Timeout with an exponent', { Timeout: '1e2' }, 21208],
    ['a Timeout of half a second', { Timeout: '1.5' }, 21208],
    ['a TimeLimit of none', { TimeLimit: '0' }, 20422],
    ['inline markup that is too long', { Url: '', Markup: 'x'.repeat(4_001) }, 32018],
    ['a CallReason with a line break', { CallReason: 'a\nb' }, 20422],
    ['an ApplicationSid', { ApplicationSid: `AP${'0'.repeat(32)}` }, 21218],
    ['a callback host with an underscore', { StatusCallback: 'http://a_b.test/' }, 21609],
    ['a long SipAuthUsername', { SipAuthUsername: 'a'.repeat(129) }, 21221],
    ['a long SipAuthPassword', { SipAuthUsername: 'a', SipAuthPassword: 'b'.repeat(129) }, 21222],
    ['a bad SipAuthUsername', { SipAuthUsername: 'a"b' }, 21223],
    ['a bad SipAuthPassword', { SipAuthUsername: 'a', SipAuthPassword: 'b\r\nc' }, 21224],
    ['a SipAuthPassword of nobody', { SipAuthPassword: 'b' }, 21225],
    ['too many SIP headers', { To: `sip:a@b.test?X-A=${'1'.repeat(1_020)}` }, 21227],
    ['a SIP header of our own', { To: 'sip:a@b.test?Contact=c' }, 21228],
    ['a SIP header with a line break', { To: 'sip:a@b.test?X-A=1%0d%0aX-B:2' }, 21229],
    ['another detection', { MachineDetection: 'enable' }, 21234],
    ['a detection that is too brief', { MachineDetectionTimeout: '2' }, 21234],
    ['a detection that is too long', { MachineDetectionTimeout: '61' }, 21234],
    ['a speech threshold below', { MachineDetectionSpeechThreshold: '999' }, 21234],
    ['a speech threshold above', { MachineDetectionSpeechThreshold: '6001' }, 21234],
    ['a speech end threshold below', { MachineDetectionSpeechEndThreshold: '499' }, 21234],
    ['a speech end threshold above', { MachineDetectionSpeechEndThreshold: '5001' }, 21234],
    ['a silence timeout below', { MachineDetectionSilenceTimeout: '1999' }, 21234],
    ['a silence timeout above', { MachineDetectionSilenceTimeout: '10001' }, 21234],
    ['a correction window below', { MachineDetectionCorrectionWindow: '999' }, 21234],
    ['a correction window above', { MachineDetectionCorrectionWindow: '30001' }, 21234],
    ['a correction window that is no number', { MachineDetectionCorrectionWindow: 'true' }, 21234],
    ['half a second of detection', { MachineDetectionTimeout: '3.5' }, 21234],
    ['a bad AsyncAmdStatusCallback', { AsyncAmdStatusCallback: 'ftp://a.test' }, 21609],
    ['a bad AsyncAmdStatusCallbackMethod', { AsyncAmdStatusCallbackMethod: 'PUT' }, 21209],
    ['a bad AsyncAmd', { AsyncAmd: 'maybe' }, 20422],
    ['a bad Record', { Record: 'record-from-answer' }, 20422],
    ['a bad RecordingStatusCallback', { RecordingStatusCallback: '/r' }, 21609],
    ['a bad recording event', { RecordingStatusCallbackEvent: 'started' }, 20422],
    ['other RecordingChannels', { RecordingChannels: 'stereo' }, 20422],
    ['TimeLimit 0', { TimeLimit: '0' }, 20422],
  ])('refuses %s and leaves nothing behind', async (_title, change, code) => {
    await using t = await setUp()
    const { status, body } = await t.request('POST', t.path, { ...GOOD, ...change })
    expect({ status, body }).toMatchObject({ status: 400, body: { code, status: 400 } })
    expect(Object.keys(body).sort()).toEqual(['code', 'message', 'more_info', 'status'])
    expect((await t.request('GET', t.path)).body['total']).toBe(0)
  })

  it.each([
    ['RecordingTrack', 'none'],
    ['Trim', 'all'],
  ])('takes any %s, as the specification has it ignored, and warns of one that it does not have', async (name, value) => {
    await using t = await setUp()
    const { status, body } = await t.request('POST', t.path, { ...GOOD, [name]: value })
    expect(status).toBe(201)
    await t.events.flush()
    const { events } = await t.events.list(String(body['sid']), { type: 'offset', offset: 0 }, 50)
    const warnings = events.filter(({ kind }) => kind === 'warning')
    expect(warnings.map(({ detail }) => detail)).toMatchObject([{ code: 20422 }])
    expect(JSON.stringify(warnings)).toContain(`${name}=`)
  })

  it('says in words what a value must be', async () => {
    await using t = await setUp()
    const refused = async (change: object) =>
      (await t.request('POST', t.path, { ...GOOD, ...change })).body['message']
    expect(await refused({ Timeout: '5.5' })).toBe(
      "'Timeout' is not valid: a whole number is expected",
    )
    expect(await refused({ Method: 'PUT' })).toBe(
      "'Method' is not valid: one of GET, POST is expected",
    )
  })

  it('stores what recording and machine detection need, with their defaults', async () => {
    await using t = await setUp()
    const planFor = async (fields: [string, string][]) => {
      const { status, body } = await t.request('POST', t.path, [...Object.entries(GOOD), ...fields])
      expect(status, JSON.stringify(body)).toBe(201)
      return (await t.calls.fetch(t.sid, String(body['sid']))).plan
    }
    const plain = await planFor([['Trim', 'do-not-trim']])
    expect(plain.recording).toBeUndefined()
    expect(plain.machineDetection).toBeUndefined()
    const brief = await planFor([
      ['Record', 'True'],
      ['MachineDetection', 'Enable'],
    ])
    expect(brief.recording).toEqual({
      source: 'OutboundAPI',
      channels: 'mono',
      track: 'both',
      trim: 'do-not-trim',
    })
    expect(brief.machineDetection).toEqual({
      mode: 'enable',
      timeoutMs: 30_000,
      speechThresholdMs: 2_400,
      speechEndThresholdMs: 1_200,
      silenceTimeoutMs: 5_000,
    })
    const full = await planFor([
      ['Record', 'true'],
      ['RecordingChannels', 'dual'],
      ['RecordingTrack', 'inbound'],
      ['Trim', 'trim-silence'],
      ['RecordingStatusCallback', 'http://app.test/r'],
      ['RecordingStatusCallbackMethod', 'get'],
      ['RecordingStatusCallbackEvent', 'in-progress completed'],
      ['RecordingStatusCallbackEvent', 'absent'],
      ['MachineDetection', 'DetectMessageEnd'],
      ['MachineDetectionTimeout', '60'],
      ['MachineDetectionSpeechThreshold', '1000'],
      ['MachineDetectionSpeechEndThreshold', '500'],
      ['MachineDetectionSilenceTimeout', '10000'],
      ['MachineDetectionCorrectionWindow', '8000'],
      ['AsyncAmd', 'true'],
      ['AsyncAmdStatusCallback', 'http://app.test/amd'],
      ['TimeLimit', '7'],
      ['CallerId', 'ignored'],
      ['Byoc', 'ignored'],
      ['CallToken', 'ignored'],
    ])
    expect(full.timeLimitSeconds).toBe(7)
    expect(full.recording).toEqual({
      source: 'OutboundAPI',
      // What the form asks for is ignored.
      channels: 'mono',
      track: 'both',
      trim: 'do-not-trim',
      callback: {
        url: 'http://app.test/r',
        method: 'GET',
        events: ['in-progress', 'completed', 'absent'],
      },
    })
    expect(full.machineDetection).toEqual({
      mode: 'detect-message-end',
      timeoutMs: 60_000,
      speechThresholdMs: 1_000,
      speechEndThresholdMs: 500,
      messageEndSilenceMs: 500,
      silenceTimeoutMs: 10_000,
      correctionWindowMs: 8_000,
      callback: { url: 'http://app.test/amd', method: 'POST' },
    })
  })

  it('sends digits rather than detecting a machine', async () => {
    await using t = await setUp()
    const fields = { ...GOOD, SendDigits: '1w2', MachineDetection: 'Enable' }
    const { body } = await t.request('POST', t.path, fields)
    const { plan } = await t.calls.fetch(t.sid, String(body['sid']))
    expect(plan.sendDigits).toBe('1w2')
    expect(plan.machineDetection).toBeUndefined()
  })

  it('checks and completes both numbers by the regions of the account', async () => {
    await using t = await setUp()
    await t.accounts.update(t.sid, { phoneRegions: ['GB', 'DE'] })
    const create = async (To: string, From: string) => {
      const { body } = await t.request('POST', t.path, { ...GOOD, To, From })
      return [body['to'] ?? body['code'], body['from']]
    }
    expect(await create('020 7946 0018', '+49 30 123456')).toEqual(['+442079460018', '+4930123456'])
    expect(await create('+15005550001', '020 7946 0018')).toEqual([21211, undefined])
    expect(await create('020 7946 0018', '+15005550001')).toEqual([21212, undefined])
    expect(await create('020 7946 0018', '12345')).toEqual(['+442079460018', '12345'])
    expect(await create('sip:bob@pbx.test', 'alice')).toEqual(['sip:bob@pbx.test', 'alice'])
  })

  it('puts the headers behind a SIP URI on the INVITE', async () => {
    await using t = await setUp()
    const To = 'sip:bob@pbx.test:5070;transport=tcp?X-Order=1%202&User-to-User=abc'
    const { body } = await t.request('POST', t.path, { ...GOOD, To })
    expect(body['to']).toBe('sip:bob@pbx.test:5070;transport=tcp')
    expect((await t.telephony.leg(0)).request).toMatchObject({
      uri: 'sip:bob@pbx.test:5070;transport=tcp',
      headers: { 'X-Order': '1 2', 'User-to-User': 'abc' },
    })
  })

  it('prefers Markup, under either name, to Url', async () => {
    await using t = await setUp()
    for (const name of ['Markup', 'Twiml']) {
      const { body } = await t.request('POST', t.path, { ...GOOD, [name]: '<Response/>' })
      const call = await t.calls.fetch(t.sid, String(body['sid']))
      expect(call.plan.document).toEqual({ type: 'inline', text: '<Response/>' })
    }
  })

  it.each([
    [{ Url: 'http://app.test/voice' }, 0],
    [{ Markup: '<Response/>' }, 0],
    [{ Url: 'http://app.test/voice', Twiml: '<Response/>' }, 1],
  ])('warns of a Url that is not used: %o', async (document, count) => {
    await using t = await setUp()
    const { To, From } = GOOD
    const { body } = await t.request('POST', t.path, { To, From, ...document })
    const sid = String(body['sid'])
    ;(await t.telephony.leg(0)).pickUp()
    await t.request('POST', `${t.path}/${sid}`, { ...document })
    await t.events.flush()
    const { events } = await t.events.list(sid, { type: 'offset', offset: 0 }, 50)
    const codes = events
      .filter(({ kind }) => kind === 'warning')
      .map(({ detail }) => detail['code'])
    // Of the call, and of its update.
    expect(codes).toEqual(Array.from({ length: 2 * count }, () => 32019))
  })

  it.each<[string, [string, string][], string[]]>([
    [
      'repeated',
      [
        ['StatusCallbackEvent', 'initiated'],
        ['StatusCallbackEvent', 'completed'],
      ],
      ['initiated', 'completed'],
    ],
    ['with commas', [['StatusCallbackEvent', 'initiated,ringing']], ['initiated', 'ringing']],
    ['with spaces', [['StatusCallbackEvent', 'answered completed']], ['answered', 'completed']],
    ['empty', [['StatusCallbackEvent', '']], ['completed']],
    ['absent', [], ['completed']],
  ])('takes events %s', async (_title, fields, events) => {
    await using t = await setUp()
    const { body } = await t.request('POST', t.path, [
      ...Object.entries(GOOD),
      ['StatusCallback', 'http://app.test/s'],
      ...fields,
    ])
    const call = await t.calls.fetch(t.sid, String(body['sid']))
    expect(call.plan.statusCallback?.events).toEqual(events)
  })

  it('answers 503 with Retry-After while a server is away', async () => {
    await using t = await setUp()
    t.telephony.setHealth({ signaling: 'down', media: 'up' })
    const { status, body, headers } = await t.request('POST', t.path, GOOD)
    expect({ status, code: body['code'], retry: headers.get('retry-after') }).toEqual({
      status: 503,
      code: 20503,
      retry: '1',
    })
  })

  it('answers 429 with Retry-After while there is no room for another call', async () => {
    await using t = await setUp({ maxCalls: 1 })
    await t.request('POST', t.path, GOOD)
    const { status, body, headers } = await t.request('POST', t.path, GOOD)
    expect({ status, code: body['code'], retry: headers.get('retry-after') }).toEqual({
      status: 429,
      code: 20429,
      retry: '1',
    })
    expect((await t.request('GET', t.path)).body['total']).toBe(1)
  })

  it('never shows or stores a SIP password in clear', async () => {
    await using t = await setUp()
    const { body } = await t.request('POST', t.path, {
      ...GOOD,
      SipAuthUsername: 'me',
      SipAuthPassword: 'hunter2',
    })
    const call = await t.calls.fetch(t.sid, String(body['sid']))
    expect(JSON.stringify([body, call])).not.toContain('hunter2')
    expect((await t.telephony.leg(0)).request?.auth).toEqual({
      username: 'me',
      password: 'hunter2',
    })
  })
})

describe('who may ask', () => {
  it.each<[string, (sid: string, secret: string) => string | undefined]>([
    ['nobody', () => undefined],
    ['a wrong secret', (sid) => `${sid}:${'0'.repeat(32)}`],
    ['an unknown account', (_sid, secret) => `AC${'0'.repeat(32)}:${secret}`],
  ])('%s gets 401 in the documented shape', async (_title, credentials) => {
    await using t = await setUp()
    const given = credentials(t.sid, t.secret)
    const answer = await t.app.request(
      t.path,
      given === undefined ? {} : { headers: { authorization: `Basic ${btoa(given)}` } },
    )
    expect(answer.status).toBe(401)
    expect(answer.headers.get('www-authenticate')).toContain('Basic')
    expect(await answer.json()).toMatchObject({ code: 20003, status: 401 })
  })

  it('gives the same 404 for a call of another account as for none', async () => {
    await using t = await setUp()
    const other = await t.accounts.create({ friendlyName: 'other' })
    const call = await t.calls.create(other, {
      to: '+15005550001',
      from: '+15551112222',
      plan: { document: { type: 'inline', text: '' }, timeoutSeconds: 1 },
    })
    const theirs = await t.request('GET', `${t.path}/${call.sid}`)
    const none = await t.request('GET', `${t.path}/CA${'0'.repeat(32)}`)
    expect(theirs.status).toBe(404)
    expect(JSON.stringify(theirs.body).replaceAll(call.sid, 'X')).toBe(
      JSON.stringify(none.body).replaceAll(`CA${'0'.repeat(32)}`, 'X'),
    )
    const path = t.path.replace(t.sid, other.sid)
    expect((await t.request('GET', path)).status).toBe(404)
    expect((await t.request('GET', t.path.replace('Calls', 'Nonsense'))).body).toMatchObject({
      code: 20404,
    })
  })
})

describe('lists and updates', () => {
  it('pages newest first and filters', async () => {
    await using t = await setUp()
    const made: string[] = []
    for (let index = 0; index < 5; index++) {
      const { body } = await t.request('POST', t.path, { ...GOOD, To: `+1500555000${index}` })
      made.push(new Date(String(body['date_created'])).toISOString().slice(0, 10))
    }
    const first = await t.request('GET', `${t.path}.json?PageSize=2`)
    expect(first.body).toMatchObject({
      page: 0,
      page_size: 2,
      num_pages: 3,
      total: 5,
      previous_page_uri: null,
    })
    const seen: unknown[] = []
    for (let uri: unknown = first.body['first_page_uri']; typeof uri === 'string'; ) {
      const { body } = await t.request('GET', uri)
      seen.push(...(body['calls'] as { to: string }[]).map((call) => call.to))
      uri = body['next_page_uri']
    }
    expect(seen.sort()).toEqual([0, 1, 2, 3, 4].map((index) => `+1500555000${index}`))
    expect((await t.request('GET', `${t.path}?To=%2B15005550003`)).body['total']).toBe(1)
    // At midnight they are of two days.
    const [from, to] = [made[0] ?? '', new Date().toISOString().slice(0, 10)]
    expect((await t.request('GET', `${t.path}?StartTime<=${from}`)).body['total']).toBe(0)
    expect((await t.request('GET', `${t.path}?StartTime>=${to}`)).body['total']).toBe(0)
  })

  it.each([
    ['PageSize=1001', 20007],
    ['PageSize=0', 20422],
    ['Page=-1', 20422],
    ['PageToken=nonsense', 21481],
    ['StartTime=yesterday', 20422],
    ['StartTime=2026-02-30', 20422],
    ['EndTime%3C=2026-02-30T00:00:00Z', 20422],
    ['Status=lost', 20422],
  ])('refuses %s', async (query, code) => {
    await using t = await setUp()
    expect((await t.request('GET', `${t.path}?${query}`)).body).toMatchObject({ code, status: 400 })
  })

  it('changes of the callback of a live call what an update names', async () => {
    await using t = await setUp()
    const { body } = await t.request('POST', t.path, [
      ...Object.entries({ ...GOOD, StatusCallback: 'http://app.test/s' }),
      ['StatusCallbackEvent', 'answered'],
    ])
    const sid = String(body['sid'])
    const update = async (fields: [string, string][]) => {
      expect((await t.request('POST', `${t.path}/${sid}`, fields)).status).toBe(200)
      return (await t.calls.fetch(t.sid, sid)).plan.statusCallback
    }
    expect(await update([['StatusCallbackMethod', 'GET']])).toEqual({
      url: 'http://app.test/s',
      method: 'GET',
      events: ['answered'],
    })
    expect(await update([['StatusCallbackEvent', 'ringing,answered']])).toMatchObject({
      events: ['ringing', 'answered'],
    })
    expect(
      await update([
        ['StatusCallback', 'http://app.test/other'],
        ['StatusCallbackEvent', ''],
      ]),
    ).toEqual({ url: 'http://app.test/other', method: 'GET', events: ['completed'] })
  })

  it('refuses a status that nobody can ask for', async () => {
    await using t = await setUp()
    const { body } = await t.request('POST', t.path, GOOD)
    const path = `${t.path}/${String(body['sid'])}`
    expect((await t.request('POST', path, { Status: 'ringing' })).body).toMatchObject({
      code: 20422,
      status: 400,
    })
  })

  it.each([
    ['CA and a UUID', 'CA'],
    ['a UUID', ''],
  ])('finds, ends and deletes a call by its dashed form: %s', async (_title, prefix) => {
    await using t = await setUp()
    const { body } = await t.request('POST', t.path, GOOD)
    const sid = String(body['sid'])
    const uuid = sid.slice(2).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
    ;(await t.telephony.leg(0)).pickUp()
    for (const path of [
      `${t.path}/${prefix}${uuid}`,
      `${t.path}/${prefix}${uuid.toUpperCase()}.json`,
    ])
      expect((await t.request('GET', path)).body['sid']).toBe(sid)
    const path = `${t.path}/${prefix}${uuid}`
    const headers = { authorization: `Basic ${btoa(`${t.sid}:${t.secret}`)}` }
    const inXml = await (await t.app.request(`${path}.xml`, { headers })).text()
    expect(inXml).toContain(`<TwilioResponse><Call><Sid>${sid}</Sid>`)
    expect((await t.request('POST', path, { Status: 'completed' })).body['sid']).toBe(sid)
    await expect.poll(async () => (await t.request('DELETE', path)).status).toBe(204)
    expect((await t.request('GET', path)).status).toBe(404)
    expect((await t.request('GET', `${t.path}/${prefix}${uuid.replace('-', '')}`)).status).toBe(404)
  })

  it('changes nothing of a ringing call that is refused a document', async () => {
    await using t = await setUp()
    const { body } = await t.request('POST', t.path, {
      ...GOOD,
      StatusCallback: 'http://app.test/s',
    })
    const sid = String(body['sid'])
    const leg = await t.telephony.leg(0)
    const plan = async () => (await t.calls.fetch(t.sid, sid)).plan
    const before = await plan()
    const other = {
      StatusCallback: 'http://app.test/other',
      StatusCallbackEvent: 'answered',
      TimeLimit: '60',
    }
    const refused = await t.request('POST', `${t.path}/${sid}`, {
      Url: 'http://app.test/x',
      ...other,
    })
    expect(refused.body).toMatchObject({ code: 21220, status: 400 })
    expect(await plan()).toEqual(before)
    leg.pickUp()
    await expect.poll(async () => (await t.calls.fetch(t.sid, sid)).status).toBe('in-progress')
    const taken = await t.request('POST', `${t.path}/${sid}`, {
      Url: 'http://app.test/x',
      ...other,
    })
    expect(taken.status).toBe(200)
    expect(await plan()).toMatchObject({
      document: { url: 'http://app.test/x' },
      statusCallback: { url: 'http://app.test/other', events: ['answered'] },
      timeLimitSeconds: 60,
    })
  })

  it('ends a live call, refuses a document on an ended one, deletes it', async () => {
    await using t = await setUp()
    const { body } = await t.request('POST', t.path, GOOD)
    const path = `${t.path}/${String(body['sid'])}`
    ;(await t.telephony.leg(0)).pickUp()
    expect((await t.request('DELETE', path)).status).toBe(409)
    expect(
      (await t.request('POST', path, { Status: 'completed', Markup: '<Response/>' })).status,
    ).toBe(200)
    await expect.poll(async () => (await t.request('GET', path)).body['status']).toBe('completed')
    expect((await t.request('POST', path, { Url: 'http://app.test/x' })).body).toMatchObject({
      code: 21220,
      status: 400,
    })
    expect((await t.request('DELETE', path)).status).toBe(204)
    expect((await t.request('GET', path)).status).toBe(404)
  })
})

it('describes itself, from the schemas that validate', async () => {
  await using t = await setUp()
  const description = (await (await t.app.request('/openapi.json')).json()) as {
    paths: Record<string, Record<string, unknown>>
  }
  expect(Object.keys(description.paths['/2010-04-01/Accounts/{AccountSid}/Calls'] ?? {})).toEqual([
    'post',
    'get',
  ])
  expect(JSON.stringify(description)).toContain('SendDigits')
})

it('explains every number that it answers with, where more_info points', async () => {
  await using t = await setUp()
  const { body } = await t.request('POST', t.path, { ...GOOD, To: '' })
  const page = await (await t.app.request('/docs/errors')).text()
  expect(body['more_info']).toBe('http://localhost/docs/errors#21201')
  expect(page).toContain('id="21201"')
  const answered = Object.values(CALL_FIELD_ERRORS).flatMap((numbers) => Object.values(numbers))
  for (const number of answered) expect(ERROR_CATALOGUE).toHaveProperty(String(number))
})
