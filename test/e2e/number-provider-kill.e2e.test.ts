import { afterAll, beforeAll, expect, it } from 'vitest'
import { HttpSink, type SinkAnswer, type SinkRequest } from '../support/http/http-sink.js'
import { FakeNumberProvider } from '../support/numbers/fake-number-provider.js'
import { kill, restart } from '../support/process/kill-and-restart.js'
import { type RunningTrunkline, startTrunkline } from '../support/process/trunkline.js'
import { waitUntil } from '../support/time/wait-until.js'

const DID = 1.25
const FUNDS = 100
const NUMBERS = ['+17755550111', '+17755550112', '+17755550113']

const provider = new FakeNumberProvider(NUMBERS)
let sink: HttpSink
let t: RunningTrunkline
let first: RunningTrunkline
const started: RunningTrunkline[] = []

beforeAll(async () => {
  sink = await HttpSink.start()
  sink.script((request) => provider.answer(request))
  t = await startTrunkline({ NUMBER_PROVIDER_URL: sink.url })
  first = t
  started.push(t)
  await t.adminApi('PATCH', `/accounts/${t.account.sid}/rates`, { did: DID })
  await t.adminApi('POST', `/accounts/${t.account.sid}/adjustments`, { amount: FUNDS })
})
afterAll(async () => {
  for (const each of started) await each[Symbol.asyncDispose]()
  await sink[Symbol.asyncDispose]()
})

interface Outcome {
  readonly status: number
  readonly data: unknown
}

async function place(key: string, number: string): Promise<Outcome | undefined> {
  try {
    const response = await fetch(`${t.http}/v2.2/orders`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${t.account.secret}`,
        'content-type': 'application/json',
        'idempotency-key': key,
      },
      body: JSON.stringify({ numbers: [number] }),
    })
    const { data } = (await response.json()) as { data?: unknown }
    return { status: response.status, data }
  } catch {
    return undefined // the server died under the request: nobody was promised anything
  }
}

type Step = readonly [when: string, answer: (request: SinkRequest) => SinkAnswer]

/** What the provider has done with the order when the server dies. */
const STEPS: readonly Step[] = [
  [
    'when the provider has its order and has not answered',
    (request) => {
      provider.answer(request)
      return { drop: true }
    },
  ],
  ['as the answer of the provider comes', (request) => provider.answer(request)],
]

it.each(STEPS)('a server that is killed %s sells and charges once', async (when, answer) => {
  const index = STEPS.findIndex(([each]) => each === when)
  const number = NUMBERS[index] ?? ''
  const key = `order-${index}`
  const dying = t
  let killed: Promise<void> | undefined
  sink.script((request) => {
    if (request.method !== 'POST') return provider.answer(request)
    killed = kill(dying)
    return answer(request)
  })
  await place(key, number)
  await waitUntil('the order has come', () => killed !== undefined)
  await killed
  sink.script((request) => provider.answer(request))
  t = await restart(first, { NUMBER_PROVIDER_URL: sink.url })
  started.push(t)

  const answered: Outcome[] = []
  await waitUntil('the order has ended', async () => {
    const outcome = await place(key, number)
    if (outcome?.status === 201) answered.push(outcome)
    return answered.length === 1
  })
  expect(answered).toMatchObject([
    { data: { amountCharged: DID, numbersOrdered: [number.slice(2)], failed: [] } },
  ])
  expect(new Set(provider.placed.values())).toEqual(new Set([1]))
  const held = await t.api('GET', '/IncomingPhoneNumbers.json')
  expect(held.body['incoming_phone_numbers']).toHaveLength(index + 1)
  const { body } = await t.adminApi('GET', `/accounts/${t.account.sid}/balance`)
  expect(body['balance']).toBe(FUNDS - DID * (index + 1))
  expect((await t.adminApi('GET', '/ledger/check')).body).toEqual({ faults: [] })
})
