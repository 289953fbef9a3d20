import Srf, { type Dialog, type SipMessage, type SrfRequest } from 'drachtio-srf'
import { type DialogFacts, type InviteFacts, tagOf } from '../dialog-facts.js'

/**
 * Returns the facts of a dialog that has just been created; `server` is the drachtio server that holds it.
 */
export function dialogFactsOf(dialog: Dialog, server: string): DialogFacts {
  const { req, res, sip } = dialog
  const isOurs = dialog.type === 'uac'
  // The peer's message that created the dialog.
  const theirs = isOurs ? res : req
  const to = (isOurs ? res : req).get('To') ?? ''
  const parties = isOurs
    ? { localParty: req.get('From') ?? '', remoteParty: to }
    : { localParty: withTag(to, sip.localTag), remoteParty: req.get('From') ?? '' }
  const routes = recordedRoutes(theirs)
  return {
    callId: sip.callId,
    ...parties,
    target: dialog.remote.uri,
    routes: isOurs ? routes.reverse() : routes,
    sequence: isOurs ? Number.parseInt(req.get('CSeq') ?? '0', 10) : 0,
    peer: {
      address: theirs.source_address,
      port: Number(theirs.source_port),
      transport: theirs.protocol,
    },
    server,
  }
}

/**
 * Returns the facts of an INVITE that was just sent or received; `server` is the drachtio server that holds
 * it.
 */
export function inviteFactsOf(
  invite: SrfRequest,
  sender: InviteFacts['sender'],
  server: string,
): InviteFacts {
  const callId = invite.get('Call-ID') ?? ''
  const tag = tagOf(invite.get('From') ?? '') ?? ''
  return {
    sender,
    callId,
    transactionId: invite.stackTxnId,
    dialogId: `${callId};from-tag=${tag}`,
    uri: invite.uri,
    server,
  }
}

function withTag(to: string, tag: string): string {
  return /;tag=/i.test(to.replace(/^[^>]*>/, '')) ? to : `${to};tag=${tag}`
}

/**
 * Returns the route set in a message (RFC 3261 §20.30): one header with commas, or several headers. Commas
 * inside the brackets do not separate routes.
 */
function recordedRoutes(message: SipMessage): string[] {
  return (
    (message.get('Record-Route') ?? '').match(/<[^>]*>[^,]*/g)?.map((text) => text.trim()) ?? []
  )
}

/**
 * Returns the next hop of a BYE: the nearest proxy, or the peer's source address when its Contact differs;
 * undefined when the Contact is enough.
 */
export function nextHopOf({ routes, target, peer }: DialogFacts): string | undefined {
  const [nearest] = routes
  if (nearest !== undefined) return nearest.replace(/^<|>.*$/g, '')
  if (peer.address === '' || Srf.parseUri(target)?.host === peer.address) return undefined
  const host = peer.address.includes(':') ? `[${peer.address}]` : peer.address
  return `sip:${host}:${String(peer.port)};transport=${peer.transport}`
}
