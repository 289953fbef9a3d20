import { cpus } from 'node:os'

/** Measures how idle the machine was since the last question, in percent. */
export function makeCpuMeter(): () => number {
  let last = readTimes()
  return () => {
    const now = readTimes()
    const total = now.total - last.total
    const idle = now.idle - last.idle
    last = now
    return total <= 0 ? 100 : (100 * idle) / total
  }
}

function readTimes(): { idle: number; total: number } {
  let idle = 0
  let total = 0
  for (const { times } of cpus()) {
    idle += times.idle
    total += times.user + times.nice + times.sys + times.idle + times.irq
  }
  return { idle, total }
}
