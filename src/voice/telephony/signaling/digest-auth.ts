import { randomBytes } from 'node:crypto'
import type { DigestAuth } from 'drachtio-srf'
import { DomainError } from '../../../platform/errors.js'
import {
  answerChallenge,
  chooseChallenge,
  divideChallenges,
} from '../../../platform/sip-digest/digest.js'
import type { DialAuth } from '../port.js'

/** No challenge is of the realm that the credentials are for, and of a kind that we can answer. */
export class NoChallengeError extends DomainError {
  override readonly name = 'NoChallengeError'
  readonly code = 'no-challenge'
}

/** Answers the topmost challenge of the credentials' realm that we can answer, and no other one. */
export function digestAuth({ username, password, realm }: DialAuth): DigestAuth {
  return (request, response, answer) => {
    const isProxy = response.status === 407
    const header = response.get(isProxy ? 'Proxy-Authenticate' : 'WWW-Authenticate') ?? ''
    const challenge = chooseChallenge(divideChallenges(header), realm)
    if (challenge === undefined) {
      answer(new NoChallengeError('no challenge that the credentials are for'))
      return
    }
    const { options } = request._originalParams
    const clientNonce = randomBytes(16).toString('hex')
    const { method, uri } = options
    const value = answerChallenge(challenge, {
      ...{ username, password, method, uri },
      ...{ count: 1, clientNonce },
    })
    options.headers ??= {}
    fixHeader(options.headers, isProxy ? 'Proxy-Authorization' : 'Authorization', value)
    answer(null, username, password)
  }
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
