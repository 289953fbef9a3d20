/** The SIP domains of an account. */
import { z } from '@hono/zod-openapi'
import type { FormFields } from '../../../platform/api/read-body.js'
import type { SipDomain } from '../../sip-domains/sip-domain.js'
import type { SipResources } from '../../sip-domains/sip-resources.js'
import { queryText } from '../dialect/form.js'
import { list, operation, sid, type VoiceOperation } from '../dialect/operation.js'
import { positionOf } from '../dialect/voice-paging.js'
import {
  changedSettings,
  createDomainForm,
  DOMAIN_FIELD_ERRORS,
  domainResource,
  domainToWire,
  newSettings,
  updateDomainForm,
} from './domain-schemas.js'
import { SIP, sipPath } from './sip-wire.js'

const DOMAINS = `${SIP}/Domains` as const
const DOMAIN = `${DOMAINS}/{Sid}` as const
const params = { Sid: sid('SD', 'SIP domain') }
const EMERGENCY =
  'With EmergencyCallingEnabled, calls to 911 and 933 need no webhook; they show the number of EmergencyCallerSid, whose emergency address help is sent to. There are no BYOC trunks: a ByocTrunkSid is stored and has no effect.'

export interface DomainDeps {
  readonly sip: SipResources
}

export function domainOperations(deps: DomainDeps): VoiceOperation[] {
  return [...domainsOfAccount(deps), ...oneDomain(deps)]
}

function domainsOfAccount(deps: DomainDeps): VoiceOperation[] {
  const { sip } = deps
  return [
    operation({
      id: 'createSipDomain',
      summary: 'Create a SIP domain',
      description: EMERGENCY,
      method: 'post',
      path: DOMAINS,
      body: createDomainForm,
      fieldErrors: DOMAIN_FIELD_ERRORS,
      status: 201,
      response: domainResource,
      run: async ({ caller, body }) => {
        const settings = newSettings(body.DomainName, body)
        const domain = await sip.domains.create(caller.sid, body.DomainName, settings)
        return domainToWire(domain, undefined)
      },
    }),
    list({
      id: 'listSipDomains',
      summary: 'List SIP domains, the newest first',
      path: DOMAINS,
      name: 'domains',
      record: domainResource,
      query: z.object({ FriendlyName: queryText('Only the domains of exactly this name.') }),
      run: async ({ caller, query: { FriendlyName } }, page) => {
        const filter = { friendlyName: FriendlyName === '' ? undefined : FriendlyName }
        const found = await sip.domains.list(caller.sid, filter, page)
        const mapped = await sip.mappings.authTypesOf(found.items.map((domain) => domain.sid))
        return {
          ...found,
          items: found.items.map((domain) => domainToWire(domain, mapped.get(domain.sid))),
          first: positionOf(found.items[0]),
          path: sipPath(caller.sid, 'Domains'),
        }
      },
    }),
  ]
}

function oneDomain(deps: DomainDeps): VoiceOperation[] {
  const { domains, mappings } = deps.sip
  const show = async (domain: SipDomain) =>
    domainToWire(domain, (await mappings.authTypesOf([domain.sid])).get(domain.sid))
  return [
    operation({
      id: 'fetchSipDomain',
      summary: 'Get a SIP domain',
      method: 'get',
      path: DOMAIN,
      params,
      response: domainResource,
      errors: [404],
      run: async ({ caller, params: { Sid } }) => show(await domains.fetch(caller.sid, Sid)),
    }),
    operation({
      id: 'updateSipDomain',
      summary: 'Change a SIP domain: present fields change, empty ones are cleared',
      description: EMERGENCY,
      method: 'post',
      path: DOMAIN,
      params,
      body: updateDomainForm,
      fieldErrors: DOMAIN_FIELD_ERRORS,
      response: domainResource,
      errors: [404],
      run: async ({ caller, params: { Sid }, body, given }) => {
        await domains.fetch(caller.sid, Sid)
        // The form's schema does not tell empty from absent.
        const fields = given as FormFields
        const domain = await domains.update(caller.sid, Sid, (current) =>
          changedSettings(current, body, fields),
        )
        return show(domain)
      },
    }),
    operation({
      id: 'deleteSipDomain',
      summary: 'Delete a SIP domain with its mappings and registrations',
      method: 'delete',
      path: DOMAIN,
      params,
      errors: [404],
      run: ({ caller, params: { Sid } }) => domains.remove(caller.sid, Sid),
    }),
  ]
}
