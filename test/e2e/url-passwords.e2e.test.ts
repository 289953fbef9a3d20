import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { HttpSink } from '../support/http/http-sink.js'
import { type Answer, type RunningTrunkline, startTrunkline } from '../support/process/trunkline.js'

const PASSWORD = 'very-h1dden%21'
const BASIC = `Basic ${btoa('user:very-h1dden!')}`
const NUMBER = '+15552223333'
const LIMIT_MS = 20_000

let trunkline: RunningTrunkline
let sink: HttpSink
/** The same URL as an application gives it, and as it is shown. */
let given: (path: string) => string
let shown: (path: string) => string

beforeAll(async () => {
  trunkline = await startTrunkline()
  sink = await HttpSink.start()
  const withPassword = (password: string) => sink.url.replace('//', `//user:${password}@`)
  given = (path) => withPassword(PASSWORD) + path
  shown = (path) => withPassword('***') + path
  sink.script(({ headers }) =>
    headers.authorization === BASIC
      ? { headers: { 'content-type': 'text/xml' }, body: '<Response><Hangup/></Response>' }
      : { status: 401, headers: { 'www-authenticate': 'Basic realm="app"' } },
  )
})
afterAll(async () => {
  await sink[Symbol.asyncDispose]()
  await trunkline[Symbol.asyncDispose]()
})

/** A request with the account's key as a Bearer, to the account API or the registry. */
async function bearer(method: string, path: string, body?: unknown): Promise<Answer> {
  const answer = await fetch(trunkline.http + path, {
    method,
    headers: {
      authorization: `Bearer ${trunkline.account.secret}`,
      'content-type': 'application/json',
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const read = (await answer.json()) as Answer['body']
  return { status: answer.status, headers: answer.headers, body: read }
}

/** Resolves once the application has let in a request to the path. */
async function letIn(path: string): Promise<void> {
  const find = () =>
    sink.requests.find(
      ({ target, headers }) => target.startsWith(path) && headers.authorization !== undefined,
    )
  await expect.poll(find, { timeout: LIMIT_MS }).toBeDefined()
  expect(find()?.headers.authorization).toBe(BASIC)
}

/** Calls the number, and waits until both of its URLs were asked with the password. */
async function callNumber(path: string): Promise<void> {
  await trunkline.createCall({
    To: NUMBER,
    From: '+15550001000',
    Markup: '<Response><Pause length="5"/></Response>',
  })
  await letIn(`/${path}`)
  await letIn(`/status-${path}`)
}

describe('the password in a webhook URL', () => {
  it('of a number is shown masked, is sent, and stays when what was read is written back', async () => {
    await trunkline.assignNumber(NUMBER, { voiceUrl: `${sink.url}/before` })
    const { body } = await trunkline.api('GET', '/IncomingPhoneNumbers.json')
    const [{ sid = '' } = {}] = body['incoming_phone_numbers'] as { sid?: string }[]
    const update = (form: Readonly<Record<string, string>>) =>
      trunkline.api('POST', `/IncomingPhoneNumbers/${sid}.json`, form)
    const stored = { voice_url: shown('/called?a=b'), status_callback: shown('/status-called') }
    const set = { VoiceUrl: given('/called?a=b'), StatusCallback: given('/status-called') }
    expect((await update(set)).body).toMatchObject(stored)
    await callNumber('called')

    sink.requests.length = 0
    const read = await trunkline.api('GET', `/IncomingPhoneNumbers/${sid}.json`)
    expect(read.body).toMatchObject(stored)
    const back = { VoiceUrl: stored.voice_url, StatusCallback: stored.status_callback }
    expect((await update(back)).body).toMatchObject(stored)
    await callNumber('called')
    const { body: operators } = await trunkline.adminApi('GET', '/numbers')
    expect(JSON.stringify(operators)).toContain(shown('/called'))
    expect(JSON.stringify(operators)).not.toContain(PASSWORD)

    // It does not follow to another host or another field.
    for (const VoiceUrl of [shown('/other'), stored.status_callback]) {
      const refused = await update({ VoiceUrl })
      expect(refused).toMatchObject({ status: 400, body: { code: 21402 } })
    }
    expect((await update({ VoiceUrl: given('/other') })).body).toMatchObject({
      voice_url: shown('/other'),
      status_callback: stored.status_callback,
    })
  })

  it.each([
    ['an application', '/Applications', 'VoiceUrl', 'voice_url'],
    ['an application', '/Applications', 'MessageStatusCallback', 'message_status_callback'],
    ['a SIP domain', '/SIP/Domains', 'VoiceUrl', 'voice_url'],
    ['a SIP domain', '/SIP/Domains', 'VoiceStatusCallbackUrl', 'voice_status_callback_url'],
  ])('of %s is masked wherever it is shown: %s %s', async (_title, path, field, name) => {
    const form = { DomainName: `${name.replaceAll('_', '-')}.test`, FriendlyName: field }
    const made = await trunkline.api('POST', `${path}.json`, { ...form, [field]: given('/x') })
    expect(made).toMatchObject({ status: 201, body: { [name]: shown('/x') } })
    const one = `${path}/${String(made.body['sid'])}.json`
    expect((await trunkline.api('GET', one)).body[name]).toBe(shown('/x'))
    const back = await trunkline.api('POST', one, { [field]: shown('/x') })
    expect(back).toMatchObject({ status: 200, body: { [name]: shown('/x') } })
    const list = await trunkline.api('GET', `${path}.json`)
    expect(JSON.stringify(list.body)).toContain(shown('/x'))
    expect(JSON.stringify(list.body)).not.toContain(PASSWORD)
    const refused = await trunkline.api('POST', `${path}.json`, {
      ...form,
      DomainName: 'new.test',
      [field]: shown('/x'),
    })
    expect(refused).toMatchObject({ status: 400, body: { code: 21402 } })
  })

  it("of the account's settings is masked for the operator, and stays", async () => {
    const path = `/accounts/${trunkline.account.sid}`
    const settings = (url: string) => ({ voice: { url }, tts: { url } })
    await trunkline.adminApi('PATCH', path, { settings: settings(given('/account')) })
    const read = await trunkline.adminApi('GET', path)
    expect(read.body['settings']).toMatchObject(settings(shown('/account')))
    const back = await trunkline.adminApi('PATCH', path, { settings: settings(shown('/account')) })
    expect(back.status).toBe(200)
    const refused = await trunkline.adminApi('PATCH', path, { settings: settings(shown('/other')) })
    expect(refused.status).toBe(400)
  })

  it('of a registry webhook is masked, is sent, and stays', async () => {
    const webhook = '/v2/csp/webhook/subscription'
    const wanted = (webhookEndpoint: string) => ({ eventCategory: 'BRAND', webhookEndpoint })
    expect((await bearer('PUT', webhook, wanted(given('/registry')))).status).toBe(200)
    const { body } = await bearer('GET', webhook)
    expect(body).toMatchObject([wanted(shown('/registry'))])
    expect((await bearer('PUT', webhook, wanted(shown('/registry')))).status).toBe(200)
    const mock = await bearer('GET', `${webhook}/mock?eventType=BRAND_ADD`)
    expect(mock.body).toMatchObject({ endpoint: shown('/registry'), status: 200 })
    await letIn('/registry')
    const refused = await bearer('PUT', webhook, wanted(shown('/elsewhere')))
    expect(refused.status).toBe(400)
  })

  it("of a number's message target is masked, and stays", async () => {
    await trunkline.assignNumber(NUMBER, { voiceUrl: `${sink.url}/called` })
    const path = `/v2.2/numbers/${NUMBER.slice(2)}/sms`
    const target = (resource: string) => ({ type: 'webhook', resource })
    const data = target(shown('/texts'))
    expect((await bearer('PUT', path, target(given('/texts')))).body).toMatchObject({ data })
    expect((await bearer('GET', path)).body).toMatchObject({ data })
    expect((await bearer('PUT', path, data)).status).toBe(200)
    expect((await bearer('PUT', path, target(shown('/other')))).status).toBe(400)
  })
})
