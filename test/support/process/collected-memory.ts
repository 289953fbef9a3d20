import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { waitUntil } from '../time/wait-until.js'

/** The memory that a process holds after a garbage collection, in megabytes. */
export interface CollectedMemory {
  /** The objects of the main thread that are still referenced. */
  readonly heap: number
  /** The memory that objects hold outside the heap: buffers, sockets, statements. */
  readonly outside: number
  /** The lateness of the event loop since the last report, in milliseconds. */
  readonly loop: { readonly p99: number; readonly max: number }
}

/**
 * Collects garbage in the process at a signal: Node takes `--expose-gc` on its command line only.
 */
const REPORTER = `
import { renameSync, writeFileSync } from 'node:fs'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { isMainThread } from 'node:worker_threads'
if (isMainThread) {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc')
  let reports = 0
  const delays = monitorEventLoopDelay({ resolution: 10 })
  delays.enable()
  process.on('SIGUSR2', () => {
    const loop = { p99: delays.percentile(99) / 1e6 - 10, max: delays.max / 1e6 - 10 }
    collect()
    setImmediate(() => {
      collect()
      const { heapUsed, external } = process.memoryUsage()
      const file = process.env.MEMORY_REPORTS + '/' + process.pid
      writeFileSync(file + '.new', JSON.stringify({ number: ++reports, heapUsed, external, loop }))
      renameSync(file + '.new', file)
      delays.reset()
    })
  })
}`

interface Report {
  readonly number: number
  readonly heapUsed: number
  readonly external: number
  readonly loop: CollectedMemory['loop']
}

/**
 * The environment by which a process and its children answer `collectedMemory`; `folder` exists.
 */
export function reportingMemory(folder: string): Readonly<Record<string, string>> {
  const module = `data:text/javascript,${encodeURIComponent(REPORTER)}`
  return { NODE_OPTIONS: `--import=${module}`, MEMORY_REPORTS: folder }
}

/**
 * Collects garbage in a process that was started with `reportingMemory`; resolves with the rest.
 */
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
    // The reporter above wrote the file.
    return JSON.parse(readFileSync(join(folder, String(pid)), 'utf8')) as Report
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw error
  }
}

function megabytes(bytes: number): number {
  return Math.round(bytes / 104_857.6) / 10
}
