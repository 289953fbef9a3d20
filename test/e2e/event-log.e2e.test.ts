import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import twilio from 'twilio'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { joinTrunkline } from '../support/process/shared-trunkline.js'
import type { RunningTrunkline } from '../support/process/trunkline.js'
import { waitUntil } from '../support/time/wait-until.js'
import { startVoiceApp, type VoiceApp } from '../support/voice/voice-app.js'

const TIMELINE = new URL('../../dist/cli/timeline.js', import.meta.url).pathname

let trunkline: RunningTrunkline
let app: VoiceApp
let sid: string

beforeAll(async () => {
  trunkline = await joinTrunkline()
  app = await startVoiceApp()
  app.page('/voice', '<Unknown/><Gather numDigits="2" action="/done"><Say>Press.</Say></Gather>')
  const call = await trunkline.createCall({
    To: '+15005550004',
    From: '+15005550000',
    Url: `${app.url}/voice`,
    StatusCallback: `${app.url}/status`,
  })
  sid = call.sid
  await app.completed(sid)
  // The last line is the answer to that callback, which the server has a moment later.
  const told = async () => {
    const { body } = await trunkline.api('GET', `/Calls/${sid}/Events.json?PageSize=1000`)
    const events = body['events'] as { request?: { url?: string }; response?: unknown }[]
    return events.filter(({ request }) => request?.url === `${app.url}/status`)
  }
  await waitUntil('the answer is in the log', async () => (await told()).length > 0, 20_000)
})
afterAll(async () => {
  await app[Symbol.asyncDispose]()
  await trunkline[Symbol.asyncDispose]()
})

/** The command as `npm run timeline` runs it, with what it printed. */
async function timeline(...args: string[]): Promise<{ code: unknown; out: string; err: string }> {
  const env = {
    PATH: process.env['PATH'],
    PUBLIC_URL: trunkline.http,
    FIRST_ACCOUNT_SID: trunkline.account.sid,
    FIRST_ACCOUNT_TOKEN: trunkline.account.secret,
  }
  return promisify(execFile)(process.execPath, [TIMELINE, ...args], { env, timeout: 30_000 }).then(
    ({ stdout, stderr }) => ({ code: 0, out: stdout, err: stderr }),
    (error: unknown) => {
      // As execFile rejects after the command's own exit.
      const { code, stdout, stderr } = error as { code: unknown; stdout: string; stderr: string }
      return { code, out: stdout, err: stderr }
    },
  )
}

it("is listed by the convention's own client, page after page", async () => {
  const client = twilio(trunkline.account.sid, trunkline.account.secret)
  client.api.baseUrl = trunkline.http
  const all = await client.calls(sid).events.list()
  const paged = await client.calls(sid).events.list({ pageSize: 3 })
  expect(paged.length).toBeGreaterThan(6)
  expect(paged.map((event) => event.toJSON())).toEqual(
    all.slice(0, paged.length).map((event) => event.toJSON()),
  )
  // As the client types it: any.
  const requests = all.map(({ request }) => request as Record<string, unknown>)
  expect(requests.find(({ url }) => url === `${app.url}/voice`)).toMatchObject({
    method: 'POST',
    parameters: { CallSid: sid, CallStatus: 'in-progress' },
  })
})

it('is printed as a timeline, step by step in the order of the call', async () => {
  const { code, out } = await timeline(sid, '--follow')
  expect(code).toBe(0)
  const steps = [
    '→ INVITE',
    '← 200 OK',
    'in-progress',
    `POST ${app.url}/voice ← 200 in `,
    '  <Gather>',
    '    pressed 42',
    'completed',
    `POST ${app.url}/status (completed) ← 200 in `,
  ]
  const places = steps.map((step) => out.indexOf(step))
  expect(places).not.toContain(-1)
  expect(places).toEqual(places.toSorted((a, b) => a - b))
  expect(out).toContain('! 12200')
  // The media server and the channel there.
  expect(out).toMatch(/ media {4,}127\.0\.0\.1:\d+ [0-9a-f-]{36}$/m)
})

it('says below an error what the application answered, and what to do', async () => {
  app.page('/html', '', {
    headers: { 'content-type': 'text/html' },
    body: '<!DOCTYPE html>\n<html><head><title>Log in</title></head><body>token=abc123</body></html>',
  })
  app.page('/refused', '', { status: 403, body: 'invalid\u001b[2J signature' })
  app.page('/ampersand', '<Play>https://example.com/a?b=1&c=2</Play>')
  app.page('/misspelt', '<Sya>Hello.</Sya><Say languge="en">Bye.</Say>')
  const logOf = async (path: string) => {
    const To = '+15005550002'
    const Url = app.url + path
    const { sid } = await trunkline.createCall({ To, From: '+15005550000', Url })
    const { out } = await timeline(sid, '--follow')
    return out
  }
  const html = await logOf('/html')
  expect(html).toMatch(/‼ 12100 the answer is an HTML page \("Log in"\), not markup/)
  expect(html).toMatch(/\n {21}answered: <!DOCTYPE html>\\n<html>[^\n]*token=\*\*\*/)
  expect(html).toContain(`\n${' '.repeat(21)}remedy: Check it with an XML parser`)
  const refused = await logOf('/refused')
  expect(refused).toMatch(/‼ 11200 the web server answered 403; .*WEBHOOK_SIGNATURE_HEADERS/)
  expect(refused).toContain('answered: invalid\\u001b[2J signature')
  expect(await logOf('/ampersand')).toMatch(/‼ 12100 & is not written as &amp; in /)
  const misspelt = await logOf('/misspelt')
  expect(misspelt).toContain('cannot contain <Sya>; did you mean "Say"?')
  expect(misspelt).toContain('has no attribute "languge"; did you mean "language"?')
  expect(misspelt.match(/remedy: Correct the name/g)).toHaveLength(1)
}, 60_000)

it('calls a JSON body JSON, with the number that it had', async () => {
  const token = Buffer.from(`${trunkline.account.sid}:${trunkline.account.secret}`)
  const post = async (path: string, body: unknown) => {
    const answer = await fetch(
      `${trunkline.http}/2010-04-01/Accounts/${trunkline.account.sid}${path}`,
      {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          authorization: `Basic ${token.toString('base64')}`,
        },
        body: JSON.stringify(body),
      },
    )
    return { ...((await answer.json()) as object), http: answer.status }
  }
  const message = expect.stringContaining(
    'the body is JSON: send the parameters as a form',
  ) as string
  expect(await post('/Calls.json', { To: '+15005550002' })).toMatchObject({
    http: 400,
    code: 21201,
    message,
  })
  expect(await post(`/Calls/${sid}.json`, { Status: 'completed' })).toMatchObject({
    http: 400,
    message,
  })
  expect(await post('/Queues.json', { FriendlyName: 'x' })).toMatchObject({ http: 400, message })
})

it('explains what it needs, and says with its exit code what went wrong', async () => {
  const usage = await timeline()
  expect({ code: usage.code, err: usage.err }).toMatchObject({
    code: 2,
    err: expect.stringContaining('npm run timeline -- CALLSID') as string,
  })
  expect(await timeline('--help')).toMatchObject({ code: 0 })
  const absent = await timeline(`CA${'0'.repeat(32)}`)
  expect(absent).toMatchObject({ code: 1, err: expect.stringMatching(/^404: /) as string })
})
