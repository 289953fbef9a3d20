/** A TLS connection was not made. The message is a sentence for the application. */
export class SipTlsError extends Error {
  override readonly name = 'SipTlsError'
}
