import { randomBytes } from 'node:crypto'
import type { ChallengeableRequest, DigestAuth, SrfResponse } from 'drachtio-srf'
import { DomainError } from '../../../platform/errors.js'
import {
  answerChallenge,
  chooseChallenge,
  type DigestChallenge,
  divideChallenges,
} from '../../../platform/sip-digest/digest.js'
import type { DialAuth } from '../port.js'

/** No challenge matches the credentials' realm with an algorithm that we support. */
export class NoChallengeError extends DomainError {
  override readonly name = 'NoChallengeError'
  readonly code = 'no-challenge'
}

type CredentialsHeader = 'Authorization' | 'Proxy-Authorization'

/** A challenge that was answered, and the number of uses of its nonce. */
interface Answered {
  readonly challenge: DigestChallenge
  count: number
}

/** Lifts drachtio-srf's limit of one answer for each request; called before each answer. */
export type AllowAnother = (request: ChallengeableRequest) => void

/**
 * Answers only the topmost supported challenge of the credentials' realm. A proxy and the server behind it
 * may both challenge (RFC 3261 §22.3), and each once more when only its nonce was stale (RFC 7616 §3.3). Any
 * further challenge means that the password was refused.
 */
export function digestAuth(auth: DialAuth, allowAnother: AllowAnother): DigestAuth {
  const answered = new Map<CredentialsHeader, Answered>()
  const renewed = new Set<CredentialsHeader>()
  return (request, response, answer) => {
    allowAnother(request)
    const header = response.status === 407 ? 'Proxy-Authorization' : 'Authorization'
    const challenge = challengeIn(response, auth.realm)
    const before = answered.get(header)
    const mayAnswer =
      challenge !== undefined &&
      (before === undefined || (!renewed.has(header) && isRenewal(challenge, before.challenge)))
    if (!mayAnswer) {
      answer(new NoChallengeError('no challenge that the credentials are for'))
      return
    }
    if (before !== undefined) renewed.add(header)
    answered.set(header, { challenge, count: 0 })
    for (const [name, each] of answered) {
      each.count += 1
      const { options } = request._originalParams
      options.headers ??= {}
      fixHeader(options.headers, name, credentialsFor(each, auth, options))
    }
    answer(null, auth.username, auth.password)
  }
}

function challengeIn(response: SrfResponse, realm?: string): DigestChallenge | undefined {
  const header = response.status === 407 ? 'Proxy-Authenticate' : 'WWW-Authenticate'
  return chooseChallenge(divideChallenges(response.get(header) ?? ''), realm)
}

/** True when only the nonce was stale. With another realm or the same nonce, answering could loop. */
function isRenewal({ isStale, realm, nonce }: DigestChallenge, before: DigestChallenge): boolean {
  return isStale && realm === before.realm && nonce !== before.nonce
}

function credentialsFor(
  { challenge, count }: Answered,
  { username, password }: DialAuth,
  { method, uri, body }: ChallengeableRequest['_originalParams']['options'],
): string {
  const clientNonce = randomBytes(16).toString('hex')
  return answerChallenge(challenge, { username, password, method, uri, body, count, clientNonce })
}

/**
 * Sets a header that cannot be overwritten. drachtio-srf writes its own answer to a challenge, which supports
 * only MD5 and cannot separate several challenges.
 */
function fixHeader(headers: Record<string, string>, name: string, value: string): void {
  Object.defineProperty(headers, name, {
    ...{ configurable: true, enumerable: true },
    get: () => value,
    set: () => undefined,
  })
}
