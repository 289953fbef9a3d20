import type { DigestAuth } from 'drachtio-srf'
import { DomainError } from '../../../platform/errors.js'
import type { DialAuth } from '../port.js'

/** A challenge of a realm that the credentials are not for. */
export class ForeignRealmError extends DomainError {
  override readonly name = 'ForeignRealmError'
  readonly code = 'foreign-realm'
}

/** Gives the credentials to the package for a challenge of their realm, and to no other. */
export function digestAuth({ username, password, realm }: DialAuth): DigestAuth {
  return (_request, response, answer) => {
    const header = response.status === 407 ? 'Proxy-Authenticate' : 'WWW-Authenticate'
    const challenge = response.get(header) ?? ''
    if (realm === undefined || realmOf(challenge) === realm) answer(null, username, password)
    else answer(new ForeignRealmError(`a challenge of another realm than ${realm}`))
  }
}

/** The realm of a challenge (RFC 3261 §20.44), compared as it is written. */
function realmOf(challenge: string): string | undefined {
  return /\brealm\s*=\s*"((?:[^"\\]|\\.)*)"/i.exec(challenge)?.[1]
}
