/** Cache of the certificates that Identity headers refer to by URL. */
import type { X509Certificate } from 'node:crypto'
import { SharedWork } from '../../platform/async/shared-work.js'
import type { Clock } from '../../platform/clock.js'
import type { Outbound } from '../../platform/http/outbound.js'
import { OutboundError } from '../../platform/http/outbound-error.js'
import type { Logger } from '../../platform/log.js'
import { readCertificates } from './trusted-chain.js'

export interface CertificatesDeps {
  readonly outbound: Pick<Outbound, 'request' | 'allowsPlainSockets'>
  readonly clock: Clock
  readonly log: Logger
}

/** Maximum time that a call waits for a certificate, ms. */
const FETCH_LIMIT_MS = 2_000
const MAX_BYTES = 32 * 1_024
const MAX_URL_CHARS = 512
const MAX_KEPT = 1_000
/** Time that a certificate is cached, ms. */
const KEPT_MS = 3_600_000
/** Time before a failed URL is tried again, ms. */
const FAILED_MS = 60_000

interface Kept {
  readonly chain: readonly X509Certificate[] | undefined
  readonly until: number
}

export class Certificates {
  readonly #deps: CertificatesDeps
  readonly #kept = new Map<string, Kept>()
  readonly #fetching = new SharedWork<Kept>()

  constructor(deps: CertificatesDeps) {
    this.#deps = deps
  }

  /** Resolves with the chain at the URL, the signer's certificate first; undefined on failure. */
  async find(url: string): Promise<readonly X509Certificate[] | undefined> {
    if (url.length > MAX_URL_CHARS) return undefined
    const known = this.#kept.get(url)
    if (known !== undefined && known.until > this.#deps.clock.monotonic()) return known.chain
    const never = new AbortController()
    const fetched = await this.#fetching.run(url, never.signal, (signal) =>
      this.#fetch(url, signal),
    )
    this.#keep(url, fetched)
    return fetched.chain
  }

  async #fetch(url: string, signal: AbortSignal): Promise<Kept> {
    const { outbound, clock, log } = this.#deps
    let chain: Kept['chain']
    try {
      const { status, body } = await outbound.request(
        {
          method: 'GET',
          url,
          // RFC 8226 §8 requires HTTPS. Plain HTTP is for a lab, where private hosts are allowed.
          allowedSchemes: outbound.allowsPlainSockets ? ['https:', 'http:'] : ['https:'],
          maxBodyBytes: MAX_BYTES,
          maxRedirects: 0,
          totalTimeoutMs: FETCH_LIMIT_MS,
        },
        signal,
      )
      chain = status === 200 ? readCertificates(body.toString('latin1')) : undefined
    } catch (err) {
      if (!(err instanceof OutboundError)) throw err
      log.info({ err }, 'could not fetch a certificate of an Identity header')
    }
    return { chain, until: clock.monotonic() + (chain === undefined ? FAILED_MS : KEPT_MS) }
  }

  /** Caches a result; drops the oldest entry when the cache is full. */
  #keep(url: string, fetched: Kept): void {
    this.#kept.delete(url)
    this.#kept.set(url, fetched)
    const [oldest] = this.#kept.keys()
    if (this.#kept.size > MAX_KEPT && oldest !== undefined) this.#kept.delete(oldest)
  }
}
