/** Finds the registered contacts for a call to a user. */
import { parseUri } from '../../platform/sip-grammar/uri.js'
import type { DomainAudio, SipDomains } from '../sip-domains/sip-domains.js'
import type { Codec } from '../telephony/codecs.js'
import { isSecureTransport } from '../telephony/secure-hop.js'
import type { Binding } from './binding.js'
import type { Bindings } from './bindings.js'

/** A contact that can receive a call. */
export interface ReachableContact extends Binding {
  /** True at a `Secure` domain, whose calls use SRTP. */
  readonly isMediaSecure: boolean
  /** Codecs to offer, the preferred one first; undefined offers all. */
  readonly codecs: readonly Codec[] | undefined
}

export class RegisteredContacts {
  readonly #domains: Pick<SipDomains, 'find' | 'audioOf'>
  readonly #bindings: Bindings

  constructor(domains: Pick<SipDomains, 'find' | 'audioOf'>, bindings: Bindings) {
    this.#domains = domains
    this.#bindings = bindings
  }

  /**
   * Returns the contacts of `sip:user@domain`, or of `client:user` at any domain of the account,
   * preferred ones first. For a secure domain or a `sips:` address, only contacts registered over
   * TLS. Undefined when the address is neither form or its domain is not the account's.
   */
  async find(
    accountSid: string,
    address: string,
  ): Promise<readonly ReachableContact[] | undefined> {
    const client = /^client:(.+)$/i.exec(address)?.[1]
    if (client !== undefined) return this.#ofClient(accountSid, client)
    const uri = parseUri(address)
    if (uri?.user === undefined || uri.scheme === 'tel' || !uri.host.includes('.')) return undefined
    const domain = await this.#domains.find(uri.host)
    if (domain?.accountSid !== accountSid) return undefined
    const all = await this.#bindings.of({ domainSid: domain.sid, username: uri.user })
    const { gr: instance } = uri.params
    // A public GRUU names one device (RFC 5627 §3.2).
    const meant = all.filter(
      ({ instanceId }) => instance === undefined || instanceId === `<${instance}>`,
    )
    const isSips = uri.scheme === 'sips'
    return meant.flatMap((binding) => reachable(binding, domain, isSips))
  }

  async #ofClient(accountSid: string, username: string): Promise<readonly ReachableContact[]> {
    const bindings = await this.#bindings.ofAccount(accountSid, username)
    const sids = [...new Set(bindings.map(({ domainSid }) => domainSid))]
    const domains = await this.#domains.audioOf(sids)
    return bindings.flatMap((binding) => {
      const domain = domains.get(binding.domainSid)
      return domain === undefined ? [] : reachable(binding, domain, false)
    })
  }
}

/** RFC 3261 §26.2.2: a SIPS contact is reached over TLS as well. */
function reachable(
  binding: Binding,
  { secure, codecs }: DomainAudio,
  isSips: boolean,
): readonly ReachableContact[] {
  const needsTls = secure || isSips || /^sips:/i.test(binding.contactUri)
  if (needsTls && !isSecureTransport(binding.source.transport)) return []
  return [{ ...binding, isMediaSecure: secure, codecs }]
}
