import { request } from 'node:http'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { joinTrunkline } from '../support/process/shared-trunkline.js'
import type { RunningTrunkline } from '../support/process/trunkline.js'

/** Bodies in a content coding, which no API undoes (RFC 9110 §15.5.16). */
let trunkline: RunningTrunkline
beforeAll(async () => {
  trunkline = await joinTrunkline()
})
afterAll(() => trunkline[Symbol.asyncDispose]())

interface Sent {
  readonly method?: string
  readonly type?: string
  readonly authorization: string
  readonly coding: string
  readonly body: Buffer | undefined
  /** Whether the body's length is told before it, or it comes in chunks. */
  readonly framing?: 'length' | 'chunks'
}

interface Received {
  readonly status: number | undefined
  readonly acceptEncoding: unknown
  readonly body: unknown
}

/** Sends the bytes as they are. */
function send(url: string, sent: Sent) {
  const { method = 'POST', type, authorization, coding, body, framing = 'length' } = sent
  const framed =
    framing === 'length' ? { 'content-length': body?.length } : { 'transfer-encoding': 'chunked' }
  const headers = {
    authorization,
    'content-encoding': coding,
    ...(type !== undefined && { 'content-type': type }),
    ...(body !== undefined && framed),
  }
  return new Promise<Received>((resolve, reject) => {
    const asked = request(url, { method, headers }, (answer) => {
      let text = ''
      answer.setEncoding('utf8')
      answer.on('data', (piece: string) => (text += piece))
      answer.on('end', () => {
        const acceptEncoding = answer.headers['accept-encoding']
        resolve({ status: answer.statusCode, acceptEncoding, body: JSON.parse(text) as unknown })
      })
    })
    asked.on('error', reject)
    asked.end(body)
  })
}

const FORM = 'application/x-www-form-urlencoded'
const JSON_TYPE = 'application/json'

interface Case {
  readonly path: string
  readonly type: string
  readonly body: string
  /** What the list of such things holds, as a text. */
  readonly list: () => Promise<string>
  readonly shape: unknown
}

const basic = () => {
  const { sid, secret } = trunkline.account
  return `Basic ${Buffer.from(`${sid}:${secret}`).toString('base64')}`
}
const bearer = () => `Bearer ${trunkline.account.secret}`
const read = async (url: string, authorization: string) =>
  (await fetch(url, { headers: { authorization } })).text()

const MESSAGE = expect.stringContaining('Content-Encoding') as unknown
const API: Readonly<Record<string, () => Case & { readonly authorization: string }>> = {
  voice: () => ({
    path: `${trunkline.http}/2010-04-01/Accounts/${trunkline.account.sid}/Applications.json`,
    authorization: basic(),
    type: FORM,
    body: 'FriendlyName=coded',
    list: async () => JSON.stringify((await trunkline.api('GET', '/Applications.json')).body),
    shape: { code: 20422, message: MESSAGE, status: 415 },
  }),
  REST: () => ({
    path: `${trunkline.http}/v2.2/acl`,
    authorization: bearer(),
    type: JSON_TYPE,
    body: JSON.stringify({ acl: [{ cidr: '8.8.4.4/32' }] }),
    list: () => read(`${trunkline.http}/v2.2/acl`, bearer()),
    shape: { status: 'error', error: { code: 415, message: MESSAGE } },
  }),
  registry: () => ({
    path: `${trunkline.http}/v2/csp/reseller`,
    authorization: bearer(),
    type: JSON_TYPE,
    body: JSON.stringify({ companyName: 'Coded', phone: '+12025550123', email: 'a@coded.example' }),
    list: () => read(`${trunkline.http}/v2/csp/reseller`, bearer()),
    shape: [{ code: 501, description: MESSAGE, fields: ['Content-Encoding'] }],
  }),
  private: () => ({
    path: `${trunkline.admin}/accounts`,
    authorization: `Bearer ${trunkline.adminToken}`,
    type: JSON_TYPE,
    body: JSON.stringify({ friendlyName: 'Coded' }),
    list: async () => JSON.stringify((await trunkline.adminApi('GET', '/accounts')).body),
    shape: { error: MESSAGE },
  }),
}

it.each(
  Object.keys(API).flatMap((name) => ['gzip', 'GZIP, identity', 'br'].map((each) => [name, each])),
)('the %s API answers 415 to a body in %s, and does nothing', async (name, coding) => {
  const { path, list, shape, ...sent } = API[name]?.() ?? expect.fail('no such API')
  const before = await list()
  const answer = await send(path, { ...sent, coding, body: gzipSync(sent.body) })
  expect(answer).toMatchObject({ status: 415, acceptEncoding: 'identity', body: shape })
  expect(await list()).toBe(before)
})

it('the same to one that comes in chunks', async () => {
  const { path, type, authorization, body } = API['voice']?.() ?? expect.fail('no such API')
  const coded = { type, authorization, coding: 'gzip', body: gzipSync(body) }
  expect((await send(path, { ...coded, framing: 'chunks' })).status).toBe(415)
})

it.each(Object.keys(API))('the %s API takes a body that is called identity', async (name) => {
  const { path, ...sent } = API[name]?.() ?? expect.fail('no such API')
  const answer = await send(path, { ...sent, coding: 'identity', body: Buffer.from(sent.body) })
  expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300)
})

it('the legacy style refuses it in its own shape, before it looks for the key in it', async () => {
  const body = gzipSync(JSON.stringify({ apikey: trunkline.account.secret }))
  const sent = { authorization: '', type: JSON_TYPE, coding: 'gzip', body }
  const answer = await send(`${trunkline.http}/v2.1/account/info`, sent)
  expect(answer).toMatchObject({ status: 415, body: { statusCode: '415', status: 'Error' } })
})

it('says nothing of it to whoever has no credentials', async () => {
  const { path, type, body } = API['voice']?.() ?? expect.fail('no such API')
  const sent = { authorization: 'Basic eDp5', type, coding: 'gzip', body: gzipSync(body) }
  expect((await send(path, sent)).status).toBe(401)
})

it('a read with the header and no body is a read; with such a body it is 415', async () => {
  const { path, authorization } = API['voice']?.() ?? expect.fail('no such API')
  const sent = { method: 'GET', authorization, coding: 'gzip' }
  expect((await send(path, { ...sent, body: undefined })).status).toBe(200)
  expect((await send(path, { ...sent, body: gzipSync('x') })).status).toBe(415)
})
