import type { Logger } from '../../../platform/log.js'
import type { ErrorNumber } from '../../errors/error-catalogue.js'
import type { CallRecord } from '../../model/call-record.js'
import {
  type DialRoute,
  dialRoutes,
  isWorthAnotherRoute,
  type RouteDeps,
} from '../../routing/dial-routes.js'
import type { Leg, LegEnd, LegEvents, Telephony } from '../../telephony/port.js'
import { type DetectionListener, withDetection } from './detect-machine.js'
import { dialRoute } from './forked-leg.js'

/** Finds the routes of one call and dials them, one after another. */
export interface Dialer {
  /**
   * Resolves with the next route, or with undefined when there is none. `previous` is how the leg of the
   * route before ended. A name server may take seconds.
   */
  next(call: CallRecord, previous: LegEnd | undefined): Promise<DialRoute | undefined>
  /** Sends the INVITE of the route. */
  dial(call: CallRecord, route: DialRoute, events: LegEvents): Leg
  /** Ends a search for a route. */
  stop(): void
}

export interface RouteDialerDeps extends RouteDeps {
  readonly telephony: Telephony
  readonly log: Logger
}

/** Receives warnings and detections while a call is dialled. */
export interface DialListener extends DetectionListener {
  readonly warn: (code: ErrorNumber, message: string) => void
}

/** Dials the routes of a call in their order, and detects answering machines where the plan says so. */
export class RouteDialer implements Dialer {
  readonly #deps: RouteDialerDeps
  readonly #listener: DialListener
  readonly #stopped = new AbortController()
  #routes: ReturnType<typeof dialRoutes> | undefined

  constructor(deps: RouteDialerDeps, listener: DialListener) {
    this.#deps = deps
    this.#listener = listener
  }

  async next(call: CallRecord, previous: LegEnd | undefined): Promise<DialRoute | undefined> {
    if (previous !== undefined && !isWorthAnotherRoute(previous)) return undefined
    this.#routes ??= dialRoutes(call, this.#deps, this.#listener.warn, this.#stopped.signal)
    const { done, value } = await this.#routes.next()
    return done === true ? undefined : value
  }

  dial(call: CallRecord, route: DialRoute, events: LegEvents): Leg {
    const { telephony, log } = this.#deps
    const { machineDetection: detection } = call.plan
    if (detection === undefined) return dialRoute(telephony, route, events)
    const watched = withDetection(events, () => leg, detection, this.#listener, log)
    const leg: Leg = dialRoute(telephony, route, watched)
    return leg
  }

  stop(): void {
    this.#stopped.abort()
  }
}
