/** A failed request, independent of the style; each style formats it. */
export interface Failure {
  readonly status: number
  /** The status in the legacy style, if it differs. */
  readonly legacyStatus?: number
  /** Error text for people; it names the field. */
  readonly message: string
  readonly headers?: Readonly<Record<string, string>>
  /** Further members of the body, such as the part of a request that succeeded. */
  readonly beside?: Readonly<Record<string, unknown>>
}

/** Thrown when an operation refuses a request. */
export class ApiFailure extends Error {
  override readonly name = 'ApiFailure'
  readonly failure: Failure

  /** `status`: one for both styles, or those of the REST and the legacy style. */
  constructor(
    status: number | readonly [rest: number, legacy: number],
    message: string,
    beside: Failure['beside'] = {},
  ) {
    super(message)
    const [rest, legacyStatus] = typeof status === 'number' ? [status, status] : status
    this.failure = { status: rest, legacyStatus, message, beside }
  }
}

/** Throws a 409 that names the first refused item; completed changes stay. */
export function refuseFailed(
  sentence: string,
  [first]: readonly { readonly reason: string }[],
  beside: Failure['beside'],
): void {
  if (first === undefined) return
  throw new ApiFailure(409, `${sentence}: ${Object.values(first).join(': ')}`, beside)
}

/** Rejects with a 403 unless the account may do this. */
export function refuseUnless(isAllowed: boolean, message: string): Promise<void> {
  return isAllowed ? Promise.resolve() : Promise.reject(new ApiFailure(403, message))
}
