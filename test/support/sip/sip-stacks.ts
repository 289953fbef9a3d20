import type { SipRequest, SipResponse } from '../../../src/lab/sip/message/types.js'
import type {
  ClientTransaction,
  ServerTransaction,
  SipPeer,
  SipStack,
  SipStackOptions,
  SipTransportName,
  TransactionUser,
} from '../../../src/lab/sip/model/stack-types.js'
import { createSipStack } from '../../../src/lab/sip/stack/create-sip-stack.js'
import { waitUntil } from '../time/wait-until.js'

/** RFC 3261's timers divided by 50, so that tests can observe the end of a transaction. */
export const FAST_TIMING = { t1: 10, t2: 80, t4: 100 }

export function openStack(options: Partial<SipStackOptions> = {}): Promise<SipStack> {
  return createSipStack({
    host: '127.0.0.1',
    port: 0,
    transports: ['udp', 'tcp'],
    timing: FAST_TIMING,
    ...options,
  })
}

export function contactOf(stack: SipStack, transport: SipTransportName): SipPeer {
  const contact = stack.contacts.find((each) => each.transport === transport)
  if (contact === undefined) throw new Error(`the stack has no ${transport} contact`)
  return contact
}

/** A transaction user that records every event and calls `onRequest`. */
export class RecordingUser implements TransactionUser {
  readonly requests: ServerTransaction[] = []
  readonly acks: SipRequest[] = []
  readonly cancels: ServerTransaction[] = []
  /** Number of transactions that ended without the expected ACK or answer. */
  timeouts = 0
  readonly #act: (transaction: ServerTransaction) => void

  constructor(act: (transaction: ServerTransaction) => void = () => undefined) {
    this.#act = act
  }
  onRequest(transaction: ServerTransaction): void {
    this.requests.push(transaction)
    transaction.onTimeout = () => {
      this.timeouts++
    }
    this.#act(transaction)
  }
  onAck(request: SipRequest): void {
    this.acks.push(request)
  }
  onCancel(transaction: ServerTransaction): void {
    this.cancels.push(transaction)
  }
}

export interface Outcome {
  readonly transaction: ClientTransaction
  readonly responses: SipResponse[]
  readonly failures: ('timeout' | 'transport')[]
}

/** Sends a request; the returned outcome records its responses. */
export async function send(stack: SipStack, request: SipRequest, to?: SipPeer): Promise<Outcome> {
  const responses: SipResponse[] = []
  const failures: ('timeout' | 'transport')[] = []
  const transaction = await stack.send(
    request,
    {
      onResponse: (response) => responses.push(response),
      onFailure: (kind) => failures.push(kind),
    },
    to,
  )
  return { transaction, responses, failures }
}

/** Resolves with the final status of a request. */
export function finalStatus(outcome: Outcome): Promise<number> {
  return eventually(() => outcome.responses.find((each) => each.status >= 200)?.status)
}

/** Waits until `look` returns a value. */
export async function eventually<T>(look: () => T | undefined | false): Promise<T> {
  let found: T | undefined | false
  await waitUntil(look.toString(), () => {
    found = look()
    return Boolean(found)
  })
  if (found === undefined || found === false) throw new Error('unreachable')
  return found
}

/** Waits until the stack has no transactions and no timers. */
export async function quiet(stack: SipStack): Promise<void> {
  await eventually(() => {
    const { clientTransactions, serverTransactions, timers } = stack.stats()
    return clientTransactions + serverTransactions + timers === 0
  })
}
