import { DomainError } from '../platform/errors.js'

/** The account has no gateway with this id. */
export class GatewayNotFoundError extends DomainError {
  override readonly name = 'GatewayNotFoundError'
  readonly code = 'gateway-not-found'
}

/** A system route cannot be changed or removed. */
export class SystemRouteError extends DomainError {
  override readonly name = 'SystemRouteError'
  readonly code = 'system-route'
}

/** The account already has the same gateway, or too many, or numbers are routed to it. */
export class GatewayConflictError extends DomainError {
  override readonly name = 'GatewayConflictError'
  readonly code = 'gateway-conflict'
}

/** The gateway's host is unknown, or calls to it are not allowed. */
export class GatewayHostError extends DomainError {
  override readonly name = 'GatewayHostError'
  readonly code = 'gateway-host'
}
