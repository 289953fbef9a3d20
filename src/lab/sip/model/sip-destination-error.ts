/** A request cannot be sent: its destination or its transport is unknown. */
export class SipDestinationError extends Error {
  override readonly name = 'SipDestinationError'
}
