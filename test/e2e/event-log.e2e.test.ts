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
