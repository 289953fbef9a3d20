import type { SrfRequest } from 'drachtio-srf'
import { isSecureHop } from '../secure-hop.js'

type Headers = Readonly<Record<string, string>>

/**
 * Returns the Contact of our 200 when drachtio's own would be wrong: over TLS it must be a SIPS URI only if
 * the INVITE asks for one (RFC 3261 §12.1.1). drachtio 0.9 always writes a SIPS URI, to which baresip sends
 * no ACK. drachtio replaces `localhost` with its address.
 */
export function answerContact(invite: SrfRequest): Headers {
  if (invite.protocol !== 'tls' || asksForSips(invite)) return {}
  return { Contact: '<sip:trunkline@localhost;transport=tls>' }
}

/**
 * Returns the Contact of our INVITE over TLS: a SIPS URI only if the Request-URI is one (RFC 3261 §8.1.1.8).
 * drachtio's own Contact depends on its settings and on registrations.
 */
export function inviteContact({
  uri,
  proxy,
}: {
  uri: string
  proxy?: string | undefined
}): Headers {
  if (!isSecureHop(proxy ?? uri)) return {}
  if (/^sips:/i.test(uri)) return { Contact: '<sips:trunkline@localhost>' }
  return { Contact: '<sip:trunkline@localhost;transport=tls>' }
}

/**
 * Returns the Contact of a provisional response, which creates a dialog and so needs one (RFC 3261 §12.1.1);
 * drachtio writes none.
 */
export function provisionalContact(invite: SrfRequest): { readonly Contact: string } {
  if (asksForSips(invite)) return { Contact: '<sips:trunkline@localhost>' }
  const transport = invite.protocol === 'udp' ? '' : `;transport=${invite.protocol}`
  return { Contact: `<sip:trunkline@localhost${transport}>` }
}

function asksForSips(invite: SrfRequest): boolean {
  const target = invite.get('Record-Route') ?? invite.get('Contact') ?? ''
  return /^sips:/i.test(invite.uri) || /^[^<]*<?sips:/i.test(target)
}
