import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { expectNothingLeft } from '../support/process/nothing-left.js'
import { type RunningTrunkline, startTrunkline } from '../support/process/trunkline.js'
import { reportRow } from '../support/rows/rows.js'
import { goodCalls, p95 } from '../support/sip/good-calls.js'
import { openTcpPeer } from '../support/sip/tcp-peer.js'
import { waitUntil } from '../support/time/wait-until.js'
import { startVoiceApp, type VoiceApp } from '../support/voice/voice-app.js'

const CROWD = 1_000
/** The lab's limit for a message that has begun. */
const PATIENCE_MS = 10_000
const SERVICE = '15551112222'

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

describe('a crowd of half messages', () => {
  it('is shown out at the timeout, and nobody else notices [A4]', async ({ task }) => {
    const pace = { everyMs: 500, forMs: 8_000 }
    await goodCalls(trunkline, SERVICE, { everyMs: 500, forMs: 2_000 })
    const idle = await goodCalls(trunkline, SERVICE, pace)
    const crowd = await Promise.all(
      // From several addresses: one may not have as many connections.
      Array.from({ length: CROWD }, (_, index) =>
        openTcpPeer(trunkline.sipPort, { localAddress: `127.0.0.${String(2 + (index % 5))}` }),
      ),
    )
    await Promise.all(crowd.map((peer) => peer.write('INVITE sip:x@y SIP/2.0\r\nVia: SIP/2')))
    const startedAt = performance.now()
    const crowded = await goodCalls(trunkline, SERVICE, pace)
    const open = () => crowd.filter((peer) => !peer.isClosed).length
    await waitUntil('all are closed', () => open() === 0, 3 * PATIENCE_MS, open)
    const closedAfterMs = performance.now() - startedAt
    for (const peer of crowd) await peer[Symbol.asyncDispose]()
    await expectNothingLeft(trunkline)
    reportRow(task, 'A4', {
      'half messages': CROWD,
      'all closed after s': Math.round(closedAfterMs / 100) / 10,
      'calls beside them': `${crowded.answeredMs.length} of ${crowded.placed}`,
      'p95 ms idle, crowded': `${p95(idle.answeredMs)}, ${p95(crowded.answeredMs)}`,
    })
    expect([...idle.failures, ...crowded.failures]).toEqual([])
    expect(p95(crowded.answeredMs)).toBeLessThan(Math.max(100, 2 * p95(idle.answeredMs)))
  })
})
