import { describe, expect, it } from 'vitest'
import type { Account } from '../../../../src/accounts/accounts.js'
import { balanceOf } from '../../../../src/ledger/ledger.js'
import { createPublicApp } from '../../../../src/platform/http/public-app.js'
import { newSid } from '../../../../src/platform/ids.js'
import { createLogger } from '../../../../src/platform/log.js'
import { changeAccountRates } from '../../../../src/rating/account-rates.js'
import { createVoiceApi } from '../../../../src/voice/api/voice-api.js'
import {
  newTranscription,
  type TranscriptionResult,
} from '../../../../src/voice/transcriptions/transcriptions.js'
import { setUpCalls } from '../../../support/voice/calls-fixture.js'

type Body = Readonly<Record<string, unknown>>

const NOON = Date.parse('2026-03-10T12:00:00Z')
const DAY_MS = 86_400_000

async function setUp() {
  const bench = await setUpCalls()
  const { db, transcriptions, account } = bench
  const app = createPublicApp({
    version: '0.0.0',
    readiness: () => ({ isReady: true, detail: {} }),
    log: createLogger('silent'),
    mount: [createVoiceApi({ ...bench, log: createLogger('silent') })],
  })
  const as = (own: Account) => async (method: string, path: string) => {
    const basic = Buffer.from(`${own.sid}:${own.secret}`).toString('base64')
    const answer = await app.request(`/2010-04-01/Accounts/${own.sid}${path}`, {
      method,
      headers: { authorization: `Basic ${basic}` },
    })
    const text = await answer.text()
    return { status: answer.status, body: (text === '' ? {} : JSON.parse(text)) as Body }
  }
  /** Stores a recording of which nothing else is told, so that it has transcriptions. */
  const record = async (): Promise<string> => {
    const sid = newSid('RE')
    const row = {
      sid,
      accountSid: account.sid,
      callSid: newSid('CA'),
      conferenceSid: null,
      status: 'completed',
      source: 'RecordVerb',
      channels: 1,
      track: 'both',
      trim: 'do-not-trim',
      maxMs: null,
      callback: null,
      startedAt: NOON,
      durationMs: 4_000,
      errorCode: null,
      createdAt: NOON,
      updatedAt: NOON,
    } as const
    await db.write((tx) => tx.insertInto('recordings').values(row).execute())
    return sid
  }
  const transcribe = async (recordingSid: string, at = NOON): Promise<string> => {
    const made = newTranscription({ accountSid: account.sid, recordingSid }, at)
    await db.write((tx) => transcriptions.begin(tx, made))
    return made.sid
  }
  return { ...bench, as, api: as(account), record, transcribe }
}

describe('a transcription', () => {
  it('has every field while it is in progress, and its text once it is complete', async () => {
    await using t = await setUp()
    const recording = await t.record()
    const sid = await t.transcribe(recording)
    const path = `/2010-04-01/Accounts/${t.account.sid}/Transcriptions/${sid}.json`
    const begun = {
      ...{ sid, account_sid: t.account.sid, recording_sid: recording, status: 'in-progress' },
      ...{ duration: null, transcription_text: null, type: 'fast', price: null, price_unit: 'USD' },
      ...{ api_version: '2010-04-01', uri: path },
      date_created: 'Tue, 10 Mar 2026 12:00:00 +0000',
      date_updated: 'Tue, 10 Mar 2026 12:00:00 +0000',
    }
    expect(await t.api('GET', `/Transcriptions/${sid}.json`)).toEqual({ status: 200, body: begun })
    const result = { status: 'completed' as const, text: 'hello', durationMs: 3_600 }
    expect(await t.db.write((tx) => t.transcriptions.settle(tx, sid, result, NOON + 5_000))).toBe(
      true,
    )
    const again = { status: 'failed' as const }
    expect(await t.db.write((tx) => t.transcriptions.settle(tx, sid, again, NOON))).toBe(false)
    const { body } = await t.api('GET', `/Recordings/${recording}/Transcriptions/${sid}.json`)
    expect(body).toEqual({
      ...begun,
      ...{ status: 'completed', duration: '4', transcription_text: 'hello' },
      date_updated: 'Tue, 10 Mar 2026 12:00:05 +0000',
    })
  })

  it('with a rate is charged once when its text is there, and shows its price', async () => {
    await using t = await setUp()
    await t.db.write((tx) => changeAccountRates(tx, t.account.sid, { transcription: 50_000 }, NOON))
    const recording = await t.record()
    const [good, bad] = [await t.transcribe(recording), await t.transcribe(recording)]
    const settle = (sid: string, result: TranscriptionResult) =>
      t.db.write((tx) => t.transcriptions.settle(tx, sid, result, NOON))
    const completed = { status: 'completed', text: 'hello', durationMs: 3_600 } as const
    expect(await settle(good, completed)).toBe(true)
    expect(await settle(good, completed)).toBe(false)
    expect(await settle(bad, { status: 'failed' })).toBe(true)
    const shown = async (sid: string) => (await t.api('GET', `/Transcriptions/${sid}.json`)).body
    expect(await shown(good)).toMatchObject({ price: '-0.0500', price_unit: 'USD' })
    expect(await shown(bad)).toMatchObject({ price: null, price_unit: 'USD' })
    expect(await balanceOf(t.db.read, t.account.sid)).toEqual({ amount: -500, reserved: 0 })
  })

  it.each([
    '/Transcriptions',
    '/Recordings/{Recording}/Transcriptions',
  ])('is deleted under %s, once', async (place) => {
    await using t = await setUp()
    const recording = await t.record()
    const sid = await t.transcribe(recording)
    const path = `${place.replace('{Recording}', recording)}/${sid}.json`
    expect((await t.api('DELETE', path)).status).toBe(204)
    expect((await t.api('DELETE', path)).status).toBe(404)
    expect((await t.api('GET', path)).status).toBe(404)
  })

  it('is not there for another account, nor under another recording', async () => {
    await using t = await setUp()
    const [recording, second] = [await t.record(), await t.record()]
    const sid = await t.transcribe(recording)
    const other = t.as(await t.accounts.create({ friendlyName: 'other' }))
    for (const [api, path] of [
      [other, `/Transcriptions/${sid}.json`],
      [t.api, `/Recordings/${second}/Transcriptions/${sid}.json`],
    ] as const)
      for (const method of ['GET', 'DELETE'])
        expect(await api(method, path)).toMatchObject({ status: 404, body: { code: 20404 } })
    expect((await other('GET', '/Transcriptions.json')).body).toMatchObject({ transcriptions: [] })
    expect((await other('GET', `/Recordings/${recording}/Transcriptions.json`)).status).toBe(404)
  })
})

describe('a list of transcriptions', () => {
  it('has the newest first, page by page, without start and end', async () => {
    await using t = await setUp()
    const recording = await t.record()
    const sids: string[] = []
    for (const back of [2, 1, 0]) sids.push(await t.transcribe(recording, NOON - back * 1_000))
    const first = await t.api('GET', '/Transcriptions.json?PageSize=2')
    const shown = (body: Body) =>
      (body['transcriptions'] as { sid: string }[]).map(({ sid }) => sid)
    expect(shown(first.body)).toEqual([sids[2], sids[1]])
    expect(Object.keys(first.body)).not.toContain('start')
    const next = String(first.body['next_page_uri']).replace(/^.*(?=\/Transcriptions)/, '')
    expect(shown((await t.api('GET', next)).body)).toEqual([sids[0]])
  })

  it.each([
    ['DateCreated=2026-03-10', 1],
    ['DateCreated%3C=2026-03-10', 1],
    ['DateCreated%3E=2026-03-10', 1],
    ['DateCreated%3E=2026-03-08&DateCreated%3C=2026-03-11', 2],
    ['DateCreated=2020-01-01', 0],
  ])('with %s has %i', async (query, count) => {
    await using t = await setUp()
    const recording = await t.record()
    for (const at of [NOON - DAY_MS, NOON, NOON + DAY_MS]) await t.transcribe(recording, at)
    for (const path of ['', `/Recordings/${recording}`]) {
      const { body } = await t.api('GET', `${path}/Transcriptions.json?${query}`)
      expect(body['total']).toBe(count)
    }
    expect((await t.api('GET', '/Transcriptions.json?DateCreated=soon')).status).toBe(400)
  })
})
