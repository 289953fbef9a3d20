import type { SrfRequest } from 'drachtio-srf'

/**
 * The Contact of our 200 where drachtio's own would be wrong: over TLS it is a SIPS URI only where the
 * INVITE asks for one (RFC 3261 §12.1.1). drachtio 0.9 always writes one, to which baresip sends no ACK.
 * The server puts its address in place of `localhost`.
 */
export function answerContact(invite: SrfRequest): Readonly<Record<string, string>> {
  if (invite.protocol !== 'tls' || asksForSips(invite)) return {}
  return { Contact: '<sip:trunkline@localhost;transport=tls>' }
}

/**
 * The Contact of a provisional response, which begins a dialog and so needs one (RFC 3261 §12.1.1):
 * drachtio writes none by itself.
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
