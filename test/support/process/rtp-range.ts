import { randomInt } from 'node:crypto'

const FIRST = 8_000
/** Number of ports: enough for 800 calls. */
const WIDTH = 1_600
const PORTS_OF_A_WORKER = 2 * WIDTH
/** Maximum number of workers of any project, each with its own ranges; `free-port.ts` uses the ports above. */
export const WORKERS = 6
export const RTP_END = FIRST + WORKERS * PORTS_OF_A_WORKER

/** Index of this process among the workers, from 0. */
export const workerIndex = (): number =>
  (Number(process.env['VITEST_POOL_ID'] ?? '1') - 1) % WORKERS

/**
 * Returns RTP ports for a server under test, as RTP_PORTS expects: below the system's own ports, and separate
 * per worker. Each server starts elsewhere: phones of a finished test may still send from their shared address
 * to its ports, and a new call there would latch to them.
 */
export function rtpRange(): string {
  const start = 2 * randomInt((PORTS_OF_A_WORKER - WIDTH) / 2)
  const first = FIRST + workerIndex() * PORTS_OF_A_WORKER + start
  return `${String(first)}-${String(first + WIDTH - 1)}`
}
