import { DomainError } from '../platform/errors.js'

/** The account has no gateway of that id. */
export class GatewayNotFoundError extends DomainError {
  override readonly name = 'GatewayNotFoundError'
  readonly code = 'gateway-not-found'
}

/** A system route is changed or removed. */
export class SystemRouteError extends DomainError {
  override readonly name = 'SystemRouteError'
  readonly code = 'system-route'
}

/** The account has the same gateway already, or too many of them, or numbers are routed to it. */
export class GatewayConflictError extends DomainError {
  override readonly name = 'GatewayConflictError'
  readonly code = 'gateway-conflict'
}

/** The host of a gateway is not known, or not one that calls may be sent to. */
export class GatewayHostError extends DomainError {
  override readonly name = 'GatewayHostError'
  readonly code = 'gateway-host'
}
