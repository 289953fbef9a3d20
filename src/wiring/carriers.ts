/** Wires carriers: their storage, and the state of their servers on this node. */
import type { Carrier } from '../voice/carriers/carrier.js'
import { CarrierClaims } from '../voice/carriers/carrier-claims.js'
import { CarrierHealth } from '../voice/carriers/carrier-health.js'
import { startCarrierProbes } from '../voice/carriers/carrier-probes.js'
import { CarrierRegistrations } from '../voice/carriers/carrier-registrations.js'
import { CarrierServers } from '../voice/carriers/carrier-servers.js'
import { type Carriers, createCarriers } from '../voice/carriers/carriers.js'
import { TrunkChecks } from '../voice/carriers/trunk-checks.js'
import { createSipHosts, type SipHosts } from '../voice/sip-location/sip-hosts.js'
import type { Telephony } from '../voice/telephony/port.js'
import type { Base } from './base.js'

export interface Trunks {
  readonly carriers: Carriers
  readonly carrierServers: CarrierServers
  readonly carrierHealth: CarrierHealth
  readonly carrierClaims: CarrierClaims
  readonly carrierRegistrations: CarrierRegistrations
  readonly sipHosts: SipHosts
  readonly trunkChecks: TrunkChecks
}

export async function wireCarriers(
  base: Base,
  telephony: Telephony,
  builtIn: readonly Carrier[],
): Promise<Trunks> {
  const { clock, db, disposer, log, vault } = base
  const carriers = createCarriers({ db, vault, clock, builtIn })
  const servers = new CarrierServers({
    clock,
    log,
    resolve: base.resolve,
    resolveService: base.resolveService,
    resolveNaptr: base.resolveNaptr,
    random: base.random,
    canSecure: () => telephony.hasTls(),
  })
  const health = new CarrierHealth(clock)
  const carrierClaims = new CarrierClaims({ db, clock })
  await carrierClaims.removeEnded()
  const around = { carriers, servers, telephony, clock, log }
  disposer.use(startCarrierProbes({ ...around, health }))
  const carrierRegistrations = disposer.use(new CarrierRegistrations(around))
  const sipHosts = createSipHosts({ ...base, canSecure: () => telephony.hasTls() })
  const trunks = {
    carriers,
    carrierServers: servers,
    carrierHealth: health,
    carrierClaims,
    carrierRegistrations,
    sipHosts,
  }
  const { gateways } = base
  return { ...trunks, trunkChecks: new TrunkChecks({ ...trunks, gateways, telephony, clock }) }
}
