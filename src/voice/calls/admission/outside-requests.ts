/**
 * Answers requests outside a dialog: a carrier's OPTIONS gets a response, a softphone's REGISTER goes to the
 * registrar, its MESSAGE is forwarded, a scanner gets no response.
 */

import type { Registrar } from '../../registrar/registrar.js'
import type { SipDomain } from '../../sip-domains/sip-domain.js'
import type { SipDomains } from '../../sip-domains/sip-domains.js'
import type { OutsideRequest, Telephony } from '../../telephony/port.js'
import {
  classifySender,
  refuseFailed,
  refuseForNow,
  type SenderRules,
  UNKNOWN_DOMAIN,
} from './classify-sender.js'

export interface OutsideRequestDeps extends SenderRules {
  readonly telephony: Telephony
  readonly sip: { readonly domains: Pick<SipDomains, 'find'> }
  readonly registrar: Pick<Registrar, 'register'>
  /** Answers a MESSAGE at a domain. */
  readonly takeText: (request: OutsideRequest, domain: SipDomain) => Promise<void>
  isDraining(): boolean
}

/** Extra cost of an unknown domain: a source that tries many names gets a third of the rate. */
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
  const { address } = source
  const asked = { address, names, requestUri: request.requestUri, meansDomain: () => true }
  const sender = await classifySender(asked, deps, deps.sip.domains)
  if (sender.type === 'drop') return
  if (sender.type === 'reject') {
    // A stranger gets no response, however many requests it sends.
    if (sender.sender !== 'stranger') request.reject(sender.status, sender.reason, sender.headers)
  } else if (sender.type === 'stranger') answerStranger(request, sender.namesHost, deps)
  else if (sender.type === 'softphone' && method === 'REGISTER')
    await deps.registrar.register(request, sender.domain)
  else if (sender.type === 'softphone' && method === 'MESSAGE')
    if (deps.isDraining()) refuseForNow(request)
    else await deps.takeText(request, sender.domain)
  // RFC 3261 §11.2: OPTIONS gets the status that an INVITE would get.
  else if (method === 'OPTIONS' && deps.isDraining()) refuseForNow(request)
  else request.answer()
}

/** Answers only a softphone that is configured with an unknown domain. */
function answerStranger(
  request: OutsideRequest,
  namesHost: boolean,
  deps: OutsideRequestDeps,
): void {
  const { method, source } = request
  if (method !== 'REGISTER' || !namesHost) {
    deps.log.info({ source, method }, 'ignored a SIP request from an unknown address')
    return
  }
  deps.sources.stranger.charge(source.address, FUTILE_COSTS, deps.clock.monotonic())
  request.reject(404, 'Not Found', UNKNOWN_DOMAIN)
}
