import { afterAll, beforeAll, expect, it } from 'vitest'
import { percentilesOf } from '../bench/percentiles.js'
import { collectedMemory, reportingMemory } from '../support/process/collected-memory.js'
import { expectNothingLeft } from '../support/process/nothing-left.js'
import { errorsIn, pidsOf, residentMb } from '../support/process/process-memory.js'
import { tempFolder } from '../support/process/temp-folder.js'
import { type RunningTrunkline, startTrunkline } from '../support/process/trunkline.js'
import { type Figures, reportRow } from '../support/rows/rows.js'
import { openStreamLines, type StreamLines, type Timed } from '../support/streams/stream-lines.js'
import { startVoiceApp, type VoiceApp } from '../support/voice/voice-app.js'

const MINUTES = Number(process.env['TORTURE_MINUTES'] ?? 3)
const STREAMS = 10
const MINUTE_MS = 60_000
const MAX_GROWTH_MB = 10
/** Allocators and caches have found their size by then. */
const WARM_SHARE = 1 / 3
/** A mark is told when its last sample is played, and the phone gets that packet at the same time. */
const MARK_EARLIEST_MS = -40
const MAX_EARLY_SHARE = 0.02
/** What drifts by a thousandth is 1.8 s late after half an hour. */
const MAX_DRIFT_MS = 200

const folder = tempFolder()
let trunkline: RunningTrunkline
let app: VoiceApp

beforeAll(async () => {
  trunkline = await startTrunkline(reportingMemory(folder.path))
  app = await startVoiceApp()
})
afterAll(async () => {
  await app[Symbol.asyncDispose]()
  await trunkline[Symbol.asyncDispose]()
  folder[Symbol.dispose]()
})

async function memory() {
  const { server, lab } = pidsOf(trunkline)
  const held = async (pid: number) => {
    const { heap, outside } = await collectedMemory(folder.path, pid)
    return heap + outside
  }
  return {
    server: await held(server),
    lab: await held(lab),
    residentServer: residentMb(server),
    residentLab: residentMb(lab),
  }
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

/** Of one minute, from a moment on. */
function minuteOf(timed: readonly Timed[], from: number): number[] {
  return timed.flat().flatMap(({ at, ms }) => (at >= from && at < from + MINUTE_MS ? [ms] : []))
}

/** Medians in milliseconds, of the first minute and the last. */
function findings({ speaking, echoing }: StreamLines, startedAt: number, endedAt: number) {
  const all = [...speaking, ...echoing]
  const marks = speaking.map((line) => line.marks)
  const echoes = echoing.map((line) => line.back)
  const median = (timed: readonly Timed[], from: number) => percentilesOf(minuteOf(timed, from)).p50
  const sent = all.reduce((sum, line) => sum + line.framesSent, 0)
  return {
    sent,
    missing: sent - all.reduce((sum, line) => sum + line.out.length, 0),
    out: percentilesOf(all.flatMap((line) => line.out.map(({ ms }) => ms))),
    marks: marks.flat().length,
    unheard: speaking.reduce((sum, line) => sum + line.earlyMarks, 0),
    earliestMark: percentilesOf(marks.flat().map(({ ms }) => -ms)).max * -1,
    tooEarly: marks.flat().filter(({ ms }) => ms < MARK_EARLIEST_MS).length,
    marksFirst: median(marks, startedAt),
    marksLast: median(marks, endedAt - MINUTE_MS),
    echoFirst: median(echoes, startedAt),
    echoLast: median(echoes, endedAt - MINUTE_MS),
  }
}

function shown(found: ReturnType<typeof findings>): Figures {
  return {
    'frames sent': found.sent,
    'frames that did not arrive': found.missing,
    'RTP in → websocket p50 ms': found.out.p50.toFixed(1),
    'RTP in → websocket p95 ms': found.out.p95.toFixed(1),
    marks: found.marks,
    'marks whose audio was not heard': found.unheard,
    'marks over 40 ms before the end of their audio': found.tooEarly,
    'earliest mark ms': found.earliestMark.toFixed(0),
    'mark after its audio, first minute p50 ms': found.marksFirst.toFixed(0),
    'last minute p50 ms': found.marksLast.toFixed(0),
    'echo, first minute p50 ms': found.echoFirst.toFixed(0),
    'echo, last minute p50 ms': found.echoLast.toFixed(0),
  }
}

it(
  `streams for ${MINUTES} minutes neither drift nor grow [streams-soak]`,
  async ({ task }) => {
    const lines = await openStreamLines(trunkline, app, STREAMS)
    const startedAt = performance.now()
    await pause(MINUTES * MINUTE_MS * WARM_SHARE)
    const before = await memory()
    await pause(startedAt + MINUTES * MINUTE_MS - performance.now())
    const after = await memory()
    const endedAt = performance.now()
    await lines[Symbol.asyncDispose]()

    const found = findings(lines, startedAt, endedAt)
    reportRow(task, 'streams-soak', {
      minutes: MINUTES,
      ...shown(found),
      'server held MB': `${before.server.toFixed(1)} → ${after.server.toFixed(1)}`,
      'lab held MB': `${before.lab.toFixed(1)} → ${after.lab.toFixed(1)}`,
      'server resident MB': `${before.residentServer} → ${after.residentServer}`,
      'lab resident MB': `${before.residentLab} → ${after.residentLab}`,
    })
    // This process, held up itself, may read the mark's socket before the phone's.
    expect(found.tooEarly + found.unheard).toBeLessThan(MAX_EARLY_SHARE * found.marks)
    // Each speaking stream is told a mark a second; a late machine's silences make them fewer.
    expect(found.marks).toBeGreaterThan(lines.speaking.length * MINUTES * 60 * 0.9)
    expect(found.marksLast - found.marksFirst).toBeLessThan(MAX_DRIFT_MS)
    expect(after.server - before.server).toBeLessThan(MAX_GROWTH_MB)
    expect(after.lab - before.lab).toBeLessThan(MAX_GROWTH_MB)
    expect(errorsIn(trunkline)).toEqual([])
    await expectNothingLeft(trunkline)
  },
  (MINUTES + 4) * MINUTE_MS,
)
