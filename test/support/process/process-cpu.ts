/** Reads the processor time and the memory of processes and of the machine from the kernel (proc(5)). */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'

/** The jiffies in a second, as every Linux reports them to user space. */
const JIFFIES = 100

/**
 * Returns the seconds of processor time (user and system) that the process has used; undefined once
 * it is gone.
 */
export function cpuSecondsOf(pid: number): number | undefined {
  const stat = readProc(`/proc/${pid}/stat`)
  if (stat === undefined) return undefined
  // The command's name, in parentheses, may hold anything; the rest counts from behind it.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) / JIFFIES
}

/** Returns the bytes of memory that the process holds; undefined once it is gone. */
export function residentBytesOf(pid: number): number | undefined {
  const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(readProc(`/proc/${pid}/status`) ?? '')?.[1]
  return kilobytes === undefined ? undefined : 1024 * Number(kilobytes)
}

export function childrenOf(pid: number): readonly number[] {
  const children = readProc(`/proc/${pid}/task/${pid}/children`) ?? ''
  return children.split(' ').filter(Boolean).map(Number)
}

/** Finds the process of this machine that listens at a TCP port; undefined when none does. */
export function pidListeningAt(port: number): number | undefined {
  const hex = port.toString(16).toUpperCase().padStart(4, '0')
  const sockets = (readProc('/proc/net/tcp') ?? '')
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
  // The second field is the local address and port, the fourth the state (0A: listening), the tenth the inode.
  const inode = sockets.find(([, at, , state]) => at?.endsWith(`:${hex}`) && state === '0A')?.[9]
  if (inode === undefined) return undefined
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  const found = pids.find((pid) => linksOf(`/proc/${pid}/fd`).includes(`socket:[${inode}]`))
  return found === undefined ? undefined : Number(found)
}

/** The targets of the links in a folder; none for a process that is gone or another user's. */
function linksOf(folder: string): readonly string[] {
  try {
    return readdirSync(folder).map((name) => readlinkSync(`${folder}/${name}`))
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ESRCH' || code === 'EACCES') return []
    throw error
  }
}

/** Measures the cores that processes keep busy, from now until `cores()` is called. */
export function watchCores(pids: readonly number[]): { cores(): number } {
  const startedAt = performance.now()
  const total = () => pids.reduce((sum, pid) => sum + (cpuSecondsOf(pid) ?? 0), 0)
  const before = total()
  return { cores: () => (total() - before) / ((performance.now() - startedAt) / 1_000) }
}

/** Measures the cores that the whole machine keeps busy, from now until `cores()` is called. */
export function watchMachine(): { cores(): number } {
  const startedAt = performance.now()
  const before = busySeconds()
  return { cores: () => (busySeconds() - before) / ((performance.now() - startedAt) / 1_000) }
}

/**
 * Returns the number of UDP packets that the kernel of this machine dropped because a receive
 * buffer was full.
 */
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
