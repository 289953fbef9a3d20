import { randomInt } from 'node:crypto'

const FIRST = 8_000
/** Ports enough for fifteen hundred calls. */
const WIDTH = 3_000
const RANGES_OF_A_WORKER = 2
/** The most workers of any project, each with ranges of its own; `free-port.ts` has the ports above. */
export const WORKERS = 3
export const RTP_END = FIRST + WORKERS * RANGES_OF_A_WORKER * WIDTH

/** The place of this process among the workers, from 0. */
export const workerIndex = (): number =>
  (Number(process.env['VITEST_POOL_ID'] ?? '1') - 1) % WORKERS

/**
 * Returns the RTP ports of a server under test, as RTP_PORTS wants them: below the system's own
 * ports, never those of a server that another worker tests, and rarely those of the server before.
 * Phones of a test that has ended may still send to its ports: every one of them sends from the same
 * address, so that a new call there would latch to it.
 */
export function rtpRange(): string {
  const range = workerIndex() * RANGES_OF_A_WORKER + randomInt(RANGES_OF_A_WORKER)
  const first = FIRST + range * WIDTH
  return `${String(first)}-${String(first + WIDTH - 1)}`
}
