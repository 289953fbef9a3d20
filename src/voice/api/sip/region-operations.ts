/** The inbound region of a SIP domain, under `/v2`. */
import { z } from '@hono/zod-openapi'
import type { SipDomain } from '../../sip-domains/sip-domain.js'
import { SipResourceNotFoundError } from '../../sip-domains/sip-domain-errors.js'
import type { SipDomains } from '../../sip-domains/sip-domains.js'
import { optionalText } from '../dialect/form.js'
import { operation, said, type VoiceOperation } from '../dialect/operation.js'

const params = {
  SipDomain: z.string().openapi({ description: 'The name of the domain, or its sid.' }),
}

const regionForm = z
  .object({
    VoiceRegion: optionalText(/^[a-z]{2}\d{1,2}$/, 'must be a region such as us1'),
    FriendlyName: optionalText(/^[^\p{Cc}]*$/u, 'must be one line', 64),
  })
  .openapi('UpdateInboundRegion')

const regionResource = z
  .object({
    url: said('Its address.'),
    sid: said('The sid of the record: QQ and 32 hex digits.'),
    account_sid: said('The sid of its account.'),
    sip_domain: said('The name of the SIP domain.'),
    friendly_name: said('A name for people.'),
    voice_region: said('The region. This server has one place: it changes nothing.'),
    date_created: said('When it was made, as in ISO 8601.'),
    date_updated: said('When it changed last, as in ISO 8601.'),
  })
  .openapi('InboundRegion')

export const REGION_BASE = '/v2/SipDomains'

/** Returns the operations below `/v2/SipDomains`. */
export function regionOperations(domains: SipDomains): VoiceOperation[] {
  return [
    operation({
      id: 'fetchInboundRegion',
      summary: 'Get the inbound region of a SIP domain',
      method: 'get',
      path: '/{SipDomain}',
      params,
      response: regionResource,
      errors: [404],
      run: async ({ caller, params: { SipDomain }, http }) =>
        toWire(await owned(domains, caller.sid, SipDomain), http.origin),
    }),
    operation({
      id: 'updateInboundRegion',
      summary: 'Change the inbound region of a SIP domain',
      method: 'post',
      path: '/{SipDomain}',
      params,
      body: regionForm,
      fieldErrors: { VoiceRegion: { invalid: 21252 }, FriendlyName: { invalid: 20002 } },
      response: regionResource,
      errors: [404],
      run: async ({ caller, params: { SipDomain }, body, http }) => {
        const { sid } = await owned(domains, caller.sid, SipDomain)
        const change = { friendlyName: body.FriendlyName, voiceRegion: body.VoiceRegion }
        return toWire(await domains.changeRegion(caller.sid, sid, change), http.origin)
      },
    }),
  ]
}

/** Returns the account's domain. A domain of another account counts as missing. */
async function owned(domains: SipDomains, accountSid: string, name: string): Promise<SipDomain> {
  if (/^SD[0-9a-f]{32}$/.test(name)) return domains.fetch(accountSid, name)
  const domain = await domains.find(name)
  if (domain?.accountSid !== accountSid)
    throw new SipResourceNotFoundError(`there is no SIP domain ${name}`)
  return domain
}

function toWire(domain: SipDomain, origin: string): z.infer<typeof regionResource> {
  const { region } = domain
  return {
    url: `${origin}${REGION_BASE}/${domain.domainName}`,
    sid: region.sid,
    account_sid: domain.accountSid,
    sip_domain: domain.domainName,
    friendly_name: region.friendlyName,
    voice_region: region.voiceRegion,
    date_created: iso8601(domain.createdAt),
    date_updated: iso8601(region.updatedAt),
  }
}

/** Formats a time as `2022-06-02T22:33:47Z`. */
function iso8601(at: number): string {
  return new Date(at).toISOString().replace(/\.\d{3}Z$/, 'Z')
}
