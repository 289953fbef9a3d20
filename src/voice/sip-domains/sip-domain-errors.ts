import { DomainError } from '../../platform/errors.js'

/** The SIP domain, list, credential, address or mapping does not exist in the account. */
export class SipResourceNotFoundError extends DomainError {
  override readonly name = 'SipResourceNotFoundError'
  readonly code = 'sip-resource-not-found'
}

/** The domain name is taken, or is a subdomain of another account's domain. */
export class SipDomainNameError extends DomainError {
  override readonly name = 'SipDomainNameError'
  readonly code = 'sip-domain-name'
}

/** The domain cannot be deleted: the account has subdomains of it. */
export class SipSubdomainsError extends DomainError {
  override readonly name = 'SipSubdomainsError'
  readonly code = 'sip-subdomains'
}

/** The list is mapped to the domain already. */
export class SipListMappedError extends DomainError {
  override readonly name = 'SipListMappedError'
  readonly code = 'sip-list-mapped'
}

/**
 * The account or a list has reached its maximum: 21230 domains, 21237 addresses or their lists,
 * 21239 credential lists, 21242 credentials.
 */
export class SipLimitError extends DomainError {
  override readonly name = 'SipLimitError'
  readonly code = 'sip-limit'
  readonly number: 21230 | 21237 | 21239 | 21242
  constructor(number: SipLimitError['number'], message: string) {
    super(message)
    this.number = number
  }
}

/** The name is taken: 21235 and 21240 of a list, 21243 of a credential. */
export class SipNameTakenError extends DomainError {
  override readonly name = 'SipNameTakenError'
  readonly code = 'sip-name-taken'
  readonly number: 21235 | 21240 | 21243
  constructor(number: SipNameTakenError['number'], message: string) {
    super(message)
    this.number = number
  }
}

/** The list cannot be deleted while a domain uses it: 21236 of addresses, 21241 of credentials. */
export class SipListInUseError extends DomainError {
  override readonly name = 'SipListInUseError'
  readonly code = 'sip-list-in-use'
  readonly number: 21236 | 21241
  constructor(number: SipListInUseError['number'], message: string) {
    super(message)
    this.number = number
  }
}
