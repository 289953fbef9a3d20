/** Sends a request for an application: the client first gets an echo of the request, then the responses. */

import { dialogOfClient, sequenceOf, tagOf } from '../sip/dialog/dialog.js'
import { completeResponse, makeResponse } from '../sip/message/make-response.js'
import type { SipResponse } from '../sip/message/types.js'
import type { SipPeer } from '../sip/model/stack-types.js'
import { SipTlsError } from '../sip/model/stack-types.js'
import {
  newTag,
  type OutgoingRequest,
  ownAddress,
  type ServerDialog,
  type ServerParts,
} from './call-table.js'
import { CommandRefused } from './compose.js'
import { ignoringResponses } from './dialog-life.js'
import { metaOf, requestSent, sentMetaOf, sipEvent } from './wire.js'

export interface Launch {
  readonly outgoing: OutgoingRequest
  /** The id of the client's command. */
  readonly messageId: string
  readonly destination: SipPeer | undefined
  /**
   * Called for each response except 100, before the application gets it; return false to hide the response
   * from the application.
   */
  onResponse(response: SipResponse, from: SipPeer): boolean
  /** Called after the final response, after a failure, or when the request could not be sent. */
  onOver(): void
}

/** Maximum number of further branches of a fork that are acknowledged and hung up. */
const MAX_OTHER_BRANCHES = 10

export async function launch(parts: ServerParts, start: Launch): Promise<void> {
  const { outgoing } = start
  const backlog: (() => void)[] = []
  let isEchoed = false
  const afterEcho = (event: () => void): void => {
    if (isEchoed) event()
    else backlog.push(event)
  }
  parts.calls.outgoing.set(outgoing.id, outgoing)
  try {
    outgoing.transaction = await parts.stack.send(
      outgoing.request,
      {
        onResponse: (response, from) => {
          afterEcho(() => {
            receive(parts, start, response, from)
          })
        },
        onFailure: (kind, why) => {
          afterEcho(() => {
            fail(parts, start, kind === 'timeout' ? 408 : 503, why)
          })
        },
      },
      start.destination,
    )
  } catch (cause) {
    parts.calls.outgoing.delete(outgoing.id)
    start.onOver()
    parts.log.warn({ err: cause }, 'could not send a SIP request')
    throw new CommandRefused('requested protocol/transport not available')
  }
  const { request, to } = outgoing.transaction
  const meta = sentMetaOf(request, ownAddress(parts.stack, to))
  outgoing.client.send(requestSent(start.messageId, meta, outgoing.id))
  isEchoed = true
  for (const event of backlog) event()
}

function receive(parts: ServerParts, start: Launch, response: SipResponse, from: SipPeer): void {
  const { outgoing } = start
  if (response.status === 100) return
  if (!parts.calls.outgoing.has(outgoing.id)) {
    const isRepeated = response.status >= 200 && response.status < 300
    if (isRepeated && outgoing.request.method === 'INVITE')
      onRepeatedAnswer(parts, outgoing, response, from)
    return
  }
  if (start.onResponse(response, from))
    outgoing.client.send(
      sipEvent(metaOf('network', response, from), outgoing.id, outgoing.dialogId),
    )
  if (response.status >= 200) end(parts, start)
}

/** Handles a 2xx that arrives after the first one: a retransmission, or a 2xx of another branch of a fork. */
function onRepeatedAnswer(
  parts: ServerParts,
  outgoing: OutgoingRequest,
  response: SipResponse,
  from: SipPeer,
): void {
  const { dialog } = outgoing
  const isOfDialog = dialog?.dialog.identity.remoteTag === tagOf(response, 'To')
  const work = isOfDialog
    ? acknowledgeAgain(parts, dialog, sequenceOf(response))
    : hangUp(parts, outgoing, response, from)
  work.catch((err: unknown) => {
    parts.log.warn({ err }, 'could not acknowledge a repeated 200')
  })
}

async function acknowledgeAgain(
  parts: ServerParts,
  { dialog, invite }: ServerDialog,
  sequence: number,
): Promise<void> {
  // The application has not acknowledged the first 2xx yet.
  if (invite?.ack === undefined || invite.sequence !== sequence) return
  await parts.stack.sendAck(invite.ack, dialog.destination)
}

/**
 * Hangs up a branch that is not needed: each of its 2xx gets an ACK, the branch gets one BYE (RFC 3261
 * §13.2.2.4).
 */
async function hangUp(
  parts: ServerParts,
  { request, otherBranches }: OutgoingRequest,
  response: SipResponse,
  from: SipPeer,
): Promise<void> {
  const tag = tagOf(response, 'To')
  const known = otherBranches.get(tag)
  if (known === undefined && otherBranches.size >= MAX_OTHER_BRANCHES) return
  const dialog = known ?? dialogOfClient(request, response, from)
  otherBranches.set(tag, dialog)
  await parts.stack.sendAck(dialog.ack(sequenceOf(response)), dialog.destination)
  if (known === undefined)
    await parts.stack.send(dialog.request('BYE'), ignoringResponses(), dialog.destination)
}

/**
 * Ends a request that got no response: the application gets the response that RFC 3261 §8.1.3.1 prescribes
 * instead. Its reason phrase says why a TLS connection failed.
 */
function fail(parts: ServerParts, start: Launch, status: number, why: Error | undefined): void {
  const { outgoing } = start
  if (!parts.calls.outgoing.has(outgoing.id)) return
  const request = outgoing.transaction?.request ?? outgoing.request
  const reason = why instanceof SipTlsError ? { reason: why.message } : {}
  const response = completeResponse(makeResponse(status, reason), request, newTag())
  const nowhere: SipPeer = {
    transport: outgoing.transaction?.to.transport ?? 'udp',
    address: '',
    port: 0,
  }
  const meta = { ...metaOf('network', response, nowhere), bytes: 0 }
  if (start.onResponse(response, nowhere))
    outgoing.client.send(sipEvent(meta, outgoing.id, outgoing.dialogId))
  end(parts, start)
}

function end(parts: ServerParts, start: Launch): void {
  parts.calls.outgoing.delete(start.outgoing.id)
  start.onOver()
}
