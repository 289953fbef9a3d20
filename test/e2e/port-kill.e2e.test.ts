import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { callRest } from '../support/account/rest-client.js'
import { HttpSink, type SinkAnswer, type SinkRequest } from '../support/http/http-sink.js'
import { letterForm, SUBSCRIBER } from '../support/porting/port-samples.js'
import { kill, restart } from '../support/process/kill-and-restart.js'
import { type RunningTrunkline, startTrunkline } from '../support/process/trunkline.js'
import { waitUntil } from '../support/time/wait-until.js'

type Body = Readonly<Record<string, unknown>>

const DID = 1.25
const FUNDS = 100
const FEE = 6
const EMAIL = 'owner@acme.example'

let sink: HttpSink
let t: RunningTrunkline
let first: RunningTrunkline
const started: RunningTrunkline[] = []

beforeAll(async () => {
  sink = await HttpSink.start()
  sink.script((request) => carrierAnswer(request))
  t = await startTrunkline({ PORT_CARRIER_URL: sink.url })
  first = t
  started.push(t)
  const account = `/accounts/${t.account.sid}`
  await t.adminApi('PATCH', account, { email: EMAIL })
  await t.adminApi('PATCH', `${account}/rates`, { did: DID })
  await t.adminApi('POST', `${account}/adjustments`, { amount: FUNDS })
})
afterAll(async () => {
  for (const each of started) await each[Symbol.asyncDispose]()
  await sink[Symbol.asyncDispose]()
})

const stateIn = (request: SinkRequest): string | undefined =>
  request.method === 'PUT'
    ? (JSON.parse(request.body.toString()) as { state: string }).state
    : undefined

/** A carrier that lets every number go at once. */
function carrierAnswer(request: SinkRequest): SinkAnswer {
  const answers: Readonly<Record<string, object>> = {
    submitted: { answer: 'review-began' },
    validating: { answer: 'review-passed' },
    pending: { answer: 'date-confirmed', foc: '2030-01-15' },
    foc: { answer: 'activated' },
  }
  const state = stateIn(request)
  const body = state === undefined ? { portable: true, carrier: 'Other Telecom' } : answers[state]
  return { body: JSON.stringify(body ?? {}) }
}

const rest = (method: string, path: string, body?: object) => callRest(t, method, path, body)

const portOf = async (pid: string) => (await rest('GET', `/ports/${pid}`))['port'] as Body

/** The mails so far that say that a port is complete. */
function completeMails(pid: string): number {
  const folder = join(first.folder, 'data', 'mail')
  return readdirSync(folder)
    .filter((name) => name.endsWith('.eml'))
    .map((name) => readFileSync(join(folder, name), 'utf8'))
    .filter((mail) => mail.includes(`Subject: Port ${pid}: Complete`)).length
}

/** When the server dies, once its carrier is asked about a port whose date has come. */
const STEPS: readonly (readonly [when: string, answers: boolean])[] = [
  ['before it hears that the numbers have moved', false],
  ['as it hears that the numbers have moved', true],
]

it.each(STEPS)('a port whose server is killed %s is complete once', async (when, answers) => {
  const index = STEPS.findIndex(([each]) => each === when)
  const number = `202555015${index}`
  await rest('GET', `/ports/availability/${number}`)
  const dying = t
  let killed: Promise<void> | undefined
  sink.script((request) => {
    if (stateIn(request) === 'foc' && killed === undefined) {
      killed = kill(dying)
      if (!answers) return { drop: true }
    }
    return carrierAnswer(request)
  })
  const made = await rest('POST', '/account/port', { did: [number], ...SUBSCRIBER })
  const pid = String(made['pid'])
  // The server may be dead before it answers: the port goes on as soon as its letter is there.
  await rest('POST', `/ports/${pid}/loa`, letterForm()).catch((error: unknown) => {
    if (killed === undefined) throw error
  })
  await waitUntil('the carrier is asked for the numbers', () => killed !== undefined)
  await killed
  sink.script((request) => carrierAnswer(request))
  t = await restart(first, { PORT_CARRIER_URL: sink.url })
  started.push(t)

  await waitUntil('the port is complete', async () => (await portOf(pid))['status'] === 'Complete')
  const { history } = (await t.adminApi('GET', `/ports/${pid}`)).body as { history: Body[] }
  expect(history.map(({ state }) => state)).toEqual([
    ...['submitted', 'submitted', 'validating', 'pending', 'foc', 'complete'],
  ])
  const held = await t.api('GET', `/IncomingPhoneNumbers.json?PhoneNumber=%2B1${number}`)
  expect(held.body['incoming_phone_numbers']).toHaveLength(1)
  const { charges } = await rest('GET', '/account/recurring-charges')
  const own = (charges as Body[]).filter(({ description }) => String(description).includes(number))
  expect(own).toMatchObject([{ amount: DID }])
  await waitUntil('the mail is there', () => completeMails(pid) > 0)
  const { body } = await t.adminApi('GET', `/accounts/${t.account.sid}/balance`)
  const paid = FUNDS - Number(body['balance'])
  const ports = index + 1
  // The first month of a ported number is charged for its days that are left.
  expect(paid).toBeGreaterThan(FEE * ports)
  expect(paid).toBeLessThanOrEqual((FEE + DID) * ports)
  expect((await t.adminApi('GET', '/ledger/check')).body).toEqual({ faults: [] })
})
