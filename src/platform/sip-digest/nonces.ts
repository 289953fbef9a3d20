/** Nonces that a server verifies without storing them: a time and an HMAC. */
import { createHmac, timingSafeEqual } from 'node:crypto'

export type NonceVerdict = 'fresh' | 'stale' | 'foreign'

/** Returns a nonce. `salt` makes nonces of one millisecond differ; it must not contain a dot. */
export function makeNonce(secret: Buffer, now: number, salt: string): string {
  const claim = `${now.toString(36)}.${salt}`
  return `${claim}.${prove(secret, claim)}`
}

/**
 * Checks a nonce: stale when older than the limit; foreign when we did not make it, or it is from the future.
 */
export function checkNonce(
  secret: Buffer,
  nonce: string,
  now: number,
  maxAgeMs: number,
): NonceVerdict {
  const end = nonce.lastIndexOf('.')
  const claim = nonce.slice(0, Math.max(end, 0))
  const given = Buffer.from(nonce.slice(end + 1))
  const expected = Buffer.from(prove(secret, claim))
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return 'foreign'
  const age = now - Number.parseInt(claim, 36)
  if (!(age >= 0)) return 'foreign'
  return age <= maxAgeMs ? 'fresh' : 'stale'
}

function prove(secret: Buffer, claim: string): string {
  return createHmac('sha256', secret).update(claim).digest('base64url')
}

/**
 * Stores the highest count of each nonce: a request whose count is not higher is a replay (RFC 7616 §3.4.3).
 * Expired nonces are removed, and the oldest when full.
 */
export class NonceCounts {
  readonly #seen = new Map<string, { readonly count: number; readonly at: number }>()
  readonly #maxAgeMs: number
  readonly #maxNonces: number

  constructor(maxAgeMs: number, maxNonces = 10_000) {
    this.#maxAgeMs = maxAgeMs
    this.#maxNonces = maxNonces
  }

  get size(): number {
    return this.#seen.size
  }

  /** Checks and stores the count of a request; false for a replay. */
  accept(nonce: string, count: number, now: number): boolean {
    const seen = this.#seen.get(nonce)
    if (count <= (seen?.count ?? 0)) return false
    this.#seen.set(nonce, { count, at: seen?.at ?? now })
    this.#forget(now)
    return true
  }

  /** Removes old nonces. A map keeps the order of first use, so the oldest come first. */
  #forget(now: number): void {
    for (const [nonce, { at }] of this.#seen) {
      if (now - at <= this.#maxAgeMs && this.#seen.size <= this.#maxNonces) return
      this.#seen.delete(nonce)
    }
  }
}
