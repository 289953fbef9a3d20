import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { reportingMemory } from '../support/process/collected-memory.js'
import { idleMemory } from '../support/process/idle-memory.js'
import { errorsIn, pidsOf } from '../support/process/process-memory.js'
import { tempFolder } from '../support/process/temp-folder.js'
import { type RunningTrunkline, startTrunkline } from '../support/process/trunkline.js'
import { reportRow } from '../support/rows/rows.js'
import { goodCalls, p95, placeGoodCall } from '../support/sip/good-calls.js'
import { pick, SIP_CORPUS } from '../support/sip/sip-corpus.js'
import { mutate, seededRandom } from '../support/sip/sip-fuzz.js'
import { openUdpPeer } from '../support/sip/udp-peer.js'
import { paced } from '../support/time/paced.js'
import { startVoiceApp, type VoiceApp } from '../support/voice/voice-app.js'

const SEED = Number(process.env['SIP_FUZZ_SEED'] ?? 20_261_121)
const MESSAGES = 20_000
const PER_SECOND = 500
const GROWTH_MB = 20
const SERVICE = '15551112222'

const reports = tempFolder()
let trunkline: RunningTrunkline
let app: VoiceApp

beforeAll(async () => {
  // Without a limit, so that every message reaches what lies behind it.
  trunkline = await startTrunkline({
    SIP_SOURCE_RATE: '1000000',
    LOG_LEVEL: 'warn',
    ...reportingMemory(reports.path),
  })
  app = await startVoiceApp()
  app.page('/voice', '<Say>Hello.</Say><Pause length="10"/>')
  await trunkline.assignNumber(`+${SERVICE}`, { voiceUrl: `${app.url}/voice` })
})
afterAll(async () => {
  await app[Symbol.asyncDispose]()
  await trunkline[Symbol.asyncDispose]()
  reports[Symbol.dispose]()
})

const memory = () => idleMemory(trunkline, reports.path)

describe('mutated messages', () => {
  it('neither end it, nor slow it, nor stay in memory [A2]', async ({ task }) => {
    const pids = pidsOf(trunkline)
    const random = seededRandom(SEED)
    const volley = async (messages: number): Promise<void> => {
      await using peer = await openUdpPeer()
      await paced(messages, PER_SECOND, () => {
        peer.send(mutate(pick(SIP_CORPUS, random), random), trunkline.sipPort)
        peer.received.length = 0
      })
    }
    // What is compiled and cached once is no growth.
    await volley(2_000)
    await placeGoodCall(trunkline, SERVICE)
    const before = await memory()
    await trunkline.metrics()

    const probes = goodCalls(trunkline, SERVICE, {
      everyMs: 5_000,
      forMs: (MESSAGES / PER_SECOND) * 1_000,
    })
    await volley(MESSAGES)
    const { lab_loop_p99_seconds: loopP99 = Number.NaN } = await trunkline.metrics()
    const loopP99Ms = loopP99 * 1_000
    const { placed, answeredMs, failures } = await probes
    const after = await memory()
    // The allocators have their working size now; what grows again grows without end.
    await volley(MESSAGES)
    const again = await memory()

    const shown = (name: 'server' | 'lab', kind: 'heap' | 'outside' | 'resident') =>
      [before, after, again].map((reading) => reading[name][kind]).join(' → ')
    reportRow(task, 'A2', {
      messages: MESSAGES,
      'probe calls': `${answeredMs.length} of ${placed}`,
      'probe p95 ms': p95(answeredMs),
      'lab loop p99 ms': loopP99Ms,
      'lab heap MB': shown('lab', 'heap'),
      'lab outside heap MB': shown('lab', 'outside'),
      'lab resident MB': shown('lab', 'resident'),
      'server heap MB': shown('server', 'heap'),
      'server outside heap MB': shown('server', 'outside'),
      'server resident MB': shown('server', 'resident'),
      seed: SEED,
    })
    expect(failures).toEqual([])
    expect(pidsOf(trunkline)).toEqual(pids)
    expect(errorsIn(trunkline)).toEqual([])
    expect(loopP99Ms).toBeLessThan(50)
    for (const name of ['lab', 'server'] as const) {
      const held = (reading: typeof before) => reading[name].heap + reading[name].outside
      expect(held(after) - held(before), name).toBeLessThan(GROWTH_MB)
      expect(held(again) - held(before), name).toBeLessThan(GROWTH_MB)
      expect(again[name].resident - after[name].resident, name).toBeLessThan(GROWTH_MB)
    }
  })
})
