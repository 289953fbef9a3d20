import { AdapterError } from '../errors.js'

export type OutboundErrorKind =
  | 'bad-url'
  | 'blocked-address'
  | 'dns'
  | 'connect-refused'
  | 'connect-timeout'
  | 'connect-failed'
  | 'tls'
  | 'tls-domain'
  | 'tls-expired'
  | 'tls-untrusted'
  | 'response-timeout'
  | 'total-timeout'
  | 'connection-lost'
  | 'protocol'
  | 'content-coding'
  | 'too-large'
  | 'too-many-redirects'
  | 'bad-redirect'
  /** Too many requests of this customer are waiting. */
  | 'overloaded'
  | 'aborted'

/** Documented error numbers of failures before a complete response. */
export type OutboundErrorCode =
  | 11100
  | 11200
  | 11201
  | 11202
  | 11203
  | 11205
  | 11206
  | 11210
  | 11215
  | 11216
  | 11220
  | 11235
  | 11236
  | 11237
  | 11750

interface KindFacts {
  /** The public number that call logs and fallback requests (`ErrorCode`) show. */
  readonly code: OutboundErrorCode
  /** A sentence for the customer that reveals nothing about our network. */
  readonly meaning: string
  readonly isRetryable: boolean
  /**
   * True when the request never reached a web server, so sending it again cannot repeat its effect.
   */
  readonly isBeforeSending: boolean
}

const before = { isRetryable: true, isBeforeSending: true }
const after = { isRetryable: true, isBeforeSending: false }
const never = { isRetryable: false, isBeforeSending: false }

/** The one table from a request's failure to the number it is reported under. */
const KINDS: Readonly<Record<OutboundErrorKind, KindFacts>> = {
  'bad-url': { code: 11100, meaning: 'the URL is not valid', ...never },
  'blocked-address': {
    // A name that leads to no public address is reported like a name that leads nowhere.
    code: 11210,
    meaning:
      'the host has an address that may not be contacted (the operator permits it by WEBHOOK_ALLOW_CIDRS)',
    ...never,
  },
  dns: { code: 11210, meaning: 'the host name could not be resolved', ...before },
  'connect-refused': { code: 11202, meaning: 'the connection was refused', ...before },
  'connect-timeout': { code: 11201, meaning: 'the connection was not made in time', ...before },
  'connect-failed': { code: 11205, meaning: 'the connection could not be made', ...before },
  tls: { code: 11220, meaning: 'the TLS handshake failed', ...before },
  'tls-domain': { code: 11235, meaning: 'the certificate is for another host', ...before },
  'tls-expired': { code: 11236, meaning: 'the certificate is not valid at this time', ...before },
  'tls-untrusted': { code: 11237, meaning: 'the certificate leads to no known CA', ...before },
  'response-timeout': { code: 11200, meaning: 'the response took too long', ...after },
  'total-timeout': { code: 11203, meaning: 'the request as a whole took too long', ...after },
  'connection-lost': {
    code: 11205,
    meaning: 'the connection was lost before the response was complete',
    ...after,
  },
  protocol: { code: 11206, meaning: 'the exchange was not proper HTTP', ...after },
  'content-coding': {
    code: 11206,
    meaning:
      'the response body has a Content-Encoding that cannot be undone; gzip, deflate and br can',
    ...never,
  },
  'too-large': { code: 11750, meaning: 'the response body is too large', ...never },
  'too-many-redirects': { code: 11215, meaning: 'there were too many redirects', ...never },
  'bad-redirect': { code: 11216, meaning: 'the redirect leads to no valid URL', ...never },
  overloaded: { code: 11205, meaning: 'too many requests to this customer are waiting', ...after },
  aborted: { code: 11205, meaning: 'the request was no longer wanted', ...never },
}

/** A request to a customer's web server that got no response. */
export class OutboundError extends AdapterError {
  override readonly name = 'OutboundError'
  readonly kind: OutboundErrorKind
  /** The request's URL at the hop that failed, without credentials. */
  readonly url: string

  constructor(kind: OutboundErrorKind, url: string, cause?: unknown) {
    super(KINDS[kind].meaning, { cause, isRetryable: KINDS[kind].isRetryable })
    this.kind = kind
    this.url = url
  }

  get code(): OutboundErrorCode {
    return KINDS[this.kind].code
  }

  get isBeforeSending(): boolean {
    return KINDS[this.kind].isBeforeSending
  }
}

const TLS_CODES: Readonly<Record<string, OutboundErrorKind>> = {
  ERR_TLS_CERT_ALTNAME_INVALID: 'tls-domain',
  CERT_HAS_EXPIRED: 'tls-expired',
  CERT_NOT_YET_VALID: 'tls-expired',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'tls-untrusted',
  SELF_SIGNED_CERT_IN_CHAIN: 'tls-untrusted',
  UNABLE_TO_GET_ISSUER_CERT: 'tls-untrusted',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'tls-untrusted',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'tls-untrusted',
  CERT_UNTRUSTED: 'tls-untrusted',
}

/** Classifies a socket failure before the request was written. */
export function kindOfConnectFailure(error: unknown, isTcpUp: boolean): OutboundErrorKind {
  const code = codeOf(error)
  const tls = TLS_CODES[code]
  if (tls !== undefined) return tls
  if (isTcpUp) return 'tls'
  if (code === 'ECONNREFUSED') return 'connect-refused'
  if (code === 'ETIMEDOUT') return 'connect-timeout'
  return 'connect-failed'
}

/** Classifies a failure of the HTTP client after writing began. */
export function kindOfExchangeFailure(error: unknown): OutboundErrorKind {
  const code = codeOf(error)
  const isParserError = code.startsWith('HPE_') || (error as Error).name === 'HTTPParserError' // a parser's own class
  const isMisframed = [
    'UND_ERR_HEADERS_OVERFLOW',
    'UND_ERR_RES_CONTENT_LENGTH_MISMATCH',
    'UND_ERR_INVALID_ARG',
    'UND_ERR_NOT_SUPPORTED',
  ].includes(code)
  return isParserError || isMisframed ? 'protocol' : 'connection-lost'
}

function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return ''
  const { code } = error as NodeJS.ErrnoException // Node and undici both put their code there
  return code ?? ''
}
