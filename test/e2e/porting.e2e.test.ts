import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { callRest } from '../support/account/rest-client.js'
import { textOf } from '../support/mail/smtp-sink.js'
import { letterForm, REJECTED_ACCOUNT, SUBSCRIBER } from '../support/porting/port-samples.js'
import { type RunningTrunkline, startTrunkline } from '../support/process/trunkline.js'
import { sipp } from '../support/sip/sipp.js'
import { startVoiceApp, type VoiceApp } from '../support/voice/voice-app.js'

const NUMBER = '2025550143'
const HOUR = 3_600_000
const DAY = 24 * HOUR

type Body = Readonly<Record<string, unknown>>

let t: RunningTrunkline
let app: VoiceApp

beforeAll(async () => {
  t = await startTrunkline()
  app = await startVoiceApp()
})
afterAll(async () => {
  await app[Symbol.asyncDispose]()
  await t[Symbol.asyncDispose]()
})

const rest = (method: string, path: string, body?: object) => callRest(t, method, path, body)

const statusOf = async (pid: string) =>
  ((await rest('GET', `/ports/${pid}`))['port'] as Body)['status']
const isAt = (pid: string, status: string) =>
  expect.poll(() => statusOf(pid), { message: `the port is ${status}` }).toBe(status)

async function turnClock(advanceMs: number): Promise<void> {
  expect((await t.adminApi('POST', '/ports/clock', { advanceMs })).status).toBe(200)
}

/** The subjects and texts of the mails in the folder, the oldest first. */
function mails(): readonly { readonly subject: string; readonly text: string }[] {
  const folder = join(t.folder, 'data', 'mail')
  let names: string[]
  try {
    names = readdirSync(folder).filter((name) => name.endsWith('.eml'))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [] // no mail yet
    throw error
  }
  return names.sort().map((name) => {
    const raw = readFileSync(join(folder, name), 'utf8')
    return { subject: /^Subject: (.*)\r$/m.exec(raw)?.[1] ?? '', text: textOf(raw) }
  })
}

it('a port goes from check to completion over a rejection, and the next call lands', async () => {
  const profile = { email: 'owner@acme.example' }
  expect((await t.adminApi('PATCH', `/accounts/${t.account.sid}`, profile)).status).toBe(200)
  await t.adminApi('POST', `/accounts/${t.account.sid}/adjustments`, { amount: 10 })

  expect(await rest('GET', `/ports/availability/${NUMBER}`)).toMatchObject({ portable: true })
  const order = { did: [NUMBER], ...SUBSCRIBER, lcAccountNumber: REJECTED_ACCOUNT }
  const made = await rest('POST', '/account/port', order)
  const pid = String(made['pid'])
  await rest('POST', `/ports/${pid}/loa`, letterForm())
  await isAt(pid, 'Validating')
  await turnClock(HOUR)
  await isAt(pid, 'Pending')
  await turnClock(DAY)
  await isAt(pid, 'Exception')

  await rest('POST', `/ports/${pid}/resubmit`, { lcAccountNumber: '4711' })
  await isAt(pid, 'Validating')
  await turnClock(HOUR)
  await isAt(pid, 'Pending')
  await turnClock(DAY)
  await isAt(pid, 'FOC')
  await sipp({ scenario: 'uac-wants-404', target: sip(), service: `1${NUMBER}` })
  await turnClock(12 * DAY)
  await isAt(pid, 'Complete')

  const wanted = [
    ...['Submitted', 'Validating', 'Pending', 'Exception'],
    ...['Submitted', 'Validating', 'Pending', 'FOC', 'Complete'],
  ]
  const subjects = wanted.map((status) => `Port ${pid}: ${status}`)
  await expect.poll(() => mails().map(({ subject }) => subject)).toHaveLength(subjects.length)
  // Two mails of one millisecond have names in any order.
  expect(
    mails()
      .map(({ subject }) => subject)
      .sort(),
  ).toEqual(subjects.sort())
  expect(mails().find(({ subject }) => subject.endsWith('Exception'))?.text).toContain(
    'lcAccountNumber',
  )
  const paid = await t.adminApi('GET', `/accounts/${t.account.sid}/balance`)
  expect(paid.body).toMatchObject({ balance: 4 })

  const found = await t.api('GET', `/IncomingPhoneNumbers.json?PhoneNumber=%2B1${NUMBER}`)
  const [number] = found.body['incoming_phone_numbers'] as Body[]
  app.page('/voice', '<Hangup/>')
  const bound = await t.api('POST', `/IncomingPhoneNumbers/${String(number?.['sid'])}.json`, {
    VoiceUrl: `${app.url}/voice`,
  })
  expect(bound.status).toBe(200)
  await sipp({ scenario: 'uac-waits-for-bye', target: sip(), service: `1${NUMBER}` })
  expect(app.sink.requests.map(({ target }) => target)).toContain('/voice')
})

const sip = () => `127.0.0.1:${t.sipPort}`
