import type { Logger } from '../../platform/log.js'
import { notify } from './legs/leg-deps.js'
import type { IncomingInvite } from './port.js'

const SERVER_ERROR = 500
const SERVICE_UNAVAILABLE = 503

/**
 * Passes a call to the handler of new calls. Rejects the call with 503 without a handler, and with
 * 500 when the handler throws before a leg has accepted the call.
 */
export function offerInvite(
  invite: IncomingInvite,
  handler: ((invite: IncomingInvite) => void) | undefined,
  isTaken: () => boolean,
  log: Logger,
): void {
  if (handler === undefined) invite.reject(SERVICE_UNAVAILABLE)
  else if (!notify(log, handler.bind(undefined, invite)) && !isTaken()) invite.reject(SERVER_ERROR)
}
