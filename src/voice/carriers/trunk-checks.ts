/**
 * Checks carriers and gateways for an operator: resolves their hosts as calls do, and sends an OPTIONS from
 * where calls are sent.
 */

import { type GatewayHost, hostPort, readGatewayHosts } from '../../numbers/gateway-hosts.js'
import type { Gateway, Gateways } from '../../numbers/gateways.js'
import { linkAbort } from '../../platform/async/abort.js'
import { Slots } from '../../platform/async/slots.js'
import { isInRanges, isLoopback, PRIVATE_NETWORKS } from '../../platform/cidr.js'
import type { Clock } from '../../platform/clock.js'
import { parseNameAddr } from '../../platform/sip-grammar/name-addr.js'
import { parseUri } from '../../platform/sip-grammar/uri.js'
import { nextHopTo } from '../sip-location/next-hop.js'
import type { SipHosts } from '../sip-location/sip-hosts.js'
import type { DialAuth, ProbeOutcome, Telephony } from '../telephony/port.js'
import type { Carrier } from './carrier.js'
import type { CarrierHealth, ServerHealth } from './carrier-health.js'
import type { CarrierRegistrations, Registration } from './carrier-registrations.js'
import { type CarrierServers, hostOf, probeTarget, serverKey } from './carrier-servers.js'
import type { Carriers } from './carriers.js'

export interface TrunkCheck {
  readonly kind: 'carrier' | 'gateway'
  /** The name of a carrier, or the number of a gateway. */
  readonly name: string
  /** The hosts as configured. */
  readonly host: string
  /** False: no call is sent to it, and it was not checked. */
  readonly isEnabled: boolean
  readonly hasCredentials: boolean
  /** None when its host has no address, or none that calls may be sent to. */
  readonly servers: readonly TrunkServerCheck[]
  readonly registration: Registration | undefined
}

export interface TrunkServerCheck {
  /** Transport, address and port. */
  readonly server: string
  readonly isPublic: boolean
  /**
   * answered: a final response came · silent: none came in time · unsent: nothing was sent, since the
   * server's listeners are on loopback and the address is public, or no drachtio is connected
   */
  readonly outcome: 'answered' | 'silent' | 'unsent'
  readonly status: number | undefined
  /** The time to the response, ms. */
  readonly elapsedMs: number
  /** The host of the Contact that the server sees. */
  readonly contact: string | undefined
  readonly health: ServerHealth
}

export interface TrunkChecksDeps {
  readonly carriers: Pick<Carriers, 'list'>
  readonly carrierServers: CarrierServers
  readonly carrierHealth: Pick<CarrierHealth, 'of'>
  readonly carrierRegistrations: Pick<CarrierRegistrations, 'of'>
  readonly gateways: Pick<Gateways, 'page'>
  readonly sipHosts: SipHosts
  readonly telephony: Pick<Telephony, 'probe' | 'sipHosts'>
  readonly clock: Pick<Clock, 'monotonic'>
}

interface Target {
  readonly server: string
  readonly address: string
  readonly uri: string
  readonly proxy: string
}

/** Maximum number of carriers and gateways per request. */
const PAGE = 20
/** Maximum number of servers per carrier; one call tries as many. */
const MAX_SERVERS = 3
/** Maximum number of concurrent OPTIONS. */
const AT_ONCE = 60
/** Time limit of a request, ms; less than the time that the doctor waits. */
const LIMIT_MS = 12_000

export class TrunkChecks {
  readonly #deps: TrunkChecksDeps
  readonly #slots = new Slots(AT_ONCE)

  constructor(deps: TrunkChecksDeps) {
    this.#deps = deps
  }

  /** Checks a part of all carriers and gateways; `next` is the number to skip next, undefined after the last. */
  async page(
    skip: number,
  ): Promise<{ readonly checks: readonly TrunkCheck[]; readonly next: number | undefined }> {
    const all = await this.#deps.carriers.list()
    const carriers = all.slice(skip, skip + PAGE)
    const left = PAGE - carriers.length
    const gateways =
      left === 0 ? [] : await this.#deps.gateways.page(Math.max(0, skip - all.length), left)
    using limit = linkAbort([], { ms: LIMIT_MS, reason: () => new Error('no answer in time') })
    const checks = await Promise.all([
      ...carriers.map((carrier) => this.#carrier(carrier, limit.signal)),
      ...gateways.map((gateway) => this.#gateway(gateway, limit.signal)),
    ])
    return { checks, next: checks.length < PAGE ? undefined : skip + PAGE }
  }

  async #carrier(carrier: Carrier, signal: AbortSignal): Promise<TrunkCheck> {
    const { carrierHealth, carrierRegistrations, carrierServers } = this.#deps
    const { auth, name, settings } = carrier
    const { isEnabled } = settings
    const found = isEnabled ? await carrierServers.find(carrier, signal) : []
    const credentials = auth && { ...auth, realm: settings.realm }
    const servers = found.slice(0, MAX_SERVERS).map(async (server) => {
      const target = { server: serverKey(server), address: server.address }
      const asked = { ...target, ...probeTarget(carrier, server) }
      return {
        ...(await this.#ask(asked, credentials, signal)),
        health: carrierHealth.of(target.server),
      }
    })
    return {
      kind: 'carrier',
      name,
      host: hostOf(carrier),
      isEnabled,
      hasCredentials: auth !== undefined,
      servers: await Promise.all(servers),
      registration: carrierRegistrations.of(name),
    }
  }

  async #gateway({ gateway, id }: Gateway, signal: AbortSignal): Promise<TrunkCheck> {
    const hosts = readGatewayHosts(gateway)
    const targets = typeof hosts === 'string' ? [] : hosts
    const servers = targets.map(async (host) => {
      const target = await this.#placeOf(host, signal)
      if (target === undefined) return []
      const asked = await this.#ask(target, undefined, signal)
      return [{ ...asked, health: { state: 'unknown' as const } }]
    })
    return {
      kind: 'gateway',
      name: String(id),
      host: gateway,
      isEnabled: true,
      hasCredentials: false,
      servers: (await Promise.all(servers)).flat(),
      registration: undefined,
    }
  }

  async #placeOf(host: GatewayHost, signal: AbortSignal): Promise<Target | undefined> {
    const uri = `sip:${hostPort(host)}`
    const found = await this.#deps.sipHosts.find(uri, signal)
    if (found.type === 'unreachable') return undefined
    const { address, port } = found
    const proxy = found.nextHop ?? nextHopTo({ address, port, transport: undefined })
    const transport = parseUri(proxy)?.params['transport'] ?? 'udp'
    return { server: `${transport}:${address}:${String(port)}`, address, uri, proxy }
  }

  async #ask(
    { address, proxy, server, uri }: Target,
    auth: DialAuth | undefined,
    signal: AbortSignal,
  ): Promise<Omit<TrunkServerCheck, 'health'>> {
    const { clock, telephony } = this.#deps
    const isPublic = !isInRanges(address, PRIVATE_NETWORKS)
    const own = telephony.sipHosts()
    const about = { server, isPublic, status: undefined, elapsedMs: 0 }
    // Its answer could not come back, and a request with that Contact is of no use to anybody.
    if (isPublic && own.length > 0 && own.every((host) => isLoopback(host)))
      return { ...about, outcome: 'unsent', contact: own[0] }
    const release = await this.#slots.take(signal).catch(() => undefined)
    if (release === undefined) return { ...about, outcome: 'unsent', contact: own[0] }
    try {
      const startedAt = clock.monotonic()
      const { contact, status } = await telephony
        .probe({ uri, proxy, auth })
        .catch(() => NOTHING_SENT)
      return {
        ...about,
        outcome: contact === undefined && status === undefined ? 'unsent' : outcomeOf(status),
        status,
        elapsedMs: Math.round(clock.monotonic() - startedAt),
        contact: hostOfContact(contact) ?? own[0],
      }
    } finally {
      release()
    }
  }
}

const NOTHING_SENT: ProbeOutcome = { status: undefined, contact: undefined }

const outcomeOf = (status: number | undefined) => (status === undefined ? 'silent' : 'answered')

function hostOfContact(contact: string | undefined): string | undefined {
  return parseUri(parseNameAddr(contact ?? '')?.uri ?? '')?.host
}
