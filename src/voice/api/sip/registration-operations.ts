/** The Registrations resource of a SIP domain, an extension of the convention. */
import { z } from '@hono/zod-openapi'
import { rfc2822 } from '../../model/callback-params.js'
import type { Binding } from '../../registrar/binding.js'
import type { Bindings } from '../../registrar/bindings.js'
import type { SipDomains } from '../../sip-domains/sip-domains.js'
import { list, said, sid, type VoiceOperation } from '../dialect/operation.js'
import { positionOf } from '../dialect/voice-paging.js'
import { datesOf, SIP, sipPath } from './sip-wire.js'

const registrationResource = z
  .object({
    sid: said('The sid of the registration: RG and 32 hex digits.'),
    account_sid: said('The sid of its account.'),
    domain_sid: said('The sid of the domain.'),
    username: said('The user who is registered.'),
    contact: said('The SIP address that the softphone gave.'),
    received_from: said('The network address that it sent from, where calls to it go.'),
    transport: said('The transport: udp, tcp or tls.'),
    q: z.number().openapi({ description: 'Its preference among the contacts, 0 to 1.' }),
    instance_id: said('The device, where the softphone says it (RFC 5626).').nullable(),
    user_agent: said('What the softphone calls itself.').nullable(),
    date_created: said('When it was registered first, as in RFC 2822.'),
    date_updated: said('When it was refreshed last, as in RFC 2822.'),
    date_expires: said('When it ends without a refresh, as in RFC 2822.'),
  })
  .openapi('SipRegistration')

export interface RegistrationDeps {
  readonly domains: SipDomains
  readonly bindings: Bindings
}

export function registrationOperations({ domains, bindings }: RegistrationDeps): VoiceOperation[] {
  return [
    list({
      id: 'listSipRegistrations',
      summary: 'List the softphones that are registered at a SIP domain, the newest first',
      path: `${SIP}/Domains/{DomainSid}/Registrations`,
      params: { DomainSid: sid('SD', 'SIP domain') },
      name: 'registrations',
      record: registrationResource,
      errors: [404],
      run: async ({ caller, params: { DomainSid } }, page) => {
        const domain = await domains.fetch(caller.sid, DomainSid)
        const found = await bindings.list(caller.sid, domain.sid, page)
        return {
          ...found,
          items: found.items.map(toWire),
          first: positionOf(found.items[0]),
          path: sipPath(caller.sid, `Domains/${domain.sid}/Registrations`),
        }
      },
    }),
  ]
}

function toWire(binding: Binding): z.infer<typeof registrationResource> {
  const { source } = binding
  const host = source.address.includes(':') ? `[${source.address}]` : source.address
  return {
    sid: binding.sid,
    account_sid: binding.accountSid,
    domain_sid: binding.domainSid,
    username: binding.username,
    contact: binding.contactUri,
    received_from: `${host}:${source.port}`,
    transport: source.transport,
    q: binding.q / 1_000,
    instance_id: binding.instanceId ?? null,
    user_agent: binding.userAgent ?? null,
    ...datesOf(binding),
    date_expires: rfc2822(new Date(binding.expiresAt)),
  }
}
