/** Passes each received message to its transaction. */

import { randomUUID } from 'node:crypto'
import type { Refusal } from '../message/acceptance.js'
import { getHeader } from '../message/headers.js'
import { completeResponse, makeResponse, type ResponseParts } from '../message/make-response.js'
import type { SipRequest } from '../message/types.js'
import { type Essentials, judgeRequest, judgeResponse } from '../message/validate.js'
import { parseViaList } from '../message/via.js'
import { writeMessage } from '../message/write-message.js'
import type { SipPeer, SipStackOptions } from '../model/stack-types.js'
import type { Admission } from '../transactions/admission.js'
import type { ClientTransactions } from '../transactions/client-transactions.js'
import type { ServerTransactions } from '../transactions/server-transactions.js'
import type { TransactionDeps } from '../transactions/transaction-owner.js'
import { noteSource, responseRoute } from '../transactions/via-routing.js'
import type { ReadMessage, TransportEvents } from '../transport/transport.js'

export interface ReceiveDeps extends Pick<TransactionDeps, 'log'> {
  readonly clients: ClientTransactions
  readonly servers: ServerTransactions
  readonly answers: StatelessAnswers
  readonly isDiscarded: SipStackOptions['isDiscarded']
  readonly admission: Admission | undefined
}

export interface MessageCounts {
  received: number
  dropped: number
  stray: number
  discarded: number
}

interface StatelessAnswers {
  refuse(request: SipRequest, from: SipPeer, answer: ResponseParts & { status: number }): void
  /** True for the ACK to such a stateless answer; no transaction waits for it. */
  readonly isOurs: (essentials: Essentials) => boolean
}

export function createReceiver(deps: ReceiveDeps, counts: MessageCounts): TransportEvents {
  function drop(why: string, from: SipPeer): void {
    counts.dropped++
    deps.log?.debug({ why, from }, 'dropped a SIP message')
  }

  /** Refuses a request that cannot be processed, within the source's request rate. */
  function refuse(request: SipRequest, from: SipPeer, refusal: Refusal): void {
    if (deps.admission?.judge(from, 'outside') === 'ignore') counts.dropped++
    else deps.answers.refuse(request, from, refusal)
  }

  function receiveRequest({ message, flaw }: ReadMessage, from: SipPeer): void {
    if (message.kind !== 'request') return
    if (deps.isDiscarded?.(message) === true) {
      counts.discarded++
      return
    }
    const verdict = judgeRequest(message, flaw)
    if (verdict.type === 'drop') drop(verdict.why, from)
    else if (verdict.type === 'refuse') refuse(message, from, verdict)
    else {
      const { essentials } = verdict
      deps.servers.receive(noteSource(message, essentials.via, from), essentials, from)
    }
  }

  function receiveResponse({ message, flaw }: ReadMessage, from: SipPeer): void {
    if (message.kind !== 'response') return
    const verdict = judgeResponse(message, flaw)
    if (verdict.type !== 'accept') {
      drop(verdict.type === 'drop' ? verdict.why : verdict.reason, from)
      return
    }
    if (deps.clients.receive(message, verdict.essentials, from)) return
    // RFC 6026 §7.2: dropped, also a 2xx after timer M. A forged one could direct our ACK anywhere.
    counts.stray++
    const isAdmitted = deps.admission?.judge(from, 'outside') !== 'ignore'
    if (isAdmitted) drop('no transaction waits for the response', from)
    else counts.dropped++
  }

  return {
    onMessage: (reading, from) => {
      counts.received++
      try {
        if (reading.message.kind === 'request') receiveRequest(reading, from)
        else receiveResponse(reading, from)
      } catch (err) {
        // A failure at one message must not affect other calls.
        counts.dropped++
        deps.log?.error({ err, from }, 'could not process a SIP message')
      }
    },
    onGarbage: (why, from) => {
      counts.received++
      drop(why, from)
    },
  }
}

/**
 * Answers requests that never become a transaction: malformed ones, and requests over a limit. A
 * repeated request gets the same answer with the same To tag (RFC 3261 §8.2.7).
 */
export function createStatelessAnswers({
  send,
  log,
}: Pick<TransactionDeps, 'send' | 'log'>): StatelessAnswers {
  const tag = randomUUID()
  return {
    refuse: (request, from, answer) => {
      const via = parseViaList(getHeader(request, 'Via') ?? '')?.[0]
      // With an invalid Via, the source is the only possible destination.
      const noted = via === undefined ? request : noteSource(request, via, from)
      const route = via === undefined ? { to: from } : responseRoute(from, via)
      const response = completeResponse(makeResponse(answer.status, answer), noted, tag)
      const { to, ...fallback } = route
      send(writeMessage(response), to, {
        ...fallback,
        onFailure: (err) => {
          log?.debug({ err, to }, 'could not send a SIP refusal')
        },
      })
    },
    isOurs: ({ to }) => to.params['tag'] === tag,
  }
}
