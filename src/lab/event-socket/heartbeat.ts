import { cpus } from 'node:os'
import { heartbeatHeaders } from './api/server-commands.js'
import type { SwitchCore } from './core/switch-core.js'

/** Fires HEARTBEAT at the interval. The result stops it. */
export function startHeartbeat(core: SwitchCore, everyMs: number): () => void {
  const idleCpu = makeCpuMeter()
  const timer = setInterval(() => {
    core.bus.fire({ name: 'HEARTBEAT', headers: () => heartbeatHeaders(core, idleCpu()) })
  }, everyMs)
  return () => {
    clearInterval(timer)
  }
}

/** Measures how idle the machine was since the last question, in percent. */
function makeCpuMeter(): () => number {
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
