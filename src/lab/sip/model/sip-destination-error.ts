/** A request that cannot leave: nobody knows where to, or by which transport. */
export class SipDestinationError extends Error {
  override readonly name = 'SipDestinationError'
}
