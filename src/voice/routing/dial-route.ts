import type { ErrorNumber } from '../errors/error-catalogue.js'
import type { DialRequest, LegEnd, SipStep } from '../telephony/port.js'

/** One route to the called party. */
export interface DialRoute {
  /** The requests to send at once: several contacts of a user ring together. */
  readonly requests: readonly [DialRequest, ...DialRequest[]]
  /** True when the next route should be tried after this end. */
  readonly leadsOn: (end: LegEnd) => boolean
  /** The carrier, or the account's gateway, that the route leads to; the SIP events of its leg show it. */
  readonly via?: Pick<SipStep, 'carrier' | 'gateway'>
  /** Called once: when the leg of the route has ended, or with undefined when it was never dialled. */
  readonly onOver?: ((end: LegEnd | undefined) => void) | undefined
}

/** The fields that all requests of a call share. */
export type CommonRequest = Omit<DialRequest, 'uri'>

/** Adds a warning to the call's event log. */
export type Warn = (code: ErrorNumber, message: string) => void

/** Returns the name under which a gateway's concurrent calls are counted. No carrier can have it. */
export function gatewayKey(id: number): string {
  return `gateway:${String(id)}`
}
