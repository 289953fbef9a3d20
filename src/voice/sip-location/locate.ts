/** Finds the servers of a SIP host by RFC 3263: NAPTR, then SRV, then the host itself. */
import { isIP } from 'node:net'
import { withLimit } from '../../platform/async/limit.js'
import type { ResolveNaptr, ResolveService, ServiceRecord } from '../../platform/http/resolver.js'

export interface SipTarget {
  readonly host: string
  /** The port in the URI. A host with a port has no service records (RFC 3263 §4.2). */
  readonly port: number | undefined
  /** The transport in the URI; undefined when the host may choose. */
  readonly transport: string | undefined
  readonly isSecure: boolean
}

/** One server of a host. Its name still has to be resolved to an address. */
export interface SipServer {
  readonly host: string
  readonly port: number
  readonly transport: string | undefined
}

export interface ServiceNames {
  readonly resolveService: ResolveService
  readonly resolveNaptr: ResolveNaptr
  /** Returns a number in 0–1 for the weighted choice among records of one priority. */
  readonly random: () => number
  /** False while TLS is not available: NAPTR records for TLS are then ignored. */
  readonly canSecure?: () => boolean
}

const PORT = 5_060
const TLS_PORT = 5_061
/** Maximum number of servers per host; a caller does not wait for more. */
const MAX_SERVERS = 6
/** Time limit for NAPTR records, ms: few hosts have them, and a caller waits. */
const NAPTR_LIMIT_MS = 1_000
/** RFC 3263 §4.1: the transport of each NAPTR service field. */
const SERVICES: Readonly<
  Record<string, { readonly transport: string; readonly isSecure: boolean }>
> = {
  'SIP+D2U': { transport: 'udp', isSecure: false },
  'SIP+D2T': { transport: 'tcp', isSecure: false },
  'SIPS+D2T': { transport: 'tls', isSecure: true },
}

export const defaultPort = ({ isSecure }: Pick<SipTarget, 'isSecure'>): number =>
  isSecure ? TLS_PORT : PORT

/**
 * Returns the servers of a host in the order in which to try them; at least one. A failed query
 * counts as no record, since the host itself may still have an address.
 */
export async function serversOf(
  target: SipTarget,
  names: ServiceNames,
  signal: AbortSignal,
): Promise<readonly [SipServer, ...SipServer[]]> {
  const { host, transport } = target
  const itself = {
    host,
    port: target.port ?? defaultPort(target),
    transport: target.isSecure ? 'tls' : transport,
  }
  if (target.port !== undefined || isIP(host) !== 0 || !host.includes('.')) return [itself]
  const questions = questionsOf(target)
  const asked = Promise.all(
    questions.map(async (question) => ({
      ...question,
      records: await names.resolveService(question.name, signal).catch(() => []),
    })),
  )
  const pointed =
    transport === undefined
      ? await withLimit(pointedServers(target, names, signal), NAPTR_LIMIT_MS, () => [])
      : []
  const answers = pointed.length > 0 ? pointed : await asked
  const found = answers.find(({ records }) => records.length > 0)
  const [first, ...others] = (found === undefined ? [] : inOrder(found.records, names.random))
    .slice(0, MAX_SERVERS)
    .map(({ name, port }) => ({ host: name, port, transport: found?.transport }))
  return first === undefined ? [itself] : [first, ...others]
}

interface Answer {
  readonly transport: string
  readonly records: readonly ServiceRecord[]
}

/** RFC 3263 §4.1: returns the service names to query for a URI, the preferred transport first. */
function questionsOf({ host, transport, isSecure }: SipTarget) {
  if (isSecure) return [{ name: `_sips._tcp.${host}`, transport: 'tls' }]
  const transports = transport === undefined ? ['udp', 'tcp'] : [transport]
  return transports.map((each) => ({ name: `_sip._${each}.${host}`, transport: each }))
}

/** Resolves NAPTR records that point to a service record; other flags, such as `u`, are ignored. */
async function pointedServers(
  { host, isSecure }: SipTarget,
  names: ServiceNames,
  signal: AbortSignal,
): Promise<readonly Answer[]> {
  const pointers = await names.resolveNaptr(host, signal).catch(() => [])
  const followed = pointers
    .toSorted((a, b) => a.order - b.order || a.preference - b.preference)
    .flatMap(({ flags, service, replacement }) => {
      const kind = SERVICES[service.toUpperCase()]
      const isOurs = flags.toLowerCase() === 's' && kind !== undefined && replacement !== ''
      return isOurs && (kind.isSecure ? names.canSecure?.() !== false : !isSecure)
        ? [{ name: replacement, transport: kind.transport }]
        : []
    })
    .slice(0, MAX_SERVERS)
  return Promise.all(
    followed.map(async ({ name, transport }) => ({
      transport,
      records: await names.resolveService(name, signal).catch(() => []),
    })),
  )
}

/** RFC 2782: sorts by priority, lowest first, and by weighted random choice within one priority. */
function inOrder(records: readonly ServiceRecord[], random: () => number): ServiceRecord[] {
  const left = records.toSorted((a, b) => a.priority - b.priority || a.weight - b.weight)
  const ordered: ServiceRecord[] = []
  for (let first = left[0]; first !== undefined; first = left[0]) {
    const { priority } = first
    const peers = left.filter((record) => record.priority === priority)
    const total = peers.reduce((sum, { weight }) => sum + weight, 0)
    let rest = random() * total
    const drawn = peers.find(({ weight }) => (rest -= weight) <= 0) ?? first
    ordered.push(drawn)
    left.splice(left.indexOf(drawn), 1)
  }
  return ordered
}
