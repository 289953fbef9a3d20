import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { type RunningTrunkline, startTrunkline } from '../support/process/trunkline.js'
import { waitUntil } from '../support/time/wait-until.js'
import { startVoiceApp } from '../support/voice/voice-app.js'

/** No address may be contacted: the number that the event log gives for it. */
const NOT_CONTACTED = 11210

type Detail = Readonly<Record<string, unknown>>

async function eventsOf(trunkline: RunningTrunkline, sid: string) {
  const { body } = await trunkline.api('GET', `/Calls/${sid}/Events.json?PageSize=200`)
  return body['events'] as readonly { readonly kind: string; readonly detail: Detail }[]
}

/** Places a call whose markup is at `url` and resolves with the errors in its event log once it is over. */
async function errorsOf(trunkline: RunningTrunkline, form: Readonly<Record<string, string>>) {
  const { sid } = await trunkline.createCall({ To: '+15005550002', From: '+15005550000', ...form })
  const isOver = async () => (await trunkline.fetchCall(sid)).status === 'completed'
  await waitUntil(`the end of ${sid}`, isOver, 30_000)
  const events = await eventsOf(trunkline, sid)
  return events.filter(({ kind }) => kind === 'error' || kind === 'warning')
}

/** Log lines that say that an address was not contacted. */
const refusals = (trunkline: RunningTrunkline) =>
  trunkline.server
    .log()
    .split('\n')
    .filter((line) => line.includes('private listener'))

// Each test waits for what its callers are told in the end.
vi.setConfig({ maxConcurrency: 3 })

/** A server as it is without any setting of addresses; those with one have a server of their own. */
let usual: RunningTrunkline
beforeAll(async () => {
  usual = await startTrunkline()
})
afterAll(() => usual[Symbol.asyncDispose]())

describe.concurrent('private addresses are closed to webhooks as soon as strangers may reach the server', () => {
  it.each([
    ['PUBLIC_URL', 'https://voice.example.com'],
    ['TRUSTED_PROXIES', '127.0.0.1/32'],
    ['WEBHOOK_ALLOW_CIDRS', '10.0.0.0/8'],
  ])('%s is set', async (name, value) => {
    await using app = await startVoiceApp()
    await using trunkline = await startTrunkline({ WEBHOOK_ALLOW_CIDRS: '', [name]: value })
    const errors = await errorsOf(trunkline, { Url: `${app.url}/voice` })
    expect(errors.map(({ detail }) => detail['code'])).toContain(NOT_CONTACTED)
    expect(app.sink.requests).toEqual([])
  })

  it('nothing is set: a webhook on this machine is asked', async () => {
    await using app = await startVoiceApp()
    expect(await errorsOf(usual, { Url: `${app.url}/voice` })).toEqual([])
    expect(app.sink.requests).toHaveLength(1)
  })
})

describe.concurrent('the private listener is no target of a customer', () => {
  async function expectRefused(trunkline: RunningTrunkline): Promise<void> {
    await using app = await startVoiceApp()
    const { port } = new URL(trunkline.admin)
    app.page('/away', '', { status: 302, headers: { location: `${trunkline.admin}/metrics` } })
    const targets = [
      `${trunkline.admin}/metrics`,
      `http://0.0.0.0:${port}/metrics`,
      `http://localhost:${port}/metrics`,
      `http://[::ffff:127.0.0.1]:${port}/metrics`,
      `${app.url}/away`,
    ]
    const judge = async (Url: string) => {
      const errors = await errorsOf(trunkline, { Url, Method: 'GET' })
      const codes = errors.map(({ detail }) => detail['code'])
      // 401 would say that the listener was asked.
      expect(codes, `${Url}: ${JSON.stringify(errors)}`).toContain(NOT_CONTACTED)
    }
    const judgeVerb = async ([verb, markup]: readonly [string, string]) => {
      const errors = await errorsOf(trunkline, { Markup: `<Response>${markup}</Response>` })
      expect(errors, verb).not.toEqual([])
      // A port of five digits may have these three.
      expect(JSON.stringify(errors), verb).not.toMatch(/\b401\b/)
    }
    const verbs = [
      ['Play', `<Play>${trunkline.admin}/metrics</Play>`],
      ['Stream', `<Connect><Stream url="ws://127.0.0.1:${port}/metrics"/></Connect>`],
    ] as const
    // The first of all: a line of the log has no name of the call.
    await errorsOf(trunkline, {
      Markup: `<Response><Dial><Sip>sip:a@127.0.0.1:${port};transport=tcp</Sip></Dial></Response>`,
    })
    await waitUntil('its refusal is logged', () => refusals(trunkline).length > 0, 20_000)
    expect(refusals(trunkline)).toHaveLength(1)
    await Promise.all([...targets.map(judge), ...verbs.map(judgeVerb)])
  }

  it('by default', async () => {
    await expectRefused(usual)
  })

  it('whatever the list of allowed ranges says', async () => {
    await using trunkline = await startTrunkline({ WEBHOOK_ALLOW_CIDRS: '0.0.0.0/0,::/0' })
    await expectRefused(trunkline)
  })
})

describe.concurrent('gateways and access lists have public addresses', () => {
  /** What the account API says of a private address in each place. */
  async function statusesOf({ http, account }: RunningTrunkline) {
    const post = async (path: string, body: unknown) => {
      const { status } = await fetch(`${http}/v2.2${path}`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${account.secret}`,
          'content-type': 'application/json',
        },
        body: JSON.stringify(body),
      })
      return status
    }
    return {
      gateway: await post('/gateways', { gateway: '127.0.0.1:5080' }),
      accessList: await post('/acl', { acl: [{ cidr: '127.0.0.1/32' }] }),
    }
  }

  it('a private one is refused though webhooks may go there', async () => {
    expect(await statusesOf(usual)).toEqual({ gateway: 400, accessList: 409 })
  })

  it('a private one is taken in a range that the operator names', async () => {
    await using trunkline = await startTrunkline({ WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8' })
    expect(await statusesOf(trunkline)).toEqual({ gateway: 201, accessList: 200 })
  })
})
