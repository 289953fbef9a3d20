/**
 * Answers requests outside a dialog: a carrier's OPTIONS gets a response, a softphone's REGISTER goes
 * to the registrar, a stranger's sweep gets no response.
 */

import type { Registrar } from '../../registrar/registrar.js'
import type { SipDomains } from '../../sip-domains/sip-domains.js'
import type { OutsideRequest, Telephony } from '../../telephony/port.js'
import { judgeSender, type SenderRules } from './judge-sender.js'
import { type NamedHost, namedHost, UNKNOWN_DOMAIN } from './named-host.js'
import { refuseFailed, refuseForNow } from './refuse-for-now.js'

export interface OutsideRequestDeps extends SenderRules {
  readonly telephony: Telephony
  readonly domains: Pick<SipDomains, 'find'>
  readonly registrar: Pick<Registrar, 'register'>
  isDraining(): boolean
}

/** A source that tries all names gets a third of the rate. */
const FUTILE_COSTS = 2

export function answerOutsideRequests(deps: OutsideRequestDeps): void {
  deps.telephony.onOutsideRequest((request) => {
    answerOne(request, deps).catch((err: unknown) => {
      deps.log.error({ err, method: request.method }, 'could not answer a SIP request')
      refuseFailed(request, err)
    })
  })
}

async function answerOne(request: OutsideRequest, deps: OutsideRequestDeps): Promise<void> {
  const { method, source, userAgent, parties } = request
  const names = [userAgent, ...parties]
  const host = await namedHost(request.requestUri, deps.domains)
  const isForDomain = host.type === 'domain'
  const sender = await judgeSender({ address: source.address, names, isForDomain }, deps)
  if (sender.type === 'drop') return
  if (sender.type === 'reject') {
    // A stranger gets no response, whether it sends much or little.
    if (sender.sender !== 'stranger') request.reject(sender.status, sender.reason, sender.headers)
  } else if (sender.type === 'stranger') answerStranger(request, host, deps)
  else if (isForDomain && method === 'REGISTER') await deps.registrar.register(request, host.domain)
  // RFC 3261 §11.2: OPTIONS gets the status that an INVITE would get.
  else if (method === 'OPTIONS' && deps.isDraining()) refuseForNow(request)
  else request.answer()
}

/** Answers only a softphone that is set to a domain that does not exist. */
function answerStranger(request: OutsideRequest, host: NamedHost, deps: OutsideRequestDeps): void {
  const { method, source } = request
  if (method !== 'REGISTER' || host.type !== 'other-name') {
    deps.log.info({ source, method }, 'ignored a SIP request from an unknown address')
    return
  }
  deps.sources.stranger.charge(source.address, FUTILE_COSTS, deps.clock.monotonic())
  request.reject(404, 'Not Found', UNKNOWN_DOMAIN)
}
