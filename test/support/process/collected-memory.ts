import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { waitUntil } from '../time/wait-until.js'

/** Memory of a process with all its threads after a garbage collection, MB. */
export interface CollectedMemory {
  /** Objects of all threads that are still referenced. */
  readonly heap: number
  /** Memory of objects outside the heap: buffers, sockets, statements. */
  readonly outside: number
  /** Event-loop delay since the last report, ms. */
  readonly loop: { readonly p99: number; readonly max: number }
}

/**
 * Collects garbage in the process and its workers on a signal: Node accepts `--expose-gc` only on its command
 * line.
 */
const REPORTER = `
import { renameSync, writeFileSync } from 'node:fs'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { BroadcastChannel, isMainThread, threadId } from 'node:worker_threads'
setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc')
const channel = new BroadcastChannel('collected-memory')
channel.unref()
const collected = (then) => {
  collect()
  setImmediate(() => {
    collect()
    const { heapUsed, external } = process.memoryUsage()
    then({ heapUsed, external })
  })
}
if (isMainThread) {
  const workers = new Set()
  let reports = 0
  let answered = () => undefined
  const delays = monitorEventLoopDelay({ resolution: 10 })
  delays.enable()
  channel.onmessage = ({ data }) => {
    if (data.type === 'started') workers.add(data.thread)
    if (data.type === 'ended') workers.delete(data.thread)
    if (data.type === 'collected') answered(data)
  }
  const write = (parts, loop) => {
    const sum = (name) => parts.reduce((total, part) => total + part[name], 0)
    const report = { number: ++reports, heapUsed: sum('heapUsed'), external: sum('external'), loop }
    const file = process.env.MEMORY_REPORTS + '/' + process.pid
    writeFileSync(file + '.new', JSON.stringify(report))
    renameSync(file + '.new', file)
    delays.reset()
  }
  process.on('SIGUSR2', () => {
    const loop = { p99: delays.percentile(99) / 1e6 - 10, max: delays.max / 1e6 - 10 }
    collected((own) => {
      const parts = [own]
      answered = (part) => {
        parts.push(part)
        if (parts.length === workers.size + 1) write(parts, loop)
      }
      if (workers.size === 0) write(parts, loop)
      else channel.postMessage({ type: 'collect' })
    })
  })
} else {
  channel.onmessage = ({ data }) => {
    if (data.type !== 'collect') return
    collected((own) => channel.postMessage({ type: 'collected', ...own }))
  }
  channel.postMessage({ type: 'started', thread: threadId })
  process.on('exit', () => channel.postMessage({ type: 'ended', thread: threadId }))
}`

interface Report {
  readonly number: number
  readonly heapUsed: number
  readonly external: number
  readonly loop: CollectedMemory['loop']
}

/** Environment that makes a process and its children answer `collectedMemory`; `folder` must exist. */
export function reportingMemory(folder: string): Readonly<Record<string, string>> {
  const module = `data:text/javascript,${encodeURIComponent(REPORTER)}`
  return { NODE_OPTIONS: `--import=${module}`, MEMORY_REPORTS: folder }
}

/** Collects garbage in a process started with `reportingMemory`; resolves with the remaining memory. */
export async function collectedMemory(folder: string, pid: number): Promise<CollectedMemory> {
  const before = reportOf(folder, pid)?.number ?? 0
  process.kill(pid, 'SIGUSR2')
  const isNew = () => (reportOf(folder, pid)?.number ?? 0) > before
  await waitUntil(`process ${pid} has collected its garbage`, isNew, 20_000)
  const report = reportOf(folder, pid)
  if (report === undefined) throw new Error(`process ${pid} has no report any more`)
  const { heapUsed, external, loop } = report
  return { heap: megabytes(heapUsed), outside: megabytes(external), loop }
}

function reportOf(folder: string, pid: number): Report | undefined {
  try {
    // written by the reporter above
    return JSON.parse(readFileSync(join(folder, String(pid)), 'utf8')) as Report
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw error
  }
}

function megabytes(bytes: number): number {
  return Math.round(bytes / 104_857.6) / 10
}
