import { lookup, Resolver } from 'node:dns/promises'
import { readFile } from 'node:fs/promises'
import { isIP } from 'node:net'
import { withAbort } from '../async/abort.js'
import { Slots } from '../async/slots.js'

/** Resolves with all addresses of a host name, in the order to try them; rejects when there is none. */
export type Resolve = (hostname: string, signal: AbortSignal) => Promise<readonly string[]>

/**
 * Maximum concurrent getaddrinfo calls: each blocks one of Node's four worker threads while the name server is
 * silent.
 */
const MAX_SYSTEM_LOOKUPS = 2
const HOSTS_FILE = '/etc/hosts'

/**
 * Resolves as the system would, but without its threads where possible: a customer whose name
 * server hangs would otherwise delay every file read of this process. The order is the hosts file,
 * then DNS, then getaddrinfo, a few at a time, for names that only the system knows (single labels,
 * search domains).
 */
export function createResolver(): Resolve {
  const slots = new Slots(MAX_SYSTEM_LOOKUPS)
  const systemLookup = async (hostname: string, signal: AbortSignal) => {
    const release = await slots.take(signal)
    // The thread stays busy until the system gives up, so the slot does too.
    const found = lookup(hostname, { all: true, order: 'ipv4first' }).finally(release)
    return withAbort(found, signal)
  }
  return async (hostname, signal) => {
    if (isIP(hostname) !== 0) return [hostname]
    const name = hostname.replace(/\.$/, '').toLowerCase()
    const listed = await addressesInHostsFile(name)
    if (listed.length > 0) return listed
    if (name.includes('.')) {
      const answer = await askNameServer(name, signal)
      if (answer.length > 0) return answer
    }
    const found = await systemLookup(hostname, signal)
    return found.map((entry) => entry.address)
  }
}

/** One SRV record (RFC 2782). */
export interface ServiceRecord {
  readonly name: string
  readonly port: number
  readonly priority: number
  readonly weight: number
}

/**
 * Resolves with the SRV records of a name such as `_sip._udp.example.com`; rejects when no name server answers.
 */
export type ResolveService = (
  name: string,
  signal: AbortSignal,
) => Promise<readonly ServiceRecord[]>

export const resolveService: ResolveService = (name, signal) =>
  ask(signal, (resolver) => [resolver.resolveSrv(name)])

/** One NAPTR record (RFC 3403 §4.1). */
export interface NaptrRecord {
  readonly flags: string
  readonly service: string
  readonly replacement: string
  readonly order: number
  readonly preference: number
}

/** Resolves with the NAPTR records of a name; rejects when no name server answers. */
export type ResolveNaptr = (name: string, signal: AbortSignal) => Promise<readonly NaptrRecord[]>

export const resolveNaptr: ResolveNaptr = (name, signal) =>
  ask(signal, (resolver) => [resolver.resolveNaptr(name)])

/** Queries the name server. Resolves with none for an unknown name; rejects when it does not answer. */
function askNameServer(name: string, signal: AbortSignal): Promise<string[]> {
  return ask(signal, (resolver) => [resolver.resolve4(name), resolver.resolve6(name)])
}

async function ask<Answer>(
  signal: AbortSignal,
  questions: (resolver: Resolver) => readonly Promise<Answer[]>[],
): Promise<Answer[]> {
  const resolver = new Resolver({ timeout: 2_000, tries: 2 })
  const cancel = (): void => {
    resolver.cancel()
  }
  signal.throwIfAborted()
  signal.addEventListener('abort', cancel, { once: true })
  try {
    const answers = await Promise.allSettled(questions(resolver))
    const found = answers.flatMap((a) => (a.status === 'fulfilled' ? a.value : []))
    const timeout = answers.find((a) => a.status === 'rejected' && isTimeout(a.reason))
    if (found.length === 0 && timeout?.status === 'rejected') throw timeout.reason
    return found
  } finally {
    signal.removeEventListener('abort', cancel)
  }
}

function isTimeout(error: unknown): boolean {
  const code = (error as NodeJS.ErrnoException).code // c-ares errors carry their code there
  return code === 'ETIMEOUT' || code === 'ECANCELLED'
}

async function addressesInHostsFile(name: string): Promise<string[]> {
  const text = await readFile(HOSTS_FILE, 'utf8').catch(() => '') // a system without one has no entries
  return text.split('\n').flatMap((line) => {
    const [address = '', ...names] = line.replace(/#.*/, '').trim().split(/\s+/)
    return isIP(address) !== 0 && names.some((n) => n.toLowerCase() === name) ? [address] : []
  })
}
