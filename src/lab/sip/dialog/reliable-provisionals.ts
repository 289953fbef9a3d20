/** Sends the reliable provisional responses of one INVITE (RFC 3262). */
import { randomInt } from 'node:crypto'
import { appendHeader, getHeader, getListValues, setHeader } from '../message/headers.js'
import type { SipRequest, SipResponse } from '../message/types.js'
import type { ServerTransaction } from '../model/stack-types.js'
import { sequenceOf } from './dialog.js'

const T1_MS = 500
const GIVE_UP_MS = 64 * T1_MS
/** Maximum number of queued responses, more than a call needs before its answer. */
const MAX_QUEUED = 16

interface Unacknowledged {
  readonly rseq: number
  readonly response: SipResponse
  timer: NodeJS.Timeout
}

export class ReliableProvisionals {
  readonly #transaction: ServerTransaction
  readonly #onSettled: (outcome: 'acknowledged' | 'given-up') => void
  /** The queued responses: RFC 3262 §3 sends one at a time; later ones wait for its PRACK. */
  readonly #queue: SipResponse[] = []
  #rseq = randomInt(1, 2 ** 30)
  #pending: Unacknowledged | undefined

  /**
   * Calls `onSettled` after each PRACK, and once when none arrives within 64×T1 (the INVITE is then
   * rejected).
   */
  constructor(
    transaction: ServerTransaction,
    onSettled: (outcome: 'acknowledged' | 'given-up') => void,
  ) {
    this.#transaction = transaction
    this.#onSettled = onSettled
  }

  get isPending(): boolean {
    return this.#pending !== undefined
  }

  /** Returns the response with its RSeq; undefined when the queue is full or the INVITE is answered. */
  send(response: SipResponse): SipResponse | undefined {
    this.#rseq += 1
    const numbered = setHeader(response, 'RSeq', String(this.#rseq))
    const isMarked = getListValues(numbered, 'Require').includes('100rel')
    const reliable = isMarked ? numbered : appendHeader(numbered, 'Require', '100rel')
    if (this.#pending === undefined) return this.#transmit(reliable)
    if (this.#queue.length >= MAX_QUEUED) return undefined
    this.#queue.push(reliable)
    return reliable
  }

  /** Processes a PRACK; false when no sent response matches it, which is answered 481. */
  acknowledge(prack: SipRequest): boolean {
    const [rseq, sequence, method] = (getHeader(prack, 'RAck') ?? '').trim().split(/[ \t]+/)
    const isMatch =
      this.#pending !== undefined &&
      rseq === String(this.#pending.rseq) &&
      sequence === String(sequenceOf(this.#transaction.request)) &&
      method === this.#transaction.request.method
    if (!isMatch) return false
    clearTimeout(this.#pending?.timer)
    this.#pending = undefined
    const next = this.#queue.shift()
    if (next !== undefined) this.#transmit(next)
    this.#onSettled('acknowledged')
    return true
  }

  clear(): void {
    clearTimeout(this.#pending?.timer)
    this.#pending = undefined
    this.#queue.length = 0
  }

  #transmit(response: SipResponse): SipResponse | undefined {
    const rseq = Number(getHeader(response, 'RSeq'))
    this.#pending = { rseq, response, timer: this.#retransmitLater(T1_MS, T1_MS) }
    return this.#transaction.respond(response)
  }

  #retransmitLater(afterMs: number, elapsedMs: number): NodeJS.Timeout {
    return setTimeout(() => {
      const pending = this.#pending
      if (pending === undefined) return
      if (elapsedMs >= GIVE_UP_MS) {
        this.clear()
        this.#onSettled('given-up')
        return
      }
      this.#transaction.respond(pending.response)
      const nextMs = Math.min(afterMs * 2, GIVE_UP_MS - elapsedMs)
      pending.timer = this.#retransmitLater(nextMs, elapsedMs + nextMs)
    }, afterMs)
  }
}
