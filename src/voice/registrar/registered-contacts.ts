/** Finds the contacts of a user whom a call goes to. */
import { parseUri } from '../../platform/sip-grammar/uri.js'
import type { SipDomains } from '../sip-domains/sip-domains.js'
import type { Binding } from './binding.js'
import type { Bindings } from './bindings.js'

export class RegisteredContacts {
  readonly #domains: Pick<SipDomains, 'find'>
  readonly #bindings: Bindings

  constructor(domains: Pick<SipDomains, 'find'>, bindings: Bindings) {
    this.#domains = domains
    this.#bindings = bindings
  }

  /**
   * The contacts behind `sip:user@domain` of the account, or `client:user` at any domain of it, the
   * preferred ones first. Undefined when the address is none of these.
   */
  async find(accountSid: string, address: string): Promise<readonly Binding[] | undefined> {
    const client = /^client:(.+)$/i.exec(address)?.[1]
    if (client !== undefined) return this.#bindings.ofAccount(accountSid, client)
    const uri = parseUri(address)
    if (uri?.user === undefined || uri.scheme === 'tel' || !uri.host.includes('.')) return undefined
    const domain = await this.#domains.find(uri.host)
    if (domain?.accountSid !== accountSid) return undefined
    const all = await this.#bindings.of({ domainSid: domain.sid, username: uri.user })
    const { gr: instance } = uri.params
    // A public GRUU means one device (RFC 5627 §3.2).
    return instance === undefined ? all : all.filter((each) => each.instanceId === `<${instance}>`)
  }
}
