/**
 * Authenticates softphones by digest (RFC 3261 §22, RFC 8760). Nonces are signed, not stored, so
 * that every process accepts those of the others; their counts are stored, so that none can be
 * replayed.
 */
import { createHmac, randomBytes } from 'node:crypto'
import { KeyedQueue } from '../../platform/async/serial-queue.js'
import type { Clock } from '../../platform/clock.js'
import type { Database } from '../../platform/database/database.js'
import type { Logger } from '../../platform/log.js'
import type { Vault } from '../../platform/secrets.js'
import { type DigestTarget, isClaimFor } from '../../platform/sip-digest/claimed-uri.js'
import {
  type DigestAlgorithm,
  type DigestCredentials,
  formatChallenge,
  hashSecret,
  isAnswerRight,
  parseCredentials,
} from '../../platform/sip-digest/digest.js'
import { checkNonce, makeNonce } from '../../platform/sip-digest/nonces.js'
import { DIGEST_REALM } from '../sip-domains/sip-credentials.js'
import type { MappingPurpose } from '../sip-domains/sip-mappings.js'
import type { GuessLimit } from './guess-limit.js'
import type { NonceUse } from './nonce-counts.js'

/** Lifetime of a nonce, ms. With a stale one, the client retries without prompting the user. */
export const NONCE_AGE_MS = 300_000

/**
 * Where credentials are valid: at a SIP domain for one purpose, or for calls of accounts
 * themselves.
 */
export type DigestPlace =
  | { readonly type: 'domain'; readonly domainSid: string; readonly purpose: MappingPurpose }
  | { readonly type: 'accounts' }

export interface DigestRequest extends DigestTarget {
  readonly place: DigestPlace
  /** The values of Authorization or Proxy-Authorization, joined into one string. */
  readonly authorization: string | undefined
  readonly userAgent: string | undefined
  readonly address: string
}

export type DigestVerdict =
  /**
   * The credentials are right. The caller stores the use of the nonce before it acts on the
   * request.
   */
  | { readonly type: 'accepted'; readonly username: string; readonly use: NonceUse }
  /** Responded with 401 and these values of WWW-Authenticate, the preferred one first. */
  | { readonly type: 'challenge'; readonly challenges: readonly string[] }
  /** `isUserKnown` is for the operator alone: the response is the same for both. */
  | { readonly type: 'wrong'; readonly isUserKnown: boolean }
  /** The credentials are for another Request-URI (RFC 7616 §3.4.6); responded with 400. */
  | { readonly type: 'misdirected' }
  | { readonly type: 'refuse' | 'ignore' }

/** Warning text for credentials of another request. */
export const MISDIRECTED = 'the credentials are for another Request-URI'

/** A verdict that refuses the request. */
export type DigestRefusal = Exclude<DigestVerdict, { readonly type: 'accepted' }>

export interface DigestGateDeps {
  readonly key: Buffer
  readonly guesses: GuessLimit
  /**
   * Resolves with H(A1) for the algorithm: one value per password that the user has at the place.
   */
  readonly secretsOf: (
    place: DigestPlace,
    username: string,
    algorithm: DigestAlgorithm,
  ) => Promise<readonly string[]>
  /** Resolves with true when the user is registered from the address. */
  readonly isKnownFrom: (place: DigestPlace, username: string, address: string) => Promise<boolean>
  readonly clock: Clock
  readonly log: Logger
}

const SALT_BYTES = 9
const MAX_KEYS = 1_000

/**
 * User agents without SHA-256, which get an MD5 challenge only. Some of them fail on a challenge
 * with an unknown algorithm, although RFC 8760 §2.4 tells them to try the next: baresip before 2,
 * SIPp, Asterisk before 16.19 (FreePBX names it in brackets), PJSIP before 2.11.
 */
const MD5_ONLY = [
  /^baresip v?[01]\./i,
  /^SIPp\b/i,
  /^Asterisk PBX (?:certified[-/])?1\d?\./i,
  /^FPBX-[\w.]+\(1\d?\./i,
  /^PJSUA v(?:[01]|2\.(?:\d|10))(?!\d)/i,
]

const NONCE_KEY = 'nonces'
const NONCE_KEY_BYTES = 32

export class DigestGate {
  readonly #deps: DigestGateDeps
  /** Serializes the requests of one address, so that each sees the failures before it. */
  readonly #turns = new KeyedQueue()
  /** Keys that sign nonces, by name of the place. */
  readonly #keys = new Map<string, Buffer>()
  /** Secrets compared when the user does not exist, so that both cases take the same time. */
  readonly #decoys: Readonly<Record<DigestAlgorithm, string>>

  constructor(deps: DigestGateDeps) {
    this.#deps = deps
    const nobody = deps.key.toString('hex')
    this.#decoys = {
      MD5: hashSecret('MD5', nobody, DIGEST_REALM, nobody),
      'SHA-256': hashSecret('SHA-256', nobody, DIGEST_REALM, nobody),
    }
  }

  async judge(request: DigestRequest): Promise<DigestVerdict> {
    const credentials = ownCredentials(request.authorization)
    const age = credentials && this.#ageOf(credentials, request)
    if (credentials === undefined || age === 'foreign') return this.#challenge(request, false)
    const verdict = await this.#turns.run(request.address, () => this.#check(request, credentials))
    return age === 'stale' && verdict.type === 'accepted' ? this.#challenge(request, true) : verdict
  }

  /** Returns the challenge for a request whose right credentials were used before. */
  challengeAgain(request: DigestRequest): DigestRefusal {
    const { address, place } = request
    this.#deps.log.warn(
      { address, place: nameOf(place) },
      'refused credentials that were used before',
    )
    return this.#challenge(request, false)
  }

  async #check(request: DigestRequest, credentials: DigestCredentials): Promise<DigestVerdict> {
    const { clock, guesses, isKnownFrom, log } = this.#deps
    const { address, place } = request
    const { username } = credentials
    const guess = { address, user: `${nameOf(place)} ${username}` }
    const verdict = await guesses.judge(guess, clock.monotonic(), () =>
      isKnownFrom(place, username, address),
    )
    if (verdict !== 'try') return { type: verdict }
    if (!isClaimFor(credentials.uri, request)) {
      log.info({ address, place: nameOf(place) }, 'refused credentials for another Request-URI')
      return { type: 'misdirected' }
    }
    const { isRight, isUserKnown } = await this.#compare(request, credentials)
    if (!isRight) {
      guesses.failed(guess, clock.monotonic())
      log.info({ address, place: nameOf(place) }, 'refused wrong credentials')
      return { type: 'wrong', isUserKnown }
    }
    const { nonce, count } = credentials
    return {
      type: 'accepted',
      username,
      use: { nonce, count, expiresAt: clock.now() + NONCE_AGE_MS },
    }
  }

  async #compare(request: DigestRequest, credentials: DigestCredentials) {
    const { place, method } = request
    const { username, algorithm } = credentials
    const known = await this.#deps.secretsOf(place, username, algorithm)
    const secrets = known.length === 0 ? [this.#decoys[algorithm]] : known
    // Compares every secret, so that timing does not reveal which one was right.
    const isRight = secrets
      .map((secret) => isAnswerRight(credentials, method, secret))
      .includes(true)
    return { isRight, isUserKnown: known.length > 0 }
  }

  #ageOf({ nonce }: DigestCredentials, { place }: DigestRequest) {
    return checkNonce(this.#keyOf(place), nonce, this.#deps.clock.now(), NONCE_AGE_MS)
  }

  #challenge({ place, userAgent }: DigestRequest, isStale: boolean): DigestRefusal {
    const salt = randomBytes(SALT_BYTES).toString('base64url')
    const nonce = makeNonce(this.#keyOf(place), this.#deps.clock.now(), salt)
    const challenges = offeredAlgorithms(userAgent).map((algorithm) =>
      formatChallenge({ realm: DIGEST_REALM, nonce, algorithm, qop: 'auth', isStale }),
    )
    return { type: 'challenge', challenges }
  }

  /** Returns the place's key, so that a nonce is valid at one place only. */
  #keyOf(place: DigestPlace): Buffer {
    const name = nameOf(place)
    const kept = this.#keys.get(name)
    if (kept !== undefined) return kept
    const key = createHmac('sha256', this.#deps.key).update(name).digest()
    if (this.#keys.size >= MAX_KEYS) this.#keys.clear()
    this.#keys.set(name, key)
    return key
  }
}

/** Returns the algorithms of the challenges, the preferred one first (RFC 8760 §2.3). */
export function offeredAlgorithms(userAgent: string | undefined): readonly DigestAlgorithm[] {
  const isMd5Only = MD5_ONLY.some((pattern) => pattern.test(userAgent ?? ''))
  return isMd5Only ? ['MD5'] : ['SHA-256', 'MD5']
}

function nameOf(place: DigestPlace): string {
  return place.type === 'domain' ? place.domainSid : 'accounts'
}

/** Returns the credentials for our realm; a softphone may also send some for other realms. */
function ownCredentials(authorization: string | undefined): DigestCredentials | undefined {
  return authorization
    ?.split(/,\s*(?=Digest\s)/i)
    .map(parseCredentials)
    .find((credentials) => credentials?.realm === DIGEST_REALM)
}

/**
 * Reads or creates the key that signs nonces. All processes on the database share it, so each
 * accepts the nonces of the others.
 */
export async function openNonceKey(db: Database, vault: Vault): Promise<Buffer> {
  const sealed = vault.seal(randomBytes(NONCE_KEY_BYTES).toString('hex'))
  const row = await db.write(async (tx) => {
    await tx
      .insertInto('sip_signing_keys')
      .values({ name: NONCE_KEY, keySealed: sealed })
      .onConflict((conflict) => conflict.column('name').doNothing())
      .execute()
    return tx
      .selectFrom('sip_signing_keys')
      .select('keySealed')
      .where('name', '=', NONCE_KEY)
      .executeTakeFirstOrThrow()
  })
  return Buffer.from(vault.open(row.keySealed), 'hex')
}
