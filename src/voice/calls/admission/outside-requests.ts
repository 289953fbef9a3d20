/**
 * Answers requests outside a dialog: a carrier's OPTIONS gets a response, a stranger's sweep gets
 * none.
 */
import type { OutsideRequest, Telephony } from '../../telephony/port.js'
import { judgeSender, type SenderRules } from './judge-sender.js'

export interface OutsideRequestDeps extends SenderRules {
  readonly telephony: Telephony
  isDraining(): boolean
}

const RETRY_AFTER_SECONDS = '5'

export function answerOutsideRequests(deps: OutsideRequestDeps): void {
  deps.telephony.onOutsideRequest((request) => {
    answerOne(request, deps).catch((err: unknown) => {
      deps.log.error({ err, method: request.method }, 'could not answer a SIP request')
      request.reject(500, 'Server Internal Error')
    })
  })
}

async function answerOne(request: OutsideRequest, deps: OutsideRequestDeps): Promise<void> {
  const { method, source, userAgent, parties } = request
  const names = [userAgent, ...parties]
  const sender = await judgeSender({ address: source.address, names }, deps)
  if (sender.type === 'reject') {
    // A stranger gets no response, whether it sends much or little.
    if (sender.sender === 'carrier') request.reject(sender.status, sender.reason, sender.headers)
  } else if (sender.type === 'stranger') {
    deps.log.info({ source, method }, 'ignored a SIP request from an unknown address')
  } else if (sender.type === 'carrier') {
    // RFC 3261 §11.2: OPTIONS gets the status that an INVITE would get.
    if (method === 'OPTIONS' && deps.isDraining())
      request.reject(503, 'Service Unavailable', { 'Retry-After': RETRY_AFTER_SECONDS })
    else request.answer()
  }
}
