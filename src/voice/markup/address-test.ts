/** The call by which a document asks the test line for the caller's emergency address. */
export interface AddressTestRequest {
  /** The caller ID; undefined stands for the call's From. */
  readonly callerId: string | undefined
}
