/** A provider of names and routes of numbers. Numbers are in E.164. */
import { AdapterError } from '../platform/errors.js'

/** The route of a number, as carriers find it; a text is empty where nothing is known. */
export interface NumberRoute {
  /** The location routing number: ten digits. */
  readonly lrn: string
  /** The operating company number of the carrier. */
  readonly ocn: string
  /** The name of the carrier. */
  readonly lec: string
  readonly lecType: string
  readonly city: string
  readonly state: string
  readonly rateCenter: string
  readonly lata: string
  /** `Y` when the call is local, else `N`. */
  readonly local: string
  /** INTRASTATE, INTERSTATE or INDETERMINATE. */
  readonly jurisdiction: string
}

export interface LookupProvider {
  /** The name that calls from the number show; undefined when none is known. Rejects with LookupError. */
  callerName(number: string): Promise<string | undefined>
  /** The route of a call to `destination` from `caller`. Rejects with LookupError. */
  route(destination: string, caller: string): Promise<NumberRoute>
}

/** The provider did not answer, or not as it should. */
export class LookupError extends AdapterError {
  override readonly name = 'LookupError'
}
