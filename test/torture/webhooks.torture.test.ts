import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { expect, it } from 'vitest'
import { HttpSink, type SinkAnswer } from '../support/http/http-sink.js'
import { PRIVATE_SPELLINGS } from '../support/http/private-spellings.js'
import { type RunningTrunkline, startTrunkline } from '../support/process/trunkline.js'
import { reportRow } from '../support/rows/rows.js'
import { waitUntil } from '../support/time/wait-until.js'
import { startVoiceApp } from '../support/voice/voice-app.js'

const MARKUP = { headers: { 'content-type': 'text/xml' }, body: '<Response/>' }
/** All but names that only a test's own name server knows. */
const SPELLINGS = PRIVATE_SPELLINGS.filter((spelling) => !spelling.includes('.test:'))
/** Spellings tried at the same time, each in five calls. */
const AT_ONCE = 20
const EVENTS = 'initiated ringing answered completed'
/** What is asked for so often is no abuse here. */
const OFTEN = { CALLS_PER_SECOND: '100', HTTP_REQUESTS_PER_SECOND: '100000' }
const ends = { To: '+15005550002', From: '+15005550000' }

async function codesOf(trunkline: RunningTrunkline, sid: string): Promise<readonly unknown[]> {
  const { body } = await trunkline.api('GET', `/Calls/${sid}/Events.json?PageSize=200`)
  const events = body['events'] as readonly { detail: Record<string, unknown> }[]
  return events.map(({ detail }) => detail['code']).filter((code) => code !== undefined)
}

/** A server that takes connections and says nothing, so that TLS never comes up. */
async function muteServer(): Promise<AsyncDisposable & { readonly port: number }> {
  const sockets: Socket[] = []
  const server = createServer((socket) => sockets.push(socket.on('error', () => undefined)))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port, // a TCP server has one
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

it('a hanging application: its fallback is asked at 10 s, or 15 s once connected [D30]', async ({
  task,
}) => {
  await using trunkline = await startTrunkline()
  await using app = await startVoiceApp()
  await using mute = await muteServer()
  const hanging = (hang: 'headers' | 'body'): SinkAnswer => ({ ...MARKUP, hang })
  app.page('/headers', '', hanging('headers'))
  app.page('/body', '', hanging('body'))
  const cases = [
    ['connect', `https://127.0.0.1:${String(mute.port)}/`, 10_000, '11201'],
    ['headers', `${app.url}/headers`, 15_000, '11203'],
    ['body', `${app.url}/body`, 15_000, '11203'],
  ] as const
  const asked = await Promise.all(
    cases.map(async ([name, url, ms, code]) => {
      const fallback = `/fallback-${name}`
      const begun = `/begun-${name}`
      app.page(begun, `<Redirect>${url}</Redirect>`)
      app.page(fallback, '<Hangup/>')
      await trunkline.createCall({
        ...ends,
        Url: `${app.url}${begun}`,
        FallbackUrl: `${app.url}${fallback}`,
      })
      await app.asked(begun)
      const startedAt = performance.now()
      expect(await app.asked(fallback)).toMatchObject({ ErrorCode: code })
      return [`${name}, s`, (performance.now() - startedAt) / 1_000, ms / 1_000] as const
    }),
  )
  reportRow(task, 'D30', Object.fromEntries(asked.map(([name, s]) => [name, s.toFixed(2)])))
  for (const [name, seconds, wanted] of asked)
    expect(Math.abs(seconds - wanted), name).toBeLessThan(0.5)
})

it('kill -9 between commit and POST of 200 callbacks: each arrives, in order of its call [D32]', async ({
  task,
}) => {
  const calls = 50
  await using sink = await HttpSink.start()
  let isTaken = false
  sink.script(() => (isTaken ? { status: 204 } : { hang: 'headers' }))
  await using trunkline = await startTrunkline(OFTEN)
  const sids = await Promise.all(
    Array.from({ length: calls }, async () => {
      const form = { ...ends, Markup: '<Response/>', StatusCallback: sink.url }
      return (await trunkline.createCall({ ...form, StatusCallbackEvent: EVENTS })).sid
    }),
  )
  for (const sid of sids)
    await waitUntil(
      'the end of each call',
      async () => (await trunkline.fetchCall(sid)).status === 'completed',
      60_000,
    )
  const before = sink.requests.length
  const exited = once(trunkline.server.process, 'exit')
  trunkline.server.process.kill('SIGKILL')
  await exited
  sink.cut()
  isTaken = true
  await using _again = await startTrunkline({
    DATA_DIR: `${trunkline.folder}/data`,
    FIRST_ACCOUNT_SID: trunkline.account.sid,
    FIRST_ACCOUNT_TOKEN: trunkline.account.secret,
  })
  const arrived = () => sink.requests.slice(before)
  const tokens = () =>
    new Set(arrived().map(({ headers }) => headers['i-twilio-idempotency-token']))
  await waitUntil(
    'each callback',
    () => tokens().size === 4 * calls,
    60_000,
    () => tokens().size,
  )
  for (const sid of sids) {
    const statuses = arrived()
      .map(({ params }) => new Map(params))
      .filter((params) => params.get('CallSid') === sid)
      .map((params) => params.get('CallStatus'))
    expect([...new Set(statuses)]).toEqual(['initiated', 'ringing', 'in-progress', 'completed'])
  }
  reportRow(task, 'D32', { callbacks: tokens().size, requests: arrived().length })
})

it('no spelling of a private address in any URL of a call reaches a listener [C25]', async ({
  task,
}) => {
  await using canary = await HttpSink.start()
  // Listening on every address, the server is nobody's desk, and private addresses are refused.
  await using trunkline = await startTrunkline({ HTTP_HOST: '0.0.0.0', ...OFTEN })
  const document = (verbs: string) => ({ Markup: `<Response>${verbs}</Response>` })
  const kinds: readonly ((url: string, xml: string) => Readonly<Record<string, string>>)[] = [
    (url) => ({
      Url: url,
      FallbackUrl: url,
      StatusCallback: url,
      StatusCallbackEvent: EVENTS,
      MachineDetection: 'Enable',
      AsyncAmd: 'true',
      AsyncAmdStatusCallback: url,
      Record: 'true',
      RecordingStatusCallback: url,
    }),
    (_url, xml) => document(`<Gather timeout="1" actionOnEmptyResult="true" action="${xml}"/>`),
    (_url, xml) => document(`<Play>${xml}</Play>`),
    (_url, xml) => document(`<Redirect>${xml}</Redirect>`),
    () => document('<Pause length="30"/>'),
  ]
  const refusedAtOnce: unknown[] = []
  const refusedLater: (readonly unknown[])[] = []
  const tryOut = async (spelling: string): Promise<void> => {
    const url = spelling.replace('PORT', String(canary.port))
    const xml = url.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')
    const answers = await Promise.all(
      kinds.map((form) => trunkline.api('POST', '/Calls.json', { ...ends, ...form(url, xml) })),
    )
    const live = answers.at(-1)?.body['sid']
    if (typeof live === 'string') {
      await waitUntil(
        'the call is up',
        async () => (await trunkline.fetchCall(live)).status === 'in-progress',
        60_000,
      )
      const changed = await trunkline.api('POST', `/Calls/${live}.json`, { Url: url })
      if (changed.status !== 200) {
        refusedAtOnce.push(changed.body['code'])
        await trunkline.api('POST', `/Calls/${live}.json`, { Status: 'completed' })
      }
    }
    for (const { status, body } of answers) {
      if (status !== 201) refusedAtOnce.push(body['code'])
      const { sid } = body
      if (typeof sid !== 'string') continue
      await waitUntil(
        `the end of a call for ${url}`,
        async () => (await trunkline.fetchCall(sid)).status === 'completed',
        120_000,
      )
      const codes = await codesOf(trunkline, sid)
      if (sid !== live || codes.length > 0) refusedLater.push([...codes, url])
    }
  }
  for (let first = 0; first < SPELLINGS.length; first += AT_ONCE)
    await Promise.all(SPELLINGS.slice(first, first + AT_ONCE).map(tryOut))
  expect(canary.connections).toBe(0)
  const known = new Set<unknown>([11100, 11210, 15003, 15004, 21205, 21609, 21213])
  expect(refusedAtOnce.filter((code) => !known.has(code))).toEqual([])
  expect(refusedLater.filter((codes) => !codes.some((code) => known.has(code)))).toEqual([])
  reportRow(task, 'C25', {
    spellings: SPELLINGS.length,
    'refused at once': refusedAtOnce.length,
    'refused when used': refusedLater.length,
    'connections at the canary': canary.connections,
  })
})
