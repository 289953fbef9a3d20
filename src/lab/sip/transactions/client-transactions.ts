import { randomUUID } from 'node:crypto'
import { isIPv6 } from 'node:net'
import { formatCSeq, parseCSeq } from '../message/cseq.js'
import { getAddress, getHeader, getHeaders } from '../message/headers.js'
import type { SipHeader, SipRequest, SipResponse } from '../message/types.js'
import type { Essentials } from '../message/validate.js'
import { writeMessage } from '../message/write-message.js'
import type { ClientTransaction, ClientTransactionEvents, SipPeer } from '../model/stack-types.js'
import { clientKey } from './keys.js'
import { startInviteClient, stepInviteClient } from './machines/invite-client.js'
import { startNonInviteClient, stepNonInviteClient } from './machines/non-invite-client.js'
import type { ClientEvent, Effect, StepContext } from './machines/step.js'
import { callUser, RunningMachine, type TransactionDeps } from './transaction-owner.js'

interface Running {
  dispatch(event: ClientEvent): void
}

interface Live extends ClientTransaction {
  readonly branch: string
  readonly callId: string | undefined
  /** The tag of our From. */
  readonly tag: string | undefined
  readonly events: ClientTransactionEvents
  /** The last response, with where it came from: what `deliver` and `send-ack` are about. */
  last?: { readonly response: SipResponse; readonly from: SipPeer }
  cancelHeaders: readonly SipHeader[]
  /** The failure of the transport, once there is one. */
  failure?: Error
}

/** The events of a CANCEL are ignored: the INVITE's final response says how the call ended. */
const NO_EVENTS: ClientTransactionEvents = {
  onResponse: () => undefined,
  onFailure: () => undefined,
}

const NO_BODY = Buffer.alloc(0)

/** All client transactions of a stack, found by branch and method (RFC 3261 §17.1.3). */
export class ClientTransactions {
  readonly #deps: TransactionDeps
  readonly #running = new Map<string, { readonly live: Live; readonly machine: Running }>()

  constructor(deps: TransactionDeps) {
    this.#deps = deps
  }

  get size(): number {
    return this.#running.size
  }

  /** Sends the complete request; its top Via carries the branch. */
  start(
    request: SipRequest,
    branch: string,
    to: SipPeer,
    events: ClientTransactionEvents,
  ): ClientTransaction {
    const key = clientKey(branch, request.method)
    const live: Live = {
      id: randomUUID(),
      request,
      branch,
      callId: getHeader(request, 'Call-ID'),
      tag: getAddress(request, 'From')?.params['tag'],
      to,
      events,
      cancelHeaders: [],
      cancel: (extraHeaders = []) => {
        live.cancelHeaders = extraHeaders
        machine.dispatch({ type: 'cancel-requested' })
      },
    }
    const machine = this.#run(live, key)
    this.#running.set(key, { live, machine })
    machine.dispatch({ type: 'started' })
    return live
  }

  /**
   * Receives a response. Returns false when no transaction matches it: besides the branch (RFC 3261 §17.1.3),
   * the Call-ID, our tag and the address that the request was sent to must match.
   */
  receive(response: SipResponse, essentials: Essentials, from: SipPeer): boolean {
    const { via, cseq, callId } = essentials
    const found = this.#running.get(clientKey(via.params['branch'] ?? '', cseq.method))
    if (found === undefined || !isSameAddress(found.live.to.address, from.address)) return false
    if (found.live.callId !== callId || found.live.tag !== essentials.from.params['tag'])
      return false
    found.live.last = { response, from }
    found.machine.dispatch({ type: 'response', status: response.status })
    return true
  }

  #run(live: Live, key: string): Running {
    const { timers, timing } = this.#deps
    const context: StepContext = { timing, isReliable: this.#deps.isReliable(live.to) }
    const bytes = writeMessage(live.request)
    const common = {
      context,
      timers,
      onTimer: (timer: Extract<ClientEvent, { type: 'timer' }>['timer']): ClientEvent => ({
        type: 'timer',
        timer,
      }),
      perform: (effect: Effect) => {
        this.#perform(live, effect, bytes)
      },
      onTerminated: () => {
        this.#running.delete(key)
      },
    }
    return live.request.method === 'INVITE'
      ? new RunningMachine(startInviteClient(context), { ...common, step: stepInviteClient })
      : new RunningMachine(startNonInviteClient(context), { ...common, step: stepNonInviteClient })
  }

  #perform(live: Live, effect: Effect, bytes: Buffer): void {
    const { last, events } = live
    switch (effect.type) {
      case 'send':
        this.#send(live, bytes)
        return
      case 'deliver':
        if (last === undefined) return
        callUser(this.#deps.log, () => {
          events.onResponse(last.response, last.from)
        })
        return
      case 'fail':
        callUser(this.#deps.log, () => {
          events.onFailure(effect.kind, live.failure)
        })
        return
      case 'send-ack':
        if (last !== undefined) this.#send(live, writeMessage(ackFor(live.request, last.response)))
        return
      case 'send-cancel':
        this.start(cancelOf(live.request, live.cancelHeaders), live.branch, live.to, NO_EVENTS)
        return
      case 'send-trying':
      case 'arm':
      case 'disarm':
        return
    }
  }

  #send(live: Live, bytes: Buffer): void {
    this.#deps.send(bytes, live.to, {
      onFailure: (err) => {
        this.#deps.log?.debug({ err, to: live.to }, 'could not send a SIP request')
        live.failure = err
        this.#running
          .get(clientKey(live.branch, live.request.method))
          ?.machine.dispatch({ type: 'transport-failed' })
      },
    })
  }
}

/**
 * Makes the ACK for a final response other than 2xx: hop by hop, with the same branch (RFC 3261
 * §17.1.1.3).
 */
function ackFor(invite: SipRequest, response: SipResponse): SipRequest {
  return followUp('ACK', invite, getHeader(response, 'To'), [])
}

/** Makes the CANCEL of an INVITE, with the same branch (RFC 3261 §9.1). */
function cancelOf(invite: SipRequest, extraHeaders: readonly SipHeader[]): SipRequest {
  return followUp('CANCEL', invite, getHeader(invite, 'To'), extraHeaders)
}

function followUp(
  method: string,
  invite: SipRequest,
  to: string | undefined,
  extraHeaders: readonly SipHeader[],
): SipRequest {
  const number = parseCSeq(getHeader(invite, 'CSeq') ?? '')?.number ?? 0
  const headers: SipHeader[] = [
    { name: 'Via', value: getHeader(invite, 'Via') ?? '' },
    { name: 'Max-Forwards', value: '70' },
    { name: 'From', value: getHeader(invite, 'From') ?? '' },
    { name: 'To', value: to ?? '' },
    { name: 'Call-ID', value: getHeader(invite, 'Call-ID') ?? '' },
    { name: 'CSeq', value: formatCSeq({ number, method }) },
    ...getHeaders(invite, 'Route').map((value) => ({ name: 'Route', value })),
    ...extraHeaders,
    { name: 'Content-Length', value: '0' },
  ]
  return { kind: 'request', method, uri: invite.uri, headers, body: NO_BODY }
}

/** True for two spellings of one numeric address; IPv6 has many (RFC 5952 §2). */
function isSameAddress(a: string, b: string): boolean {
  return a === b || (isIPv6(a) && isIPv6(b) && canonical(a) === canonical(b))
}

function canonical(address: string): string {
  return new URL(`http://[${address.replace(/%.*$/, '')}]`).hostname
}
