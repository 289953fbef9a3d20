/** Writes the contacts in the answer to a REGISTER. Pure. */
import { quote } from '../../platform/sip-grammar/scan.js'
import type { SipDomain } from '../sip-domains/sip-domain.js'
import type { OutsideRequest } from '../telephony/request-outside-dialog.js'
import type { Binding } from './binding.js'

/** Writes a Contact with the time that is left, and a public GRUU where one is asked for. */
export function formatContact(
  binding: Binding,
  domain: SipDomain,
  request: Pick<OutsideRequest, 'header'>,
  now: number,
): string {
  const { instanceId, regId, q } = binding
  const seconds = Math.max(0, Math.round((binding.expiresAt - now) / 1_000))
  const parts = [`<${binding.contactUri}>`, `expires=${seconds}`]
  if (q !== 1_000) parts.push(`q=${q / 1_000}`)
  if (instanceId !== undefined) {
    parts.push(`+sip.instance=${quote(instanceId)}`)
    if (regId !== undefined) parts.push(`reg-id=${regId}`)
    if (supports(request, 'gruu'))
      parts.push(`pub-gruu=${quote(publicGruu(binding.username, instanceId, domain))}`)
  }
  return parts.join(';')
}

/** The URI that leads to one instance of a user wherever it is registered (RFC 5627 §3.2). */
function publicGruu(username: string, instanceId: string, { domainName }: SipDomain): string {
  return `sip:${username}@${domainName};gr=${instanceId.slice(1, -1)}`
}

/** True when the registrar obeyed a reg-id, which its answer tells (RFC 5626 §6). */
export function usesOutbound(
  request: Pick<OutsideRequest, 'header'>,
  put: readonly Binding[],
): boolean {
  return supports(request, 'outbound') && put.some(({ regId }) => regId !== undefined)
}

function supports(request: Pick<OutsideRequest, 'header'>, option: string): boolean {
  const tags = (request.header('Supported') ?? '').toLowerCase().split(/\s*,\s*/)
  return tags.includes(option)
}
