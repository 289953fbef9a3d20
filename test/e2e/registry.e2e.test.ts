import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { HttpSink, type SinkRequest } from '../support/http/http-sink.js'
import { tempFolder } from '../support/process/temp-folder.js'
import { RegistryProcess } from '../support/registry/registry-process.js'
import { campaign, privateBrand } from '../support/registry/registry-samples.js'
import { waitUntil } from '../support/time/wait-until.js'

const LIMIT_MS = 30_000
const MIB = 1024 * 1024

let folder: ReturnType<typeof tempFolder>
let registry: RegistryProcess
let subscriber: HttpSink
beforeEach(async () => {
  folder = tempFolder()
  registry = new RegistryProcess(join(folder.path, 'data'), {
    REGISTRY_SIGNATURE_HEADERS: 'X-Trunkline-Signature,X-My-Signature:hex',
  })
  subscriber = await HttpSink.start()
  await registry.start()
})
afterEach(async () => {
  await registry[Symbol.asyncDispose]()
  await subscriber[Symbol.asyncDispose]()
  folder[Symbol.dispose]()
})

interface WireEvent {
  readonly eventId: string
  readonly eventType: string
  readonly brandId: string
}

function eventOf({ headers, body }: SinkRequest): WireEvent {
  const { eventType, brandId } = JSON.parse(body.toString('utf8')) as WireEvent // what we sent
  return { eventId: String(headers['x-trunkline-event-id']), eventType, brandId }
}

async function subscribe(): Promise<void> {
  const subscription = { eventCategory: 'BRAND', webhookEndpoint: `${subscriber.url}/events` }
  expect(await registry.call('PUT', '/webhook/subscription', subscription)).toEqual({
    status: 200,
    body: subscription,
  })
}

describe('the registry in the whole process', () => {
  it('registers a brand, scores it, and tells its subscriber, signed', async () => {
    await subscribe()
    const added = await registry.call('POST', '/brand/nonBlocking', privateBrand)
    expect(added).toMatchObject({ status: 200, body: privateBrand })
    const brandId = String(added.body['brandId'])
    await subscriber.until(() => subscriber.requests.length === 2)
    expect(subscriber.requests.map(eventOf)).toMatchObject([
      { eventType: 'BRAND_ADD', brandId },
      { eventType: 'BRAND_IDENTITY_STATUS_UPDATE', brandId },
    ])
    expect(await registry.call('GET', `/brand/${brandId}`)).toMatchObject({
      status: 200,
      body: { brandId, identityStatus: 'VERIFIED' },
    })
    const listed = (await registry.call('GET', '/webhook/subscription')).body as unknown
    const [{ signingSecret }] = listed as [{ signingSecret: string }] // an array of subscriptions
    for (const { headers, body } of subscriber.requests) {
      const [, time = '', given] = /^t=(\d+),v1=(\w+)$/.exec(
        String(headers['x-trunkline-signature']),
      ) ?? ['']
      const signed = createHmac('sha256', signingSecret).update(`${time}.${body.toString('utf8')}`)
      expect(given).toBe(signed.digest('hex'))
      const plain = createHmac('sha256', signingSecret).update(body).digest('hex')
      expect(headers['x-my-signature']).toBe(plain)
    }
  })

  it('keeps its clock turned over a restart', async () => {
    const year = 365 * 86_400_000
    const turned = await registry.operator('POST', '/clock', { advanceMs: year })
    await registry.kill()
    await registry.start()
    const { body } = await registry.operator('POST', '/clock', { advanceMs: 0 })
    expect(Date.parse(String(body['now']))).toBeGreaterThanOrEqual(
      Date.parse(String(turned.body['now'])),
    )
  })

  it('takes 10 MB and not a byte more, and keeps nothing when the client goes away in the middle', async () => {
    const { brandId } = (await registry.call('POST', '/brand', privateBrand)).body
    await waitUntil(
      'the brand is scored',
      async () =>
        (await registry.call('GET', `/brand/${String(brandId)}`)).body['identityStatus'] ===
        'VERIFIED',
      LIMIT_MS,
    )
    const created = await registry.call('POST', '/campaignBuilder', { ...campaign, brandId })
    const uploads = join(folder.path, 'data/registry/uploads')
    const upload = async (bytes: number) => {
      const form = new FormData()
      form.append('file', new Blob([Buffer.alloc(bytes, 'a')]), 'a.txt')
      const url = `${registry.http}/v2/csp/campaign/${String(created.body['campaignId'])}/mms`
      const headers = { authorization: `Bearer ${registry.key}` }
      const answer = await fetch(url, { method: 'POST', headers, body: form })
      return { status: answer.status, body: await answer.json() }
    }
    expect(await upload(10 * MIB)).toMatchObject({ status: 200, body: { fileName: 'a.txt' } })
    expect(await upload(10 * MIB + 1)).toMatchObject({
      status: 400,
      body: [{ code: 544, fields: ['file'] }],
    })
    await waitUntil('neither is left', () => readdirSync(uploads).length === 0, LIMIT_MS)
    const { hostname, port } = new URL(registry.http)
    const socket = connect(Number(port), hostname)
    await once(socket, 'connect')
    socket.write(
      [
        `POST /v2/csp/campaign/${String(created.body['campaignId'])}/mms HTTP/1.1`,
        `Host: ${hostname}`,
        `Authorization: Bearer ${registry.key}`,
        'Content-Type: multipart/form-data; boundary=x',
        'Content-Length: 9000000',
        '',
        '--x',
        'Content-Disposition: form-data; name="file"; filename="a.txt"',
        '',
        'a'.repeat(200_000),
      ].join('\r\n'),
    )
    await waitUntil('it is being written', () => readdirSync(uploads).length === 1, LIMIT_MS)
    socket.destroy()
    await waitUntil('it is gone', () => readdirSync(uploads).length === 0, LIMIT_MS)
  })

  it('shows the operator its side on the private listener only', async () => {
    await registry.call('POST', '/brand', privateBrand)
    const { status, body } = await registry.operator('GET', '/csps')
    expect({ status, csps: body['csps'] }).toMatchObject({ status: 200, csps: [{}] })
    expect((await fetch(`${registry.admin}/registry/csps`)).status).toBe(401)
    expect((await fetch(`${registry.http}/registry/csps`)).status).toBe(404)
    const description = await (await fetch(`${registry.http}/openapi.json`)).text()
    expect(description).toContain('"/v2/csp/brand/nonBlocking"')
  })
})

describe('a subscriber that fails for a while', () => {
  /** In the order of history; the history is what the events' transactions have committed. */
  async function history(): Promise<{ eventId: string; state: string }[]> {
    const { body } = await registry.call('GET', '/webhook/event?recordsPerPage=500')
    const records = body['records'] as { eventId: string; delivery: { state: string } | null }[]
    // Nobody had subscribed to what has no delivery.
    return records.flatMap(({ eventId, delivery }) =>
      delivery === null ? [] : [{ eventId, state: delivery.state }],
    )
  }

  async function countBrands(): Promise<number> {
    return Number((await registry.call('GET', '/brand')).body['totalRecords'])
  }

  /** What was refused is due again some minutes later; a new process stands where the world does. */
  async function turnClock(): Promise<void> {
    await registry.operator('POST', '/clock', { advanceMs: 6 * 60_000 })
  }

  it('gets every event in order, through two deaths of the server', async () => {
    await subscribe()
    const accepted: WireEvent[] = []
    let failures = 2
    subscriber.script((request) => {
      if (failures > 0) {
        failures -= 1
        return { status: 503 }
      }
      accepted.push(eventOf(request))
      return {}
    })

    // The first death: in the middle of registrations, while the first event is being refused.
    const register = async (index: number) => {
      try {
        const brand = { ...privateBrand, displayName: `Acme ${index}` }
        const { status, body } = await registry.call('POST', '/brand', brand)
        return status === 200 ? [String(body['brandId'])] : []
      } catch {
        return [] // the server died under the request: nobody was promised anything
      }
    }
    const first = await register(0)
    await subscriber.until(() => subscriber.requests.length === 1)
    const others = [1, 2, 3, 4, 5, 6, 7].map(register)
    const second = await Promise.race(others)
    await registry.kill()
    const promised = new Set([...first, ...second, ...(await Promise.all(others)).flat()])

    await registry.start()
    await waitUntil(
      'an event is accepted',
      async () => {
        await turnClock()
        return accepted.length > 0
      },
      LIMIT_MS,
    )

    // The second death: the subscriber has taken an event, and its 200 never arrives.
    let release = (): void => undefined
    const held = new Promise<void>((resolve) => (release = resolve))
    const taken = new Promise<void>((resolve) => {
      subscriber.script((request) => {
        accepted.push(eventOf(request))
        resolve()
        return { after: held }
      })
    })
    await registry.call('POST', '/brand', { ...privateBrand, displayName: 'Acme last' })
    await taken
    await registry.kill()
    release()
    subscriber.script((request) => {
      accepted.push(eventOf(request))
      return {}
    })
    await registry.start()
    const isAllDelivered = async () => {
      await turnClock()
      const events = await history()
      // Each brand is told about when it is added and when it is scored.
      return (
        events.length === 2 * (await countBrands()) &&
        events.every(({ state }) => state === 'delivered')
      )
    }
    await waitUntil('everything is delivered', isAllDelivered, LIMIT_MS, () => accepted)

    const inOrder = (await history()).map(({ eventId }) => eventId)
    const received = accepted.map(({ eventId }) => eventId)
    expect(received.filter((id, index) => received.indexOf(id) === index)).toEqual(inOrder)
    // Only what was on its way at the second death came twice, and then at once.
    expect(received.filter((id, index) => id !== received[index - 1])).toEqual(inOrder)
    expect(received.length - inOrder.length).toBe(1)
    const added = accepted.filter(({ eventType }) => eventType === 'BRAND_ADD')
    const told = new Set(added.map(({ brandId }) => brandId))
    expect([...promised].filter((brandId) => !told.has(brandId))).toEqual([])
    expect(told.size).toBe(await countBrands())
  })
})
