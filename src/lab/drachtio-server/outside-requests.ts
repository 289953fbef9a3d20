/** Sends an application's requests outside a dialog, and the CANCEL of its INVITEs. */
import { randomInt, randomUUID } from 'node:crypto'
import { isIP } from 'node:net'
import { parseUri, type SipUri } from '../../platform/sip-grammar/uri.js'
import { dialogOfClient, sequenceOf, tagOf, withTag } from '../sip/dialog/dialog.js'
import { parseCSeq } from '../sip/message/cseq.js'
import { getHeader } from '../sip/message/headers.js'
import type { SipHeader, SipRequest, SipResponse } from '../sip/message/types.js'
import type { SipPeer, SipStack } from '../sip/model/stack-types.js'
import type { PeerPlace } from '../sip/stack/local-addresses.js'
import { wantsTls } from '../sip/stack/lookup.js'
import { contactOf } from '../sip/user-agent/user-agent.js'
import {
  dialogIdOf,
  newTag,
  type OutgoingRequest,
  ownAddress,
  type ServerParts,
} from './call-table.js'
import type { ClientSip } from './client-message.js'
import type { Client } from './clients.js'
import { bracketed, CommandRefused, type Composed, compose, hasHeader } from './compose.js'
import { armFromResponse, openDialog } from './dialog-life.js'
import { type Launch, launch } from './launch.js'
import { requestSent, sentMetaOf } from './wire.js'

export interface Command {
  readonly client: Client
  /** The id of the client's message, repeated in the response to it. */
  readonly messageId: string
  readonly sip: ClientSip
}

const NO_TRANSPORT = 'requested protocol/transport not available'

export interface RequestLine {
  readonly method: string
  readonly uri: string
}

export function readRequestLine(startLine: string): RequestLine {
  const [method, uri] = startLine.split(' ')
  if (method === undefined || !/^[A-Z]+$/.test(method) || uri === undefined)
    throw new CommandRefused(`invalid or missing method supplied on start line: ${startLine}`)
  return { method, uri }
}

/**
 * Sends a request outside a dialog. `proxy` (`sip:host:port`) replaces the request URI as the destination.
 */
export async function sendOutside(
  parts: ServerParts,
  command: Command,
  proxy: string | undefined,
): Promise<void> {
  const line = readRequestLine(command.sip.startLine)
  const target = parseUri(line.uri)
  if (target === undefined || line.method === 'ACK' || line.method === 'CANCEL')
    throw new CommandRefused(`invalid request-uri: ${command.sip.startLine}`)
  const hop = hopOf(proxy, target)
  const toward = placeOf(parts.stack, hop?.uri ?? target)
  const own = ownAddress(parts.stack, toward)
  if (isOurs(target, own)) throw new CommandRefused('can not send request to myself')
  const contact = contactToward(parts.stack, toward, [target, hop?.uri])
  const request = build(line, compose(command.sip, own), contact, hop?.route)
  const outgoing: OutgoingRequest = {
    id: randomUUID(),
    client: command.client,
    request,
    dialogId: isInvite(request) ? dialogIdOf(request) : '',
    transaction: undefined,
    dialog: undefined,
    isCancelled: false,
    lastRSeq: 0,
    otherBranches: new Map(),
  }
  await launch(parts, {
    outgoing,
    messageId: command.messageId,
    destination: hop?.peer,
    ...(isInvite(request) ? inviteHandlers(parts, outgoing, contact) : plainHandlers()),
  })
}

/** Handlers for the responses to an application's INVITE; a response may create a dialog. */
function inviteHandlers(
  parts: ServerParts,
  outgoing: OutgoingRequest,
  contact: string,
): Pick<Launch, 'onResponse' | 'onOver'> {
  return {
    onResponse: (response, from) => {
      if (response.status < 200) return onProvisional(parts, outgoing, response, from, contact)
      if (response.status < 300) {
        onAccepted(parts, outgoing, response, from, contact)
        return true
      }
      if (outgoing.dialog !== undefined) parts.calls.removeDialog(outgoing.dialog)
      return true
    },
    onOver: () => undefined,
  }
}

/** Handles a provisional response. Returns false for a reliable one that arrived before (RFC 3262 §4). */
function onProvisional(
  parts: ServerParts,
  outgoing: OutgoingRequest,
  response: SipResponse,
  from: SipPeer,
  contact: string,
): boolean {
  const rseq = Number(getHeader(response, 'RSeq') ?? 0)
  if (rseq === 0) return true
  if (rseq <= outgoing.lastRSeq) return false
  outgoing.lastRSeq = rseq
  // PRACK is sent inside the early dialog, so this response must create it.
  if (outgoing.dialog === undefined && tagOf(response, 'To') !== '')
    begin(parts, outgoing, response, from, contact)
  return true
}

function onAccepted(
  parts: ServerParts,
  outgoing: OutgoingRequest,
  response: SipResponse,
  from: SipPeer,
  contact: string,
): void {
  const known = outgoing.dialog
  if (known === undefined) begin(parts, outgoing, response, from, contact)
  else if (known.dialog.identity.remoteTag === tagOf(response, 'To'))
    known.dialog.refreshTarget(response, from)
  else parts.calls.replaceDialog(known, dialogOfClient(outgoing.request, response, from))
  const { dialog } = outgoing
  if (dialog === undefined) return
  dialog.invite = { sequence: sequenceOf(outgoing.request) }
  dialog.isCancelled = outgoing.isCancelled
  armFromResponse(dialog, response)
}

function begin(
  parts: ServerParts,
  outgoing: OutgoingRequest,
  response: SipResponse,
  from: SipPeer,
  contact: string,
): void {
  const { request } = outgoing
  outgoing.dialog = openDialog(parts, {
    id: outgoing.dialogId,
    client: outgoing.client,
    inviteTransactionId: outgoing.id,
    dialog: dialogOfClient(request, response, from),
    localContact: getHeader(request, 'Contact') ?? contact,
  })
  const contentType = getHeader(request, 'Content-Type')
  if (contentType !== undefined)
    outgoing.dialog.localDescription = { contentType, body: request.body }
}

/**
 * Cancels an INVITE. The stack handles the response to the CANCEL; the application gets the INVITE's 487 or
 * 200.
 */
export function sendCancel(parts: ServerParts, command: Command, transactionId: string): void {
  const outgoing = parts.calls.outgoing.get(transactionId)
  const transaction = outgoing?.transaction
  if (outgoing === undefined || transaction === undefined || !isInvite(outgoing.request))
    throw new CommandRefused(`unable to cancel unknown transaction id: ${transactionId}`)
  const own = ownAddress(parts.stack, transaction.to)
  const { headers } = compose({ ...command.sip, body: '' }, own)
  outgoing.isCancelled = true
  transaction.cancel(headers)
  const cancel = cancelOf(transaction.request, headers)
  command.client.send(requestSent(command.messageId, sentMetaOf(cancel, own), randomUUID()))
}

function cancelOf(invite: SipRequest, headers: readonly SipHeader[]): SipRequest {
  const kept = ['Via', 'Route', 'Max-Forwards', 'From', 'To', 'Call-ID']
  return {
    ...invite,
    method: 'CANCEL',
    headers: [
      ...invite.headers.filter((header) => kept.includes(header.name)),
      { name: 'CSeq', value: `${sequenceOf(invite)} CANCEL` },
      ...headers,
    ],
    body: Buffer.alloc(0),
  }
}

function plainHandlers(): Pick<Launch, 'onResponse' | 'onOver'> {
  return { onResponse: () => true, onOver: () => undefined }
}

function build(
  line: RequestLine,
  composed: Composed,
  contact: string,
  route: string | undefined,
): SipRequest {
  const { dialogHeaders, headers, body } = composed
  const sequence = parseCSeq(dialogHeaders.get('CSeq') ?? '')?.number ?? randomInt(1, 2 ** 24)
  const from = withTag(bracketed(dialogHeaders.get('From') ?? contact), newTag())
  const needsContact =
    (line.method === 'INVITE' || line.method === 'SUBSCRIBE') && !hasHeader(headers, 'Contact')
  return {
    kind: 'request',
    method: line.method,
    uri: line.uri,
    headers: [
      ...(route === undefined ? [] : [{ name: 'Route', value: route }]),
      { name: 'From', value: from },
      { name: 'To', value: bracketed(dialogHeaders.get('To') ?? `<${line.uri}>`) },
      { name: 'Call-ID', value: dialogHeaders.get('Call-ID') ?? randomUUID() },
      { name: 'CSeq', value: `${sequence} ${line.method}` },
      ...(needsContact ? [{ name: 'Contact', value: contact }] : []),
      ...headers,
    ],
    body,
  }
}

/** RFC 3261 §8.1.1.8: a request to a SIPS URI, or through a SIPS route, has a SIPS Contact. */
function contactToward(
  stack: SipStack,
  toward: PeerPlace,
  uris: readonly (SipUri | undefined)[],
): string {
  const isSips = uris.some((uri) => uri?.scheme === 'sips')
  return contactOf(stack, toward, undefined, isSips)
}

interface Hop {
  readonly uri: SipUri
  /** The destination when the hop is an IP address; for a name, the stack resolves the Route header. */
  readonly peer?: SipPeer
  readonly route?: string
}

function hopOf(proxy: string | undefined, target: SipUri): Hop | undefined {
  if (proxy === undefined) return undefined
  const text = /^sips?:/.test(proxy) ? proxy : `sip:${proxy}`
  const uri = parseUri(text)
  if (uri === undefined) throw new CommandRefused(`invalid proxy: ${proxy}`)
  // RFC 3261 §26.2.2: a request for a SIPS URI goes over TLS on each hop.
  if (target.scheme === 'sips' && !wantsTls(uri)) throw new CommandRefused(NO_TRANSPORT)
  if (isIP(uri.host) === 0) return { uri, route: `<${text};lr>` }
  if (wantsTls(uri)) return { uri, peer: tlsPeer(uri, target) }
  const transport = uri.params['transport']?.toLowerCase() === 'tcp' ? 'tcp' : 'udp'
  return { uri, peer: { transport, address: uri.host, port: uri.port ?? 5060 } }
}

/**
 * Returns the TLS server at an IP address. Its certificate must be for the domain of the request, which the
 * application resolved. The parameter `ob` marks the connection on which a softphone registered (RFC 5626).
 */
function tlsPeer(hop: SipUri, target: SipUri): SipPeer {
  return {
    transport: 'tls',
    address: hop.host,
    port: hop.port ?? 5061,
    ...('ob' in hop.params
      ? { isFlow: true }
      : { serverName: isIP(target.host) === 0 ? target.host : undefined }),
  }
}

function placeOf(stack: SipStack, uri: SipUri): PeerPlace {
  const wanted = wantsTls(uri) ? 'tls' : (uri.params['transport']?.toLowerCase() ?? 'udp')
  const own = stack.contacts.find(({ transport }) => transport === wanted)
  if (own === undefined) throw new CommandRefused(NO_TRANSPORT)
  return { transport: own.transport, address: uri.host }
}

function isOurs(target: SipUri, own: SipPeer): boolean {
  const usual = wantsTls(target) ? 5061 : 5060
  return target.host === own.address && (target.port ?? usual) === own.port
}

function isInvite(request: SipRequest): boolean {
  return request.method === 'INVITE'
}
