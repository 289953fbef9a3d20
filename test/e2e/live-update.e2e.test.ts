import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { expectNothingLeft } from '../support/process/nothing-left.js'
import { joinTrunkline } from '../support/process/shared-trunkline.js'
import type { RunningTrunkline } from '../support/process/trunkline.js'
import { type PeerCall, SipPeer } from '../support/sip/sip-peer.js'
import { toneWav } from '../support/sound/wav-bytes.js'
import { waitUntil } from '../support/time/wait-until.js'
import { startVoiceApp, type VoiceApp } from '../support/voice/voice-app.js'

const LIMIT_MS = 20_000
/**
 * 200 ms are wanted; a machine that does other work as well takes longer, and is not to blame. A webhook
 * that hangs would end by itself after fifteen seconds.
 */
const GENEROUS_MS = 10_000
const NEW_TONE = 1_200

let trunkline: RunningTrunkline
let app: VoiceApp
let party: SipPeer
let other: SipPeer
const figures: string[] = []

beforeAll(async () => {
  trunkline = await joinTrunkline()
  app = await startVoiceApp()
  ;[party, other] = await Promise.all([SipPeer.open(), SipPeer.open()])
  app.page('/new.wav', '', {
    headers: { 'content-type': 'audio/wav' },
    body: toneWav(NEW_TONE, 20),
  })
  app.page('/new', newDocument())
  app.page('/slow', '', { hang: 'headers' })
  // What is measured is the update, not the first fetch of the audio that it plays.
  const { sid } = await trunkline.createCall({
    To: '+15005550009',
    From: '+15551112222',
    StatusCallback: `${app.url}/status`,
    ...markup(newDocument()),
  })
  await app.completed(sid)
})
afterAll(async () => {
  process.stdout.write(`live updates, until heard or seen on the wire:\n${figures.join('\n')}\n`)
  for (const peer of [party, other]) peer.close()
  await app[Symbol.asyncDispose]()
  await trunkline[Symbol.asyncDispose]()
})

const newDocument = () => `<Play>${app.url}/new.wav</Play>`

interface Middle {
  /** Verbs, or the URL that the call asks. */
  readonly form: () => Readonly<Record<string, string>>
  /** Resolves once the call is in the middle of it. */
  readonly reached: (sid: string) => Promise<void>
}

const markup = (verbs: string) => ({ Markup: `<Response>${verbs}</Response>` })
const hears = (hz: number) => waitUntil(`${hz} Hz are heard`, () => party.rtp.hears(hz), LIMIT_MS)
/** The event log says that the verb began. */
const began = (verb: string) => async (sid: string) => {
  await waitUntil(
    `<${verb}> has begun`,
    async () => {
      const { body } = await trunkline.api('GET', `/Calls/${sid}/Events.json`)
      return JSON.stringify(body['events']).includes(`"verb":"${verb}"`)
    },
    LIMIT_MS,
  )
}

const MIDDLES: Readonly<Record<string, Middle>> = {
  Say: {
    form: () => markup(`<Say>${'This takes a long time to say. '.repeat(20)}</Say>`),
    reached: () => waitUntil('speech is heard', () => !party.rtp.isQuiet(), LIMIT_MS),
  },
  Play: {
    form: () => markup(`<Play loop="0">${app.url}/tone.wav</Play>`),
    reached: () => hears(440),
  },
  Gather: { form: () => markup('<Gather timeout="60"/>'), reached: began('Gather') },
  Pause: { form: () => markup('<Pause length="60"/>'), reached: began('Pause') },
  Dial: {
    form: () => markup(`<Dial><Sip>${other.uri('callee')}</Sip></Dial>`),
    reached: async () => {
      await waitUntil('the other is called', () => other.calls.length > 0, LIMIT_MS)
      await other.calls[0]?.answer()
      other.rtp.speak(900)
      await hears(900)
    },
  },
  'slow webhook': {
    form: () => ({ Url: `${app.url}/slow` }),
    reached: async (sid) => {
      await app.asked('/slow', sid)
    },
  },
}

const isHungUp = (call: PeerCall) => call.log.some(({ method }) => method === 'BYE')

const UPDATES: Readonly<
  Record<
    string,
    { form: () => Readonly<Record<string, string>>; seen: (call: PeerCall) => boolean }
  >
> = {
  Status: { form: () => ({ Status: 'completed' }), seen: isHungUp },
  Markup: { form: () => markup(newDocument()), seen: () => party.rtp.hears(NEW_TONE) },
  Url: { form: () => ({ Url: `${app.url}/new` }), seen: () => party.rtp.hears(NEW_TONE) },
}

describe.each(Object.keys(MIDDLES))('in the middle of %s', (name) => {
  it.each(Object.keys(UPDATES))('%s takes effect', async (updateName) => {
    const middle = MIDDLES[name]
    const update = UPDATES[updateName]
    if (middle === undefined || update === undefined) throw new Error('no such case')
    other.calls.length = 0
    // The sound of the call before is not that of this one.
    party.rtp.forget()
    const invited = party.nextCall(LIMIT_MS)
    const { sid } = await trunkline.createCall({
      To: party.uri('party'),
      From: '+15551112222',
      StatusCallback: `${app.url}/status`,
      ...middle.form(),
    })
    const call = await invited
    await call.answer()
    const talks = async () => (await trunkline.fetchCall(sid)).status === 'in-progress'
    await waitUntil('it talks', talks, LIMIT_MS)
    await middle.reached(sid)
    party.rtp.forget()
    const startedAt = performance.now()
    const answer = await trunkline.api('POST', `/Calls/${sid}.json`, update.form())
    expect(answer.status).toBe(200)
    await waitUntil(`${updateName} takes effect`, () => update.seen(call), GENEROUS_MS)
    figures.push(
      `  ${name.padEnd(12)} ${updateName.padEnd(6)} ${Math.round(performance.now() - startedAt)} ms`,
    )
    if (updateName !== 'Status') call.bye()
    await app.completed(sid)
    await expectNothingLeft(trunkline)
    const late = await trunkline.api('POST', `/Calls/${sid}.json`, markup('<Hangup/>'))
    expect(late).toMatchObject({ status: 400, body: { code: 21220 } })
  })
})
