/** Worker thread that runs machine detection. */
import { parentPort } from 'node:worker_threads'
import { createDetector, type Detector } from '../amd/amd.js'
import { SampleRing } from './sample-ring.js'
import type { DetectionCommand, DetectionReport } from './thread-messages.js'

/** Polling interval, one packet: the maximum delay of a verdict, ms. */
const TICK_MS = 20
const BLOCK_SAMPLES = 1_600

interface Hearing {
  readonly detector: Detector
  readonly ring: SampleRing
}

const hearings = new Map<number, Hearing>()
const block = new Int16Array(BLOCK_SAMPLES)
let ticker: NodeJS.Timeout | undefined

function detectAll(): void {
  for (const [id, hearing] of hearings) detect(id, hearing)
  if (hearings.size > 0) return
  clearInterval(ticker)
  ticker = undefined
}

function detect(id: number, { detector, ring }: Hearing): void {
  for (;;) {
    const count = ring.read(block)
    if (count === 0) return
    const events = detector.push(count === block.length ? block : block.subarray(0, count))
    if (events.length > 0) parentPort?.postMessage({ id, events } satisfies DetectionReport)
    if (detector.isOver) {
      hearings.delete(id)
      return
    }
  }
}

parentPort?.on('message', (command: DetectionCommand) => {
  if (command.type === 'close') {
    hearings.delete(command.id)
    return
  }
  const { id, params, memory } = command
  hearings.set(id, { detector: createDetector(params), ring: new SampleRing(memory) })
  ticker ??= setInterval(detectAll, TICK_MS)
})
