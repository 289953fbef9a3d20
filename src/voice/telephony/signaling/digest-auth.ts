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

/** No challenge is of the realm that the credentials are for, and of a kind that we can answer. */
export class NoChallengeError extends DomainError {
  override readonly name = 'NoChallengeError'
  readonly code = 'no-challenge'
}

type CredentialsHeader = 'Authorization' | 'Proxy-Authorization'

/** A challenge that was answered, and how often its nonce was used. */
interface Answered {
  readonly challenge: DigestChallenge
  count: number
}

/** Ends the package's own bound of one answer for each request; called before each answer. */
export type AllowAnother = (request: ChallengeableRequest) => void

/**
 * Answers the topmost challenge of the credentials' realm that we can answer, and no other one. A proxy
 * and the server behind it may both ask (RFC 3261 §22.3); and each once more, when only its nonce was
 * old (RFC 7616 §3.3). Whoever asks again otherwise has refused the password.
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

/** True when only the nonce was old: for another realm, or with the same nonce, it would be a loop. */
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
 * Gives a header a value that stays. The package writes its own answer to a challenge, which knows
 * MD5 alone and takes several challenges for one.
 */
function fixHeader(headers: Record<string, string>, name: string, value: string): void {
  Object.defineProperty(headers, name, {
    ...{ configurable: true, enumerable: true },
    get: () => value,
    set: () => undefined,
  })
}
