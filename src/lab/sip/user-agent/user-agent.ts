/** The call-level user agent: assigns received requests to calls. */
import type { Logger } from '../../../platform/log.js'
import { formatHost } from '../../../platform/sip-grammar/uri.js'
import { tagOf } from '../dialog/dialog.js'
import { MIN_SESSION_SECONDS, readSessionInterval } from '../dialog/session-timer.js'
import { getHeader, getListValues } from '../message/headers.js'
import { makeResponse } from '../message/make-response.js'
import type { SipHeader, SipRequest, SipResponse } from '../message/types.js'
import type { ServerTransaction, SipStack } from '../model/stack-types.js'
import { contactsToward, type PeerPlace } from '../stack/local-addresses.js'
import { UserAgentCall } from './user-agent-call.js'
import type { IncomingCall, UserAgent } from './user-agent-types.js'

export interface UserAgentOptions {
  readonly log: Logger
  /** The product's name in User-Agent. */
  readonly name?: string
  /** The user part of our Contact. */
  readonly contactUser?: string
  /** Maximum number of concurrent calls; further INVITEs are answered 503. */
  readonly maxCalls?: number
}

const ALLOW = 'INVITE, ACK, BYE, CANCEL, OPTIONS, INFO, UPDATE, PRACK'
const EXTENSIONS: ReadonlySet<string> = new Set(['100rel', 'timer'])
const KNOWN_METHODS: ReadonlySet<string> = new Set(ALLOW.split(', '))

export function createUserAgent(stack: SipStack, options: UserAgentOptions): UserAgent {
  return new Agent(stack, options)
}

class Agent implements UserAgent {
  readonly stack: SipStack
  readonly #options: UserAgentOptions
  /** The calls by Call-ID, our tag and the peer's (RFC 3261 §12). */
  readonly #calls = new Map<string, UserAgentCall>()
  /** The calls by the id of their INVITE's transaction. */
  readonly #byInvite = new Map<string, UserAgentCall>()
  #handler: ((invite: IncomingCall) => void) | undefined

  constructor(stack: SipStack, options: UserAgentOptions) {
    this.stack = stack
    this.#options = options
    stack.setUser({
      onRequest: (transaction) => {
        this.#onRequest(transaction)
      },
      onAck: (ack) => this.#callOf(ack)?.acknowledge(ack),
      onCancel: (transaction) => this.#byInvite.get(transaction.id)?.cancelled(),
    })
  }

  onInvite(handler: (invite: IncomingCall) => void): void {
    this.#handler = handler
  }

  dialogCount(): number {
    return this.#calls.size
  }

  /** Hangs up the remaining calls; the stack's creator disposes of the stack. */
  [Symbol.asyncDispose](): Promise<void> {
    this.#handler = undefined
    for (const call of [...this.#calls.values()]) call.hangup()
    return Promise.resolve()
  }

  #onRequest(transaction: ServerTransaction): void {
    const { request } = transaction
    if (tagOf(request, 'To') !== '') {
      const call = this.#callOf(request)
      if (call === undefined) transaction.respond(makeResponse(481))
      else call.receive(transaction)
      return
    }
    const refusal = this.#refusal(request)
    if (refusal !== undefined) transaction.respond(refusal)
    else if (request.method === 'INVITE') this.#onInvite(transaction)
    else transaction.respond(makeResponse(200, { headers: this.#headers(transaction) }))
  }

  /** The refusal of a request outside a dialog; undefined for OPTIONS and for an accepted INVITE. */
  #refusal(request: SipRequest): SipResponse | undefined {
    const { method } = request
    const unsupported = getListValues(request, 'Require').filter((name) => !EXTENSIONS.has(name))
    if (unsupported.length > 0) return refuse(420, 'Unsupported', unsupported.join(', '))
    if (method === 'OPTIONS') return undefined
    if (method !== 'INVITE') {
      return KNOWN_METHODS.has(method) ? makeResponse(481) : refuse(405, 'Allow', ALLOW)
    }
    const interval = readSessionInterval(request)
    if (interval !== undefined && interval.seconds < MIN_SESSION_SECONDS)
      return refuse(422, 'Min-SE', String(MIN_SESSION_SECONDS))
    const isFull = this.#calls.size >= (this.#options.maxCalls ?? Number.POSITIVE_INFINITY)
    return isFull || this.#handler === undefined ? makeResponse(503) : undefined
  }

  #onInvite(transaction: ServerTransaction): void {
    const { request } = transaction
    const key = dialogKey(request, transaction.toTag)
    const call = new UserAgentCall(transaction, {
      stack: this.stack,
      headers: this.#headers(transaction),
      onOver: () => {
        this.#calls.delete(key)
        this.#byInvite.delete(transaction.id)
      },
      onError: (err, doing) => {
        this.#options.log.warn({ callId: call.callId, doing, err }, 'a request in a call failed')
      },
    })
    this.#calls.set(key, call)
    this.#byInvite.set(transaction.id, call)
    this.#handler?.(call)
  }

  #callOf(request: SipRequest): UserAgentCall | undefined {
    return this.#calls.get(dialogKey(request, tagOf(request, 'To')))
  }

  #headers(transaction: ServerTransaction): readonly SipHeader[] {
    const { name, contactUser } = this.#options
    return [
      { name: 'Contact', value: contactOf(this.stack, transaction.from, contactUser) },
      { name: 'Allow', value: ALLOW },
      { name: 'Supported', value: [...EXTENSIONS].join(', ') },
      { name: 'Accept', value: 'application/sdp' },
      ...(name === undefined ? [] : [{ name: 'User-Agent', value: name }]),
    ]
  }
}

/**
 * Our Contact header value for this peer. `isSips` makes it a SIPS URI (RFC 3261 §8.1.1.8), which
 * implies TLS.
 */
export function contactOf(stack: SipStack, peer: PeerPlace, user?: string, isSips = false): string {
  const own = contactsToward(stack.contacts, peer)[0] ?? stack.contacts[0]
  const host = formatHost(own?.address ?? '', own?.port)
  const parameter = isSips || peer.transport === 'udp' ? '' : `;transport=${peer.transport}`
  const scheme = isSips ? 'sips' : 'sip'
  return `<${scheme}:${user === undefined ? '' : `${user}@`}${host}${parameter}>`
}

function refuse(status: number, name: string, value: string): SipResponse {
  return makeResponse(status, { headers: [{ name, value }] })
}

/** The key of a dialog. Every request of the peer, including the INVITE, has the peer's tag in From. */
function dialogKey(request: SipRequest, localTag: string): string {
  return `${getHeader(request, 'Call-ID') ?? ''} ${localTag} ${tagOf(request, 'From')}`
}
