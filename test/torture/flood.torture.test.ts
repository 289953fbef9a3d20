import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { expectNothingLeft } from '../support/process/nothing-left.js'
import { errorsIn, pidsOf, residentMb } from '../support/process/process-memory.js'
import { type RunningTrunkline, startTrunkline } from '../support/process/trunkline.js'
import { reportRow } from '../support/rows/rows.js'
import { goodCalls, p95 } from '../support/sip/good-calls.js'
import { paced } from '../support/time/paced.js'
import { waitUntil } from '../support/time/wait-until.js'
import { startVoiceApp, type VoiceApp } from '../support/voice/voice-app.js'

const PER_SECOND = 2_000
const SECONDS = 60
const SERVICE = '15551112222'
/** Loopback too: another address, to which the ordinary limit applies and no rule against strangers. */
const STRANGER = '127.0.0.9'
const GOOD = { everyMs: 500, forMs: SECONDS * 1_000 }

let trunkline: RunningTrunkline
let app: VoiceApp

beforeAll(async () => {
  trunkline = await startTrunkline({ LOG_LEVEL: 'warn' })
  app = await startVoiceApp()
  app.page('/voice', '<Say>Hello.</Say><Pause length="10"/>')
  await trunkline.assignNumber(`+${SERVICE}`, { voiceUrl: `${app.url}/voice` })
})
afterAll(async () => {
  await app[Symbol.asyncDispose]()
  await trunkline[Symbol.asyncDispose]()
})

type Flood = (index: number, port: number) => readonly string[]

const invite: Flood = (index, port) => [
  `INVITE sip:15550000000@127.0.0.1:${trunkline.sipPort} SIP/2.0`,
  `Via: SIP/2.0/UDP ${STRANGER}:${port};branch=z9hG4bKflood${index}`,
  'Max-Forwards: 70',
  `From: <sip:flood@${STRANGER}>;tag=${index}`,
  'To: <sip:15550000000@127.0.0.1>',
  `Call-ID: flood-${index}`,
  'CSeq: 1 INVITE',
  `Contact: <sip:flood@${STRANGER}:${port}>`,
]

/** A 200 to an INVITE that nobody sent, which once was acknowledged and hung up wherever it said. */
const forgedAnswer: Flood = (index, port) => [
  'SIP/2.0 200 OK',
  `Via: SIP/2.0/UDP 127.0.0.1:${trunkline.sipPort};rport;branch=z9hG4bKforged${index}`,
  `From: <sip:us@127.0.0.1>;tag=${index}`,
  `To: <sip:flood@${STRANGER}>;tag=flood`,
  `Call-ID: forged-${index}`,
  'CSeq: 1 INVITE',
  `Contact: <sip:flood@${STRANGER}:${port}>`,
  `Record-Route: <sip:${STRANGER}:${port};transport=tcp;lr>`,
]

async function flood(count: number, of: Flood = invite): Promise<{ readonly answers: number }> {
  const socket = createSocket('udp4')
  socket.bind(0, STRANGER)
  await once(socket, 'listening')
  const { port } = socket.address()
  let answers = 0
  socket.on('message', () => {
    answers++
  })
  await paced(count, PER_SECOND, (index) => {
    const text = [...of(index, port), 'Content-Length: 0', '', ''].join('\r\n')
    socket.send(text, trunkline.sipPort, '127.0.0.1')
  })
  const closed = once(socket, 'close')
  socket.close()
  await closed
  return { answers }
}

describe('a flood of INVITEs from one address', () => {
  it('costs no other caller a call, and is forgotten [B13]', async ({ task }) => {
    const pids = pidsOf(trunkline)
    const memory = () => residentMb(pids.server) + residentMb(pids.lab)
    const memories = () => `${residentMb(pids.server)}+${residentMb(pids.lab)}`
    // What is compiled and cached once is neither slowness nor growth.
    await flood(2 * PER_SECOND)
    await goodCalls(trunkline, SERVICE, { everyMs: 500, forMs: 5_000 })
    const idle = { everyMs: 500, forMs: 15_000 }
    const idleBefore = await goodCalls(trunkline, SERVICE, idle)
    await expectNothingLeft(trunkline)
    const before = memory()
    const memoriesBefore = memories()

    const [good, { answers }] = await Promise.all([
      goodCalls(trunkline, SERVICE, GOOD),
      flood(PER_SECOND * SECONDS),
    ])
    await expectNothingLeft(trunkline)
    const { lab_requests_limited: limited = 0 } = await trunkline.metrics()
    const memoriesAfter = memories()
    const isBack = () => memory() < before + 10
    const back = await waitUntil('memory is back', isBack, 60_000, memory).then(
      () => 'yes',
      () => 'no',
    )
    // Other work of the machine comes and goes: what is idle is measured on both sides.
    const idleAfter = await goodCalls(trunkline, SERVICE, idle)
    const idleP95 = Math.max(p95(idleBefore.answeredMs), p95(idleAfter.answeredMs))
    reportRow(task, 'B13', {
      'INVITEs of the flood': PER_SECOND * SECONDS,
      'of them not admitted': limited,
      'answers to them': answers,
      'good calls': `${good.answeredMs.length} of ${good.placed}`,
      'p95 ms idle, flooded': `${idleP95}, ${p95(good.answeredMs)}`,
      'server and lab MB': `${memoriesBefore} → ${memoriesAfter}, later ${memories()}`,
    })
    expect(good.failures).toEqual([])
    expect(errorsIn(trunkline)).toEqual([])
    expect(p95(good.answeredMs)).toBeLessThan(Math.max(100, 3 * idleP95))
    expect(limited).toBeGreaterThan((PER_SECOND * SECONDS) / 2)
    expect(back).toBe('yes')
  })
})

describe('a flood of answers to INVITEs that nobody sent', () => {
  it('is not answered with a byte, and costs no other caller a call [B13]', async ({ task }) => {
    const seconds = SECONDS / 2
    const before = await trunkline.metrics()
    const [good, { answers }] = await Promise.all([
      goodCalls(trunkline, SERVICE, { everyMs: 500, forMs: seconds * 1_000 }),
      flood(PER_SECOND * seconds, forgedAnswer),
    ])
    await expectNothingLeft(trunkline)
    const after = await trunkline.metrics()
    const counted = (after['lab_stray_responses'] ?? 0) - (before['lab_stray_responses'] ?? 0)
    const limited = (after['lab_requests_limited'] ?? 0) - (before['lab_requests_limited'] ?? 0)
    reportRow(task, 'B13', {
      'forged answers': PER_SECOND * seconds,
      'of them counted': counted,
      'answers to them': answers,
      'good calls beside them': `${good.answeredMs.length} of ${good.placed}`,
    })
    expect(answers).toBe(0)
    expect(good.failures).toEqual([])
    expect(errorsIn(trunkline)).toEqual([])
    expect(counted).toBeGreaterThan((PER_SECOND * seconds) / 2)
    expect(limited).toBeGreaterThan((PER_SECOND * seconds) / 2)
  })
})
