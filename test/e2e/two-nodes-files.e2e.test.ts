import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { ObjectStoreSink, STORE_KEY } from '../support/http/object-store.js'
import type { RunningTrunkline } from '../support/process/trunkline.js'
import { startTwoNodes, type TwoNodes } from '../support/process/two-nodes.js'
import { campaign, privateBrand } from '../support/registry/registry-samples.js'
import { channelOf, downloadRecording, recordingsTold } from '../support/sound/recorded-wav.js'
import { usualShare } from '../support/sound/tone.js'
import { startVoiceApp, type VoiceApp } from '../support/voice/voice-app.js'

const POLL = { timeout: 20_000, interval: 20 }
const PNG = Buffer.from('89504e470d0a1a0a0000', 'hex')

let app: VoiceApp
let store: ObjectStoreSink
let nodes: TwoNodes
let a: RunningTrunkline
let b: RunningTrunkline

/** Two servers on one database and one bucket. */
beforeAll(async () => {
  app = await startVoiceApp()
  store = await ObjectStoreSink.start()
  nodes = await startTwoNodes({
    FILES_BUCKET: store.bucketUrl,
    FILES_ACCESS_KEY_ID: STORE_KEY.id,
    FILES_SECRET_ACCESS_KEY: STORE_KEY.secret,
  })
  ;({ a, b } = nodes)
})
afterAll(async () => {
  await nodes[Symbol.asyncDispose]()
  await store[Symbol.asyncDispose]()
  await app[Symbol.asyncDispose]()
})

async function recordOn(server: RunningTrunkline): Promise<string> {
  const start = `<Start><Recording recordingStatusCallback="${app.url}/recording"/></Start>`
  const { sid } = await server.createCall({
    To: '+15005550003',
    From: '+15551112222',
    Markup: `<Response>${start}<Play>${app.url}/tone.wav</Play></Response>`,
  })
  await expect.poll(() => recordingsTold(app, sid).length, POLL).toBe(1)
  return recordingsTold(app, sid)[0]?.['RecordingSid'] ?? ''
}

it('a recording of one server is listed, downloaded and deleted through the other', async () => {
  const sid = await recordOn(a)
  const name = `recordings/${sid}.wav`
  await expect.poll(() => store.objects.has(name), POLL).toBe(true)
  await expect
    .poll(async () => (await downloadRecording(b, `${sid}.wav`)).answer.status, POLL)
    .toBe(200)
  expect((await b.api('GET', '/Recordings.json')).body).toMatchObject({ recordings: [{ sid }] })
  const [there, here] = [await downloadRecording(a, sid), await downloadRecording(b, sid)]
  expect(here.bytes.equals(there.bytes)).toBe(true)
  expect(here.answer.headers.get('etag')).toBe(there.answer.headers.get('etag'))
  expect(usualShare(channelOf(here.bytes, 1), 440)).toBeGreaterThan(0.9)
  const part = await downloadRecording(b, sid, { range: 'bytes=44-143' })
  expect(part.bytes).toEqual(there.bytes.subarray(44, 144))
  const mixed = await downloadRecording(b, `${sid}?RequestedChannels=1`)
  expect(mixed.bytes.readUInt16LE(22)).toBe(1)
  const mp3 = await downloadRecording(b, `${sid}.mp3`)
  expect(mp3.answer.headers.get('content-type')).toBe('audio/mpeg')
  expect((await b.api('DELETE', `/Recordings/${sid}.json`)).status).toBe(204)
  await expect.poll(() => store.objects.has(name), POLL).toBe(false)
  expect((await downloadRecording(a, sid)).answer.status).toBe(404)
})

it('while the bucket is away the server that recorded serves it; the other says when to ask again', async () => {
  store.refuse(503, 'SlowDown')
  const sid = await recordOn(a)
  expect((await downloadRecording(a, sid)).answer.status).toBe(200)
  const elsewhere = await downloadRecording(b, sid)
  expect(elsewhere.answer.status).toBe(503)
  expect(elsewhere.answer.headers.get('retry-after')).toBe('1')
  store.refuse()
  await expect.poll(async () => (await downloadRecording(b, sid)).answer.status, POLL).toBe(200)
})

it('plays on the other server once the server that recorded it has sent it', async () => {
  store.refuse(503, 'SlowDown')
  const sid = await recordOn(a)
  const url = `${b.http}/2010-04-01/Accounts/${b.account.sid}/Recordings/${sid}`
  const { sid: callSid } = await b.createCall({
    To: '+15005550002',
    From: '+15551112222',
    Markup: `<Response><Play>${url}</Play><Redirect>${app.url}/played</Redirect></Response>`,
  })
  await expect.poll(async () => (await b.fetchCall(callSid)).status, POLL).toBe('in-progress')
  store.refuse()
  await app.asked('/played', callSid)
})

it('a recording that the other server deletes before it was sent leaves nothing', async () => {
  store.refuse(503, 'SlowDown')
  const sid = await recordOn(a)
  expect((await b.api('DELETE', `/Recordings/${sid}.json`)).status).toBe(204)
  expect((await downloadRecording(a, sid)).answer.status).toBe(404)
  store.refuse()
  await expect.poll(async () => (await a.metrics())['file_removals_waiting'], POLL).toBe(0)
  expect(store.objects.has(`recordings/${sid}.wav`)).toBe(false)
})

it('a recording that the other server deletes while it goes on leaves nothing', async () => {
  const { sid: callSid } = await a.createCall({
    To: '+15005550003',
    From: '+15551112222',
    Markup: `<Response><Play loop="0">${app.url}/tone.wav</Play></Response>`,
    Record: 'true',
  })
  const recordings = async () =>
    (await b.api('GET', `/Recordings.json?CallSid=${callSid}`)).body['recordings'] as {
      readonly sid: string
      readonly status: string
    }[] // as the API documents its lists
  const raw = () => readdirSync(join(a.folder, 'data', 'recordings'))
  await expect.poll(async () => (await recordings())[0]?.status, POLL).toBe('in-progress')
  const { sid = '' } = (await recordings())[0] ?? {}
  await expect.poll(() => raw().some((name) => name.startsWith(sid)), POLL).toBe(true)
  expect((await b.api('DELETE', `/Recordings/${sid}.json`)).status).toBe(204)
  expect((await a.api('POST', `/Calls/${callSid}.json`, { Status: 'completed' })).status).toBe(200)
  await expect.poll(() => raw().filter((name) => name.startsWith(sid)), POLL).toEqual([])
  expect(await recordings()).toEqual([])
  await expect.poll(async () => (await a.metrics())['files_waiting'], POLL).toBe(0)
  expect(store.objects.has(`recordings/${sid}.wav`)).toBe(false)
})

it('an upload of one server is read and deleted through the other', async () => {
  const call = async (on: RunningTrunkline, method: string, path: string, body?: unknown) => {
    const isForm = body instanceof FormData
    const answer = await fetch(`${on.http}/v2/csp${path}`, {
      method,
      headers: {
        authorization: `Bearer ${a.account.secret}`,
        ...(isForm || body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: isForm ? body : JSON.stringify(body) }),
    })
    return { status: answer.status, bytes: Buffer.from(await answer.arrayBuffer()) }
  }
  const json = async (...asked: Parameters<typeof call>) =>
    JSON.parse((await call(...asked)).bytes.toString()) as Readonly<Record<string, unknown>>
  const { brandId } = await json(a, 'POST', '/brand', privateBrand)
  await expect
    .poll(async () => (await json(a, 'GET', `/brand/${String(brandId)}`))['identityStatus'], POLL)
    .toBe('VERIFIED')
  const { campaignId } = await json(a, 'POST', '/campaignBuilder', { ...campaign, brandId })
  const form = new FormData()
  form.append('file', new Blob([PNG]), 'logo.png')
  const { uuid } = await json(a, 'POST', `/campaign/${String(campaignId)}/mms`, form)
  const name = `registry-attachments/${String(uuid)}`
  await expect.poll(() => store.objects.get(name)?.bytes.equals(PNG), POLL).toBe(true)
  const path = `/attachment/${String(uuid)}`
  await expect.poll(async () => (await call(b, 'GET', path)).status, POLL).toBe(200)
  expect((await call(b, 'GET', path)).bytes.equals(PNG)).toBe(true)
  expect((await call(b, 'DELETE', path)).status).toBe(204)
  await expect.poll(() => store.objects.has(name), POLL).toBe(false)
  expect((await call(a, 'GET', path)).status).toBe(400)
})
