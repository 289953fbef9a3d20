import { describe, expect, it } from 'vitest'
import { createPublicApp } from '../../../../src/platform/http/public-app.js'
import { createLogger } from '../../../../src/platform/log.js'
import { createVoiceApi } from '../../../../src/voice/api/voice-api.js'
import { sentAnswer } from '../../../support/http/answer-fault.js'
import { Description } from '../../../support/http/description.js'
import { setUpApi } from '../../../support/voice/api-fixture.js'
import { setUpCalls } from '../../../support/voice/calls-fixture.js'

it('describes every operation that it serves, and serves what it describes', async () => {
  await using bench = await setUpCalls()
  const app = createPublicApp({
    version: '0.0.0',
    readiness: () => ({ isReady: true, detail: {} }),
    log: createLogger('silent'),
    mount: [createVoiceApi({ ...bench, log: createLogger('silent') })],
  })
  const description = (await (await app.request('/openapi.json')).json()) as {
    paths: Record<string, Record<string, unknown>>
  }
  const described = Object.entries(description.paths).flatMap(([path, methods]) =>
    path.startsWith('/2010-04-01/')
      ? Object.keys(methods).map((method) => `${method} ${path}`)
      : [],
  )
  const served = app.routes.flatMap(({ method, path }) =>
    path.startsWith('/2010-04-01/') && method !== 'ALL'
      ? [`${method.toLowerCase()} ${path.replaceAll(/:(\w+)/g, '{$1}')}`]
      : [],
  )
  expect(described.sort()).toEqual([...new Set(served)].sort())
})

const ACCOUNT = '/2010-04-01/Accounts/{AccountSid}'
const JSON_TYPE = 'application/json'
const XML_TYPE = 'application/xml'
const SOUND = ['audio/x-wav', 'audio/mpeg']
/** What every operation may answer besides what it is for. */
const both = [JSON_TYPE, XML_TYPE]

describe('the description', () => {
  it.each([
    ['a call', 'GET', '/Calls/{Sid}', { 200: both, 404: both }],
    ['a list', 'GET', '/Calls', { 200: both, 401: both }],
    ['a refused form', 'POST', '/Calls', { 201: both, 400: both, 429: both }],
    ['no body', 'DELETE', '/Calls/{Sid}', { 204: [] }],
    [
      'a sound, in parts',
      'GET',
      '/Recordings/{Sid}',
      { 200: [...both, ...SOUND], 206: SOUND, 304: [], 404: both, 416: [] },
    ],
    [
      'a media, or where it is',
      'GET',
      '/Messages/{MessageSid}/Media/{Sid}',
      { 200: both, 307: [], 404: both },
    ],
    ['where an archive is', 'GET', '/Exports/{Date}', { 302: [], 404: both }],
  ])('has every answer of an operation: %s', async (_title, method, path, answers) => {
    await using t = await setUpApi()
    expect(new Description(t.app).answersOf(method, ACCOUNT + path)).toMatchObject(answers)
  })

  it.each([
    '/Calls.xml',
    '/Calls/CA0.xml',
    '/Balance.xml',
  ])('is that of an answer in XML: %s', async (path) => {
    await using t = await setUpApi()
    const { sid, secret } = t.account
    const authorization = `Basic ${Buffer.from(`${sid}:${secret}`).toString('base64')}`
    const url = `/2010-04-01/Accounts/${sid}${path}`
    const answer = await sentAnswer(await t.app.request(url, { headers: { authorization } }))
    expect(answer.mediaType).toBe(XML_TYPE)
    const template = ACCOUNT + path.replace('.xml', '').replace('CA0', '{Sid}')
    expect(new Description(t.app).faultOf('GET', template, answer)).toBeUndefined()
  })
})
