import type { ErrorNumber } from '../../errors/error-catalogue.js'
import type { CallRecord } from '../../model/call-record.js'
import type { DialRoute } from '../../routing/dial-route.js'
import { dialRoutes, type RouteDeps } from '../../routing/dial-routes.js'
import type { Leg, LegEnd, LegEvents, Telephony } from '../../telephony/port.js'
import { type DetectionDeps, type DetectionListener, withDetection } from './detect-machine.js'
import { dialRoute } from './forked-leg.js'

/** Finds the routes of one call and dials them, one after another. */
export interface Dialer {
  /**
   * Resolves with the next route, or with undefined when there is none. `previous` is the end of the previous
   * route's leg. May take seconds because of DNS.
   */
  next(call: CallRecord, previous: LegEnd | undefined): Promise<DialRoute | undefined>
  /** Sends the INVITE of the route. */
  dial(call: CallRecord, route: DialRoute, events: LegEvents): Leg
  /** Stops a search for a route. */
  stop(): void
}

export interface RouteDialerDeps extends RouteDeps, DetectionDeps {
  readonly telephony: Telephony
}

/** Receives warnings and detections while a call is dialled. */
export interface DialListener extends DetectionListener {
  readonly warn: (code: ErrorNumber, message: string) => void
}

/** One shared error: creating one for each call would cost a stack trace that nobody reads. */
const STOPPED = new Error('the search for a route was stopped')

/** Dials the routes of a call in order, and detects answering machines when the plan says so. */
export class RouteDialer implements Dialer {
  readonly #deps: RouteDialerDeps
  readonly #listener: DialListener
  readonly #stopped = new AbortController()
  #routes: ReturnType<typeof dialRoutes> | undefined
  /** The route that was found last. */
  #route: DialRoute | undefined
  #isDialled = false

  constructor(deps: RouteDialerDeps, listener: DialListener) {
    this.#deps = deps
    this.#listener = listener
  }

  async next(call: CallRecord, previous: LegEnd | undefined): Promise<DialRoute | undefined> {
    if (previous !== undefined && this.#route?.leadsOn(previous) !== true) return undefined
    this.#routes ??= dialRoutes(call, this.#deps, this.#listener.warn, this.#stopped.signal)
    const { done, value } = await this.#routes.next()
    this.#route = done === true ? undefined : value
    this.#isDialled = false
    if (this.#stopped.signal.aborted) this.#giveBack()
    return this.#route
  }

  dial(call: CallRecord, route: DialRoute, events: LegEvents): Leg {
    const { machineDetection: detection } = call.plan
    this.#isDialled = true
    const reported = withRouteEvents(route, events, this.#listener.warn)
    if (detection === undefined) return dialRoute(this.#deps, route.requests, reported)
    const watched = withDetection(reported, () => leg, detection, this.#listener, this.#deps)
    const leg: Leg = dialRoute(this.#deps, route.requests, watched)
    return leg
  }

  stop(): void {
    this.#stopped.abort(STOPPED)
    this.#giveBack()
  }

  /** Notifies a route that was found but will not be dialled. */
  #giveBack(): void {
    if (this.#isDialled) return
    this.#isDialled = true
    this.#route?.onOver?.(undefined)
  }
}

/** Error numbers for legs whose INVITE was not sent. */
const OBSTACLES = { 'no-tls': 32011, 'clear-keys': 32208 } as const

/**
 * Adds to a leg's events: SIP steps name the route, the end goes to the route first, and an obstacle to the
 * call's log.
 */
function withRouteEvents(
  { onOver, via }: DialRoute,
  events: LegEvents,
  warn: DialListener['warn'],
): LegEvents {
  return {
    onInvited: () => events.onInvited?.(),
    onProgress: (progress) => events.onProgress?.(progress),
    onAnswered: () => events.onAnswered?.(),
    onSip: (step) => events.onSip?.({ ...step, ...via }),
    ...(events.onSipMessage && { onSipMessage: events.onSipMessage.bind(events) }),
    onMedia: (media) => events.onMedia?.(media),
    onFault: (why) => events.onFault?.(why),
    onEnded: (end) => {
      onOver?.(end)
      if (end.obstacle !== undefined) warn(OBSTACLES[end.obstacle], end.reason ?? 'no reason')
      events.onEnded(end)
    },
  }
}
