import type { ErrorNumber } from '../errors/error-catalogue.js'
import type { DialRequest, LegEnd } from '../telephony/port.js'

/** One way to the called party. */
export interface DialRoute {
  /** The requests that are sent at once: several contacts of a user ring together. */
  readonly requests: readonly [DialRequest, ...DialRequest[]]
  /** True when the end of this route leads to the next one. */
  readonly leadsOn: (end: LegEnd) => boolean
  /** Called once: when the leg of the route has ended, or with undefined when it was never dialled. */
  readonly onOver?: ((end: LegEnd | undefined) => void) | undefined
}

/** What every request of a call has. */
export type CommonRequest = Omit<DialRequest, 'uri'>

/** Adds a warning to the call's event log. */
export type Warn = (code: ErrorNumber, message: string) => void

/** The name under which the calls at once of a gateway are counted. No carrier can have it. */
export function gatewayKey(id: number): string {
  return `gateway:${String(id)}`
}
