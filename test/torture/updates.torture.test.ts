import { afterAll, beforeAll, expect, it } from 'vitest'
import { expectNothingLeft } from '../support/process/nothing-left.js'
import { errorsIn } from '../support/process/process-memory.js'
import { type RunningTrunkline, startTrunkline } from '../support/process/trunkline.js'
import { reportRow } from '../support/rows/rows.js'
import { waitUntil } from '../support/time/wait-until.js'
import { startVoiceApp, type VoiceApp } from '../support/voice/voice-app.js'

const CALLS = Number(process.env['UPDATE_CALLS'] ?? 2_000)
const AT_ONCE = 20
const SEED = Number(process.env['UPDATE_SEED'] ?? 20_261_120)
const LONGEST_WAIT_MS = 1_500
const TALKING_SHARE = 0.7
const LIMIT_MS = 900_000
const ENDED_MS = 60_000

let trunkline: RunningTrunkline
let app: VoiceApp

beforeAll(async () => {
  trunkline = await startTrunkline({
    CALLS_PER_SECOND: '500',
    // Whether a call is answered is asked as often as can be.
    HTTP_REQUESTS_PER_SECOND: '100000',
    LOG_LEVEL: 'warn',
  })
  app = await startVoiceApp()
  app.page('/next', '<Say>Next.</Say><Redirect method="POST">/next</Redirect>')
  app.page('/slow', '', { hang: 'headers' })
  app.page('/screen', '<Pause length="1"/>')
})
afterAll(async () => {
  await app[Symbol.asyncDispose]()
  await trunkline[Symbol.asyncDispose]()
})

/** mulberry32: the same numbers for the same seed. */
function randomOf(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** Answer and listen, echo, hang up themselves after 3 s, press keys, ring for ever, are busy. */
const PARTIES = ['0002', '0003', '0009', '0004', '0007', '0005'].map((end) => `+1500555${end}`)

function documents(): readonly Readonly<Record<string, string>>[] {
  const markup = (verbs: string) => ({ Markup: `<Response>${verbs}</Response>` })
  const dial = (inner: string, attributes = '') => markup(`<Dial ${attributes}>${inner}</Dial>`)
  return [
    markup(`<Say>${'A long sentence. '.repeat(10)}</Say>`),
    markup(`<Play loop="0">${app.url}/tone.wav</Play>`),
    markup(`<Gather timeout="30" action="${app.url}/next"><Say>Press.</Say></Gather>`),
    markup('<Pause length="30"/>'),
    markup('<Hangup/>'),
    dial('<Number>+15005550002</Number>'),
    dial('<Number>+15005550007</Number><Number>+15005550003</Number>'),
    dial('<Number>+15005550005</Number><Number>+15005550009</Number>', 'sequential="true"'),
    dial(`<Number url="${app.url}/screen">+15005550002</Number>`, `action="${app.url}/next"`),
    { Url: `${app.url}/next` },
    { Url: `${app.url}/slow` },
  ]
}

/** The first is none. */
const updates = (): readonly Readonly<Record<string, string>>[] => [
  {},
  { Status: 'completed' },
  { Status: 'canceled' },
  { Markup: '<Response><Say>Changed.</Say></Response>' },
  { Markup: '<Response><Dial><Number>+15005550003</Number></Dial></Response>' },
  { Url: `${app.url}/next` },
  { Url: `${app.url}/slow` },
]

const pick = <Item>(items: readonly Item[], random: () => number): Item => {
  const item = items[Math.floor(random() * items.length)]
  if (item === undefined) throw new Error('nothing to pick from')
  return item
}

/** One call, whatever happens to it; its sid. */
async function live(random: () => number): Promise<string> {
  const { sid } = await trunkline.createCall({
    To: pick(PARTIES, random),
    From: '+15005550000',
    Timeout: '5',
    StatusCallback: `${app.url}/status`,
    StatusCallbackEvent: 'initiated ringing answered completed',
    ...pick(documents(), random),
  })
  // Most of what can go wrong needs a call that talks.
  if (random() < TALKING_SHARE) await begun(sid)
  for (let changes = Math.floor(random() * 3); changes >= 0; changes -= 1) {
    await new Promise((resolve) => setTimeout(resolve, random() * LONGEST_WAIT_MS))
    await change(sid, pick(updates(), random))
  }
  await change(sid, { Status: 'completed' })
  return sid
}

/** Resolves once the call is answered, or over. */
async function begun(sid: string): Promise<void> {
  const isBegun = async () =>
    !['queued', 'ringing'].includes((await trunkline.fetchCall(sid)).status)
  await waitUntil(`${sid} is answered or over`, isBegun, ENDED_MS)
}

/** Taken, or refused as the documentation says of a call that is not in progress. */
async function change(sid: string, update: Readonly<Record<string, string>>): Promise<void> {
  if (Object.keys(update).length === 0) return
  const { status, body } = await trunkline.api('POST', `/Calls/${sid}.json`, update)
  if (status !== 200) expect({ status, code: body['code'] }).toEqual({ status: 400, code: 21220 })
}

it(
  'any verb × hang-up × update at any moment: one final status, one completed, nothing left [updates]',
  async ({ task }) => {
    reportRow(task, 'updates', { seed: SEED, calls: CALLS })
    const next = Array.from({ length: CALLS }, (_, index) => index).values()
    const sids: string[] = []
    const worker = async () => {
      for (const index of next) sids.push(await live(randomOf(SEED + index)))
    }
    await Promise.all(Array.from({ length: AT_ONCE }, worker))
    const finals: Record<string, number> = {}
    for (const sid of sids) {
      const callbacks = await app.completed(sid, ENDED_MS)
      const sequence = callbacks.map((params) => Number(params['SequenceNumber']))
      expect(sequence, sid).toEqual(sequence.map((_, index) => index))
      const ends = callbacks.filter((params) => params['CallDuration'] !== undefined)
      expect(ends, sid).toHaveLength(1)
      const { status } = await trunkline.fetchCall(sid)
      expect(callbacks.at(-1)?.['CallStatus'], sid).toBe(status)
      finals[status] = (finals[status] ?? 0) + 1
    }
    await expectNothingLeft(trunkline)
    reportRow(task, 'updates', finals)
    for (const status of ['queued', 'ringing', 'in-progress']) {
      const { body } = await trunkline.api('GET', `/Calls.json?Status=${status}`)
      expect(body['calls'], status).toEqual([])
    }
    expect(errorsIn(trunkline)).toEqual([])
  },
  LIMIT_MS,
)
