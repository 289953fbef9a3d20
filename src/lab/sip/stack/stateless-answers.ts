import { randomUUID } from 'node:crypto'
import { getHeader } from '../message/headers.js'
import { completeResponse, makeResponse, type ResponseParts } from '../message/make-response.js'
import type { SipRequest } from '../message/types.js'
import type { Essentials } from '../message/validate.js'
import { parseViaList } from '../message/via.js'
import { writeMessage } from '../message/write-message.js'
import type { SipPeer } from '../model/stack-types.js'
import type { TransactionDeps } from '../transactions/transaction-owner.js'
import { noteSource, responseRoute } from '../transactions/via-routing.js'

export interface StatelessAnswers {
  refuse(request: SipRequest, from: SipPeer, answer: ResponseParts & { status: number }): void
  /** True for the ACK to such a stateless answer; no transaction waits for it. */
  readonly isOurs: (essentials: Essentials) => boolean
}

/**
 * Answers requests that never become a transaction: malformed ones, and those over a limit. The
 * same request gets the same answer, its To tag always the same one (RFC 3261 §8.2.7).
 */
export function createStatelessAnswers({
  send,
  log,
}: Pick<TransactionDeps, 'send' | 'log'>): StatelessAnswers {
  const tag = randomUUID()
  return {
    refuse: (request, from, answer) => {
      const via = parseViaList(getHeader(request, 'Via') ?? '')?.[0]
      // A Via that cannot be read cannot say another way than back.
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
