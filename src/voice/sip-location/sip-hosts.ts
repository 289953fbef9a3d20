/**
 * Resolves the hosts of customers' SIP URIs (RFC 3263) and checks the addresses against the address
 * policy. The call goes to the checked address, so a second DNS answer cannot redirect it.
 */
import { isIP } from 'node:net'
import { linkAbort, withAbort } from '../../platform/async/abort.js'
import { type AddressPolicy, createAddressPolicy } from '../../platform/http/address-policy.js'
import type { Resolve } from '../../platform/http/resolver.js'
import type { Logger } from '../../platform/log.js'
import { defaultPort, type ServiceNames, type SipTarget, serversOf } from './locate.js'
import { nextHopTo } from './next-hop.js'

export type SipHost =
  /**
   * `nextHop` is a SIP URI with the resolved address; undefined when the host is an address
   * already.
   */
  | {
      readonly type: 'found'
      readonly nextHop: string | undefined
      readonly address: string
      readonly port: number
    }
  | { readonly type: 'unreachable' }

export interface SipHosts {
  /** Resolves a URI to an address to call. Resolves with `unreachable` once the signal aborts. */
  find(uri: string, signal: AbortSignal): Promise<SipHost>
}

export interface SipHostsDeps extends ServiceNames {
  readonly policy: AddressPolicy
  readonly resolve: Resolve
  readonly log: Logger
}

interface Place {
  readonly addresses: readonly string[]
  readonly port: number
  readonly transport: string | undefined
}

/** Time limit for resolving, ms; a caller waits for it. */
const LIMIT_MS = 4_000

export function createSipHosts(deps: SipHostsDeps): SipHosts {
  const judge = createAddressPolicy(deps.policy)
  const allows = (address: string, port: number): boolean => {
    const verdict = judge(address, port)
    if (!verdict.isAllowed)
      deps.log.info({ address, range: verdict.range }, 'host refused by the address policy')
    return verdict.isAllowed
  }
  return {
    find: async (uri, signal) => {
      const target = targetOf(uri)
      if (target === undefined) return { type: 'unreachable' }
      if (isIP(target.host) !== 0) {
        const at = { address: target.host, port: target.port ?? defaultPort(target) }
        return allows(at.address, at.port)
          ? { type: 'found', nextHop: undefined, ...at }
          : { type: 'unreachable' }
      }
      const place = await locate(target, deps, signal)
      // One refused address among allowed ones suggests DNS rebinding.
      const [address] = place?.addresses ?? []
      if (
        place === undefined ||
        address === undefined ||
        !place.addresses.every((each) => allows(each, place.port))
      )
        return { type: 'unreachable' }
      const nextHop = nextHopTo({ ...place, address })
      return { type: 'found', nextHop, address, port: place.port }
    },
  }
}

function targetOf(uri: string): SipTarget | undefined {
  const [, scheme = '', host = '', port, tail = ''] =
    /^(sips?):(?:[^@]*@)?(\[[^\]]*\]|[^:;?[\]]+)(?::(\d+))?(.*)$/is.exec(uri) ?? []
  const params = new Map(
    (tail.split('?')[0] ?? '').split(';').map((param): [string, string] => {
      const [name = '', value = ''] = param.split('=', 2)
      return [name.trim().toLowerCase(), value.trim()]
    }),
  )
  const transport = params.get('transport')?.toLowerCase()
  // With maddr, the request goes there, not to the host (RFC 3261 §19.1.1).
  const place = (params.get('maddr') ?? host).replace(/^\[(.*)\]$/, '$1').toLowerCase()
  if (place === '') return undefined
  const isSecure = scheme.toLowerCase() === 'sips' || transport === 'tls'
  return { host: place, port: port === undefined ? undefined : Number(port), transport, isSecure }
}

async function locate(
  target: SipTarget,
  deps: SipHostsDeps,
  signal: AbortSignal,
): Promise<Place | undefined> {
  using limit = linkAbort([signal], { ms: LIMIT_MS, reason: () => new Error('no answer in time') })
  try {
    return await withAbort(resolved(target, deps, limit.signal), limit.signal)
  } catch (err) {
    deps.log.info({ err, host: target.host }, 'host of a SIP URI not resolved')
    return undefined
  }
}

async function resolved(
  target: SipTarget,
  deps: SipHostsDeps,
  signal: AbortSignal,
): Promise<Place> {
  const [{ host, port, transport }] = await serversOf(target, deps, signal)
  return { addresses: ipv4First(await deps.resolve(host, signal)), port, transport }
}

function ipv4First(addresses: readonly string[]): readonly string[] {
  return addresses.toSorted((a, b) => isIP(a) - isIP(b))
}
