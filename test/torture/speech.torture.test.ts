import { expect, it } from 'vitest'
import { type RunningTrunkline, startTrunkline } from '../support/process/trunkline.js'
import { reportRow } from '../support/rows/rows.js'
import { SipPeer } from '../support/sip/sip-peer.js'
import { startVoiceApp, type VoiceApp } from '../support/voice/voice-app.js'

const SERVICES = { ours: '15551112222', theirs: '15553334444' }
const LONG = 3_000
const SHORT = 40
const TRIES = 7
const MOST = 1.5
const WORDS =
  'your call is important to us, and we shall answer it as soon as one of us is free again; until then please hold the line. '

let texts = 0
/** A text that was never spoken before. */
function newText(length: number): string {
  texts += 1
  return `${String(texts)} ${WORDS.repeat(length)}`.slice(0, length)
}

interface Speaking extends Disposable {
  /** From the request for the document to the first sound. */
  readonly startMs: number
}

/** A call that hears a new text of that length from its document on. */
async function hearSay(
  trunkline: RunningTrunkline,
  app: VoiceApp,
  service: keyof typeof SERVICES,
  length: number,
): Promise<Speaking> {
  // The pause keeps what a call costs by itself apart from what its Say costs.
  app.page(`/${service}`, '<Pause length="1"/><Redirect>/say</Redirect>')
  app.page('/say', `<Say>${newText(length)}</Say><Pause length="60"/>`)
  const asked = () => app.sink.requests.filter(({ target }) => target === '/say').length
  const before = asked()
  const peer = await SipPeer.open()
  const call = peer.call(trunkline.sipPort, { user: SERVICES[service] })
  await call.response(200, 'INVITE', 20_000)
  await expect.poll(asked, { interval: 2 }).toBeGreaterThan(before)
  const startedAt = performance.now()
  await expect.poll(() => peer.rtp.isQuiet(), { interval: 2, timeout: 60_000 }).toBe(false)
  return {
    startMs: performance.now() - startedAt,
    [Symbol.dispose]: () => {
      call.bye()
      peer.close()
    },
  }
}

const median = (values: readonly number[]) =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN

it('a long Say begins as soon as a short one, and a short one beside four long ones of another account [speech]', async ({
  task,
}) => {
  await using app = await startVoiceApp()
  await using trunkline = await startTrunkline({ LOG_LEVEL: 'warn' })
  await trunkline.assignNumber(`+${SERVICES.ours}`, { voiceUrl: `${app.url}/ours` })
  const other = await trunkline.adminApi('POST', '/accounts', { friendlyName: 'other' })
  const number = `/numbers/${encodeURIComponent(`+${SERVICES.theirs}`)}`
  const assigned = await trunkline.adminApi('PUT', number, {
    accountSid: other.body['accountSid'],
    voiceUrl: `${app.url}/theirs`,
  })
  expect(assigned.status).toBe(200)
  const hear = (service: keyof typeof SERVICES, length: number) =>
    hearSay(trunkline, app, service, length)
  const once = async (length: number) => {
    using speaking = await hear('ours', length)
    return speaking.startMs
  }

  await once(SHORT) // The engine's thread starts; not counted.
  const alone: number[] = []
  const long: number[] = []
  const beside: number[] = []
  for (let index = 0; index < TRIES; index += 1) {
    alone.push(await once(SHORT))
    long.push(await once(LONG))
    const others: Speaking[] = []
    for (let count = 0; count < 4; count += 1) others.push(await hear('theirs', LONG))
    beside.push(await once(SHORT))
    for (const each of others) each[Symbol.dispose]()
  }
  const ratio = (values: readonly number[]) => median(values) / median(alone)
  reportRow(task, 'speech', {
    'a short Say alone starts after, ms': Math.round(median(alone)),
    'a long one, as many times that': ratio(long).toFixed(2),
    'a short one beside four long ones of another account': ratio(beside).toFixed(2),
  })
  process.stderr.write(
    `short ${median(alone).toFixed(0)} ms, long ×${ratio(long).toFixed(2)}, beside ×${ratio(beside).toFixed(2)}\n`,
  )
  expect(ratio(long)).toBeLessThanOrEqual(MOST)
  expect(ratio(beside)).toBeLessThanOrEqual(MOST)
})
