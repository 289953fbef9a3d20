import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { goodCalls, p95, placeGoodCall } from '../support/good-calls.js'
import { expectNothingLeft } from '../support/nothing-left.js'
import { paced } from '../support/paced.js'
import { errorsIn, pidsOf, residentMb } from '../support/process-memory.js'
import { reportRow } from '../support/rows.js'
import { pick, SIP_CORPUS } from '../support/sip-corpus.js'
import { mutate, seededRandom } from '../support/sip-fuzz.js'
import { type RunningTrunkline, startTrunkline } from '../support/trunkline.js'
import { openUdpPeer } from '../support/udp-peer.js'
import { startVoiceApp, type VoiceApp } from '../support/voice-app.js'
import { waitUntil } from '../support/wait-until.js'

const SEED = Number(process.env['SIP_FUZZ_SEED'] ?? 20_261_121)
const MESSAGES = 20_000
const PER_SECOND = 500
const GROWTH_MB = 20
const SERVICE = '15551112222'

let trunkline: RunningTrunkline
let app: VoiceApp

beforeAll(async () => {
  // Without a limit, so that every message reaches what lies behind it.
  trunkline = await startTrunkline({ SIP_SOURCE_RATE: '1000000', LOG_LEVEL: 'warn' })
  app = await startVoiceApp()
  app.page('/voice', '<Say>Hello.</Say><Pause length="10"/>')
  await trunkline.assignNumber(`+${SERVICE}`, { voiceUrl: `${app.url}/voice` })
})
afterAll(async () => {
  await app[Symbol.asyncDispose]()
  await trunkline[Symbol.asyncDispose]()
})

describe('mutated messages', () => {
  it('neither end it, nor slow it, nor stay in memory [A2]', async ({ task }) => {
    const { server, lab } = pidsOf(trunkline)
    await using peer = await openUdpPeer()
    const random = seededRandom(SEED)
    const send = () => {
      peer.send(mutate(pick(SIP_CORPUS, random), random), trunkline.sipPort)
      peer.received.length = 0
    }
    // What is compiled and cached once is no growth.
    await paced(2_000, PER_SECOND, send)
    await placeGoodCall(trunkline, SERVICE)
    await expectNothingLeft(trunkline)
    const before = { lab: residentMb(lab), server: residentMb(server) }
    await trunkline.metrics()

    const probes = goodCalls(trunkline, SERVICE, {
      everyMs: 5_000,
      forMs: (MESSAGES / PER_SECOND) * 1_000,
    })
    await paced(MESSAGES, PER_SECOND, send)
    const { lab_loop_p99_ms: loopP99Ms = Number.NaN } = await trunkline.metrics()
    const { placed, answeredMs, failures } = await probes
    await expectNothingLeft(trunkline)

    // What was garbage at that moment is none a little later; what stays has leaked.
    const isBack = () =>
      residentMb(lab) < before.lab + GROWTH_MB && residentMb(server) < before.server + GROWTH_MB
    await waitUntil('memory is back', isBack, 60_000).catch(() => undefined) // judged below
    const after = { lab: residentMb(lab), server: residentMb(server) }
    reportRow(task, 'A2', {
      messages: MESSAGES,
      'probe calls': `${answeredMs.length} of ${placed}`,
      'probe p95 ms': p95(answeredMs),
      'lab loop p99 ms': loopP99Ms,
      'lab MB': `${before.lab} → ${after.lab}`,
      'server MB': `${before.server} → ${after.server}`,
      seed: SEED,
    })
    expect(failures).toEqual([])
    expect(pidsOf(trunkline)).toEqual({ server, lab })
    expect(errorsIn(trunkline)).toEqual([])
    expect(loopP99Ms).toBeLessThan(50)
    expect(after.lab - before.lab).toBeLessThan(GROWTH_MB)
    expect(after.server - before.server).toBeLessThan(GROWTH_MB)
  })
})
