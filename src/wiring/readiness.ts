import type { Readiness } from '../platform/http/public-app.js'
import { isUp } from '../voice/telephony/when-up.js'
import type { Voice } from './voice.js'

/** Ready for calls: both servers are there, and the process is not about to end. */
export function readinessOf({ telephony, calls }: Voice): Readiness {
  return {
    isReady: isUp(telephony) && !calls.isDraining(),
    detail: { ...telephony.health, ...(calls.isDraining() ? { calls: 'draining' } : {}) },
  }
}
