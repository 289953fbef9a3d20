import { expect, it } from 'vitest'
import { kill, restart } from '../process/kill-and-restart.js'
import { type RunningTrunkline, startTrunkline } from '../process/trunkline.js'
import { waitUntil } from '../time/wait-until.js'

export interface OrderRace {
  readonly accounts: number
  readonly orders: number
  readonly numbers: number
}

interface Buyer {
  readonly sid: string
  readonly key: string
}

interface Order {
  readonly buyer: Buyer
  readonly idempotencyKey: string
  readonly numbers: readonly string[]
}

interface Outcome {
  readonly status: number
  readonly isReplay: boolean
  readonly body: {
    readonly data?: {
      readonly amountCharged: number
      readonly numbersOrdered: readonly string[]
      readonly failed: readonly unknown[]
    }
  }
}

const DID = 1.25
const FUNDS = 1_000
const FIRST_NUMBER = 2_025_550_100
const NUMBERS_OF_AN_ORDER = 3
/** Statuses after which the same request may get another answer. */
const TEMPORARY = [409, 429, 500, 503]

/**
 * Sends all orders at once, kills the server with `kill -9` once some are answered, and retries every order
 * with its key until it is answered: each number is sold once, each account charged once.
 */
export function describeOrderKill({ accounts, orders, numbers }: OrderRace, limitMs: number): void {
  it(
    `${orders} orders at once for ${numbers} numbers, with a kill -9: sold once, charged once, one answer for each key`,
    async () => {
      await using first = await startTrunkline()
      await first.adminApi('POST', '/inventory/synthetic')
      const buyers = await Promise.all(Array.from({ length: accounts }, () => buyerOf(first)))
      const plan = Array.from({ length: orders }, (_, index) => orderOf(index, buyers, numbers))
      const server: { now: RunningTrunkline } = { now: first }
      const answered: (Outcome | undefined)[] = plan.map(() => undefined)
      const race = plan.map((order, index) =>
        waitUntil(
          `order ${index} is answered`,
          async () => {
            answered[index] ??= await place(server.now, order)
            return answered[index] !== undefined
          },
          limitMs,
          () => order,
          50,
        ),
      )
      const settled = Promise.allSettled(race)
      const someAnswered = () => answered.filter((each) => each !== undefined).length >= orders / 5
      await waitUntil('a fifth of the orders is answered', someAnswered, limitMs)
      await kill(first)
      await using second = await restart(first)
      server.now = second
      await settled
      await Promise.all(race)
      await expectSoldOnce(second, plan, answered, { accounts, orders, numbers })
    },
    limitMs * 2,
  )
}

async function buyerOf(t: RunningTrunkline): Promise<Buyer> {
  const { body } = await t.adminApi('POST', '/accounts', { friendlyName: 'Buyer' })
  const { accountSid: sid, authToken: key } = body as { accountSid: string; authToken: string }
  await t.adminApi('PATCH', `/accounts/${sid}/rates`, { did: DID })
  const given = await t.adminApi('POST', `/accounts/${sid}/adjustments`, { amount: FUNDS })
  expect(given.status, JSON.stringify(given.body)).toBe(201)
  return { sid, key }
}

function orderOf(index: number, buyers: readonly Buyer[], numbers: number): Order {
  const buyer = buyers[index % buyers.length]
  if (buyer === undefined) throw new Error('there are no buyers')
  const wanted = Array.from(
    { length: NUMBERS_OF_AN_ORDER },
    (_, at) => FIRST_NUMBER + ((index * 7 + at * 13) % numbers),
  )
  return { buyer, idempotencyKey: `order-${index}`, numbers: wanted.map(String) }
}

/** Sends an order; undefined without a final answer yet. */
async function place({ http }: RunningTrunkline, order: Order): Promise<Outcome | undefined> {
  try {
    const response = await fetch(`${http}/v2.2/orders`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${order.buyer.key}`,
        'content-type': 'application/json',
        'idempotency-key': order.idempotencyKey,
      },
      body: JSON.stringify({ numbers: order.numbers }),
    })
    const body = (await response.json()) as Outcome['body']
    if (TEMPORARY.includes(response.status)) return undefined
    const isReplay = response.headers.get('idempotency-replayed') === 'true'
    return { status: response.status, isReplay, body }
  } catch {
    return undefined // the server died during the request, so it promised nothing
  }
}

async function expectSoldOnce(
  t: RunningTrunkline,
  plan: readonly Order[],
  answered: readonly (Outcome | undefined)[],
  { numbers }: OrderRace,
): Promise<void> {
  expect(new Set(answered.map((each) => each?.status))).toEqual(new Set([201]))
  const soldBy = answered.map((each) => each?.body.data?.numbersOrdered ?? [])
  const sold = soldBy.flat()
  expect(new Set(sold).size).toBe(sold.length)
  expect(sold).toHaveLength(numbers)
  for (const [index, order] of plan.entries()) {
    const again = await place(t, order)
    expect(again).toEqual({ ...answered[index], isReplay: true })
  }
  for (const buyer of new Set(plan.map((order) => order.buyer))) {
    const own = soldBy.filter((_, index) => plan[index]?.buyer === buyer).flat()
    const response = await fetch(`${t.http}/v2.2/numbers`, {
      headers: { authorization: `Bearer ${buyer.key}` },
    })
    const { data } = (await response.json()) as { data: { numbers: { number: string }[] } }
    expect(data.numbers.map(({ number }) => number)).toEqual(own.toSorted())
    const { body } = await t.adminApi('GET', `/accounts/${buyer.sid}/balance`)
    expect(body['balance']).toBe(FUNDS - DID * own.length)
  }
  expect((await t.adminApi('GET', '/ledger/check')).body).toEqual({ faults: [] })
}
