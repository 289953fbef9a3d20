import { randomInt } from 'node:crypto'

const FIRST = 8_000
/** Ports enough for eight hundred calls. */
const WIDTH = 1_600
const PORTS_OF_A_WORKER = 2 * WIDTH
/** The most workers of any project, each with ranges of its own; `free-port.ts` has the ports above. */
export const WORKERS = 6
export const RTP_END = FIRST + WORKERS * PORTS_OF_A_WORKER

/** The place of this process among the workers, from 0. */
export const workerIndex = (): number =>
  (Number(process.env['VITEST_POOL_ID'] ?? '1') - 1) % WORKERS

/**
 * Returns the RTP ports of a server under test, as RTP_PORTS wants them: below the system's own
 * ports, never those of a server that another worker tests. They begin elsewhere than those of the
 * server before: phones of a test that has ended may still send to its ports, and every one of them
 * sends from the same address, so that a new call there would latch to it.
 */
export function rtpRange(): string {
  const start = 2 * randomInt((PORTS_OF_A_WORKER - WIDTH) / 2)
  const first = FIRST + workerIndex() * PORTS_OF_A_WORKER + start
  return `${String(first)}-${String(first + WIDTH - 1)}`
}
