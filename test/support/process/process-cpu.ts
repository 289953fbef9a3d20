/** Reads CPU time and memory of processes and of the machine from the kernel (proc(5)). */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'

/** Jiffies per second, as every Linux reports them to user space. */
const JIFFIES = 100

/** CPU time (user and system) of a process, seconds; undefined once it has exited. */
export function cpuSecondsOf(pid: number): number | undefined {
  const stat = readProc(`/proc/${pid}/stat`)
  if (stat === undefined) return undefined
  // The command name in parentheses may contain anything; fields are counted from behind it.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) / JIFFIES
}

/** Resident memory of a process, bytes; undefined once it has exited. */
export function residentBytesOf(pid: number): number | undefined {
  const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(readProc(`/proc/${pid}/status`) ?? '')?.[1]
  return kilobytes === undefined ? undefined : 1024 * Number(kilobytes)
}

export function childrenOf(pid: number): readonly number[] {
  const children = readProc(`/proc/${pid}/task/${pid}/children`) ?? ''
  return children.split(' ').filter(Boolean).map(Number)
}

/** Finds the local process that listens on a TCP port; undefined when none does. */
export function pidListeningAt(port: number): number | undefined {
  const hex = port.toString(16).toUpperCase().padStart(4, '0')
  const sockets = (readProc('/proc/net/tcp') ?? '')
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
  // Fields: the second is the local address and port, the fourth the state (0A: listening), the tenth the
  // inode.
  const inode = sockets.find(([, at, , state]) => at?.endsWith(`:${hex}`) && state === '0A')?.[9]
  if (inode === undefined) return undefined
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  const found = pids.find((pid) => linksOf(`/proc/${pid}/fd`).includes(`socket:[${inode}]`))
  return found === undefined ? undefined : Number(found)
}

/** Targets of the links in a folder; empty for a process that has exited or belongs to another user. */
function linksOf(folder: string): readonly string[] {
  try {
    return readdirSync(folder).map((name) => readlinkSync(`${folder}/${name}`))
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ESRCH' || code === 'EACCES') return []
    throw error
  }
}

/** Measures how many cores the processes use, from now until `cores()` is called. */
export function watchCores(pids: readonly number[]): { cores(): number } {
  const startedAt = performance.now()
  const total = () => pids.reduce((sum, pid) => sum + (cpuSecondsOf(pid) ?? 0), 0)
  const before = total()
  return { cores: () => (total() - before) / ((performance.now() - startedAt) / 1_000) }
}

/** Measures how many cores the whole machine uses, from now until `cores()` is called. */
export function watchMachine(): { cores(): number } {
  const startedAt = performance.now()
  const before = busySeconds()
  return { cores: () => (busySeconds() - before) / ((performance.now() - startedAt) / 1_000) }
}

/** Number of UDP packets that this machine's kernel dropped because of a full receive buffer. */
export function udpOverflows(): number {
  const [names = '', values = ''] = (readProc('/proc/net/snmp') ?? '')
    .split('\n')
    .filter((line) => line.startsWith('Udp:'))
  const column = names.split(' ').indexOf('RcvbufErrors')
  return Number(values.split(' ')[column] ?? 0)
}

function busySeconds(): number {
  const [line = ''] = (readProc('/proc/stat') ?? '').split('\n')
  const [user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0] = line
    .split(/\s+/)
    .slice(1)
    .map(Number)
  return (user + nice + system + irq + softirq) / JIFFIES
}

function readProc(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ESRCH') return undefined
    throw error
  }
}
