import { readdirSync, readFileSync } from 'node:fs'
import { childrenOf } from './process-cpu.js'
import type { RunningTrunkline } from './trunkline.js'

/** Resident memory of a process, MB (proc(5)). */
export function residentMb(pid: number): number {
  const kilobytes = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1]
  return Math.round(Number(kilobytes) / 102.4) / 10
}

/** Number of open file descriptors of a process: files, sockets, pipes. */
export function openDescriptors(pid: number): number {
  return readdirSync(`/proc/${pid}/fd`).length
}

/** Process ids of the server and its lab. */
export function pidsOf(trunkline: RunningTrunkline): { readonly server: number; lab: number } {
  const server = trunkline.server.process.pid ?? 0
  const [lab] = childrenOf(server)
  if (lab === undefined) throw new Error('the server has no lab')
  return { server, lab }
}

/** Process ids of the server and, if there is one, its lab. */
export function processesOf(trunkline: RunningTrunkline): readonly number[] {
  const server = trunkline.server.process.pid ?? 0
  return [server, ...childrenOf(server)]
}

/** Lines of the server's log at level error and above. */
export function errorsIn(trunkline: RunningTrunkline): readonly string[] {
  return trunkline.server
    .log()
    .split('\n')
    .filter((line) => /"level":[56]0/.test(line))
}
