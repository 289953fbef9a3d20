import { randomUUID } from 'node:crypto'
import { RememberedAddresses } from '../../../platform/remembered-addresses.js'
import { parseNameAddr } from '../../../platform/sip-grammar/name-addr.js'
import type { SourceVerdict } from '../../../platform/source-limit.js'
import { getHeader } from '../message/headers.js'
import { completeResponse, makeResponse } from '../message/make-response.js'
import type { SipRequest, SipResponse } from '../message/types.js'
import type { Essentials } from '../message/validate.js'
import { writeMessage } from '../message/write-message.js'
import type { ServerTransaction, SipPeer, TransactionUser } from '../model/stack-types.js'
import type { Admission } from './admission.js'
import { mergeKey, serverKey } from './keys.js'
import { startInviteServer, stepInviteServer } from './machines/invite-server.js'
import { startNonInviteServer, stepNonInviteServer } from './machines/non-invite-server.js'
import type { Effect, ServerEvent, StepContext, TimerName } from './machines/step.js'
import { callUser, RunningMachine, type TransactionDeps } from './transaction-owner.js'
import { responseRoute } from './via-routing.js'

export interface ServerDeps extends TransactionDeps {
  readonly maxTransactions: number
  readonly admission: Admission | undefined
  user(): TransactionUser | undefined
  /** Answers a request without a transaction, always the same way (RFC 3261 §8.2.7). */
  refuse(request: SipRequest, from: SipPeer, status: 482 | 503): void
  /** True when the To of an ACK carries the tag of such a stateless answer. */
  isRefused(essentials: Essentials): boolean
}

type State = ServerTransaction['state']

interface Machine {
  readonly state: { readonly state: State }
  dispatch(event: ServerEvent): void
}

interface Live {
  readonly transaction: ServerTransaction
  readonly essentials: Essentials
  readonly machine: Machine
  readonly draft: Draft
}

interface Draft {
  readonly request: SipRequest
  readonly from: SipPeer
  readonly essentials: Essentials
  readonly toTag: string
  lastResponse?: Buffer
  /** The To of that response, with our tag. */
  lastTo?: string | undefined
}

/** All server transactions of a stack, found by the rules of RFC 3261 §17.2.3 and §9.2. */
export class ServerTransactions {
  readonly #deps: ServerDeps
  readonly #live = new Map<string, Live>()
  /** Keys of the copies to refuse (RFC 3261 §8.2.2.2). */
  readonly #mergeable = new Set<string>()
  /**
   * The addresses that have shown that they receive what we send them: their ACK had the tag of our
   * answer, which nobody can guess. The source of a request over UDP may be forged.
   */
  readonly #proven = new RememberedAddresses()
  /** The addresses one of whose requests was accepted. */
  readonly #accepted = new RememberedAddresses()

  constructor(deps: ServerDeps) {
    this.#deps = deps
  }

  get size(): number {
    return this.#live.size
  }

  /** True when a request of the address was accepted: it is a caller's or a softphone's that was let in. */
  hasAccepted(address: string): boolean {
    return this.#accepted.has(address)
  }

  receive(request: SipRequest, essentials: Essentials, from: SipPeer): void {
    if (request.method === 'ACK') {
      this.#receiveAck(request, essentials, from)
      return
    }
    const key = serverKey(request, essentials, request.method)
    const known = this.#live.get(key)
    if (known !== undefined) this.#repeat(known)
    else this.#begin(key, request, essentials, from)
  }

  /** Handles a retransmission. It may be forged, so the response goes to the source of the first request. */
  #repeat({ machine, draft: { from } }: Live): void {
    const verdict = this.#deps.isReliable(from)
      ? 'admit'
      : this.#deps.admission?.judge(from, 'inside')
    if (verdict === undefined || verdict === 'admit') machine.dispatch({ type: 'request' })
  }

  #receiveAck(request: SipRequest, essentials: Essentials, from: SipPeer): void {
    const live = this.#live.get(serverKey(request, essentials, 'INVITE'))
    const state = live?.machine.state.state
    if (live !== undefined && hasTagOf(essentials, live.draft)) this.#proven.add(from.address)
    live?.machine.dispatch({ type: 'ack' })
    // Some agents use the INVITE's branch for the ACK of its 2xx too: it is the dialog's all the same.
    if ((live !== undefined && state !== 'accepted') || this.#deps.isRefused(essentials)) return
    this.#tellUser((user) => {
      user.onAck(request, from)
    })
  }

  #begin(key: string, request: SipRequest, essentials: Essentials, from: SipPeer): void {
    const isCancel = request.method === 'CANCEL'
    const invite = isCancel ? this.#live.get(serverKey(request, essentials, 'INVITE')) : undefined
    const verdict = invite === undefined ? this.#judge(essentials, from) : 'admit'
    if (verdict !== 'admit') {
      if (verdict === 'refuse') this.#deps.refuse(request, from, 503)
      return
    }
    // Without a To tag only: a request inside a dialog cannot have been forked (RFC 3261 §8.2.2.2).
    // drachtio-server 0.9.10 takes the copy for a retransmission and answers no more than 100.
    const isMergeable = !isCancel && essentials.to.params['tag'] === undefined
    const merge = isMergeable ? mergeKey(essentials) : undefined
    if (merge !== undefined && this.#mergeable.has(merge)) {
      this.#deps.refuse(request, from, 482)
      return
    }
    // RFC 3261 §9.2: the answers to the CANCEL and to its INVITE should carry the same tag.
    const toTag = invite?.transaction.toTag ?? randomUUID().slice(-12)
    const live = this.#create(key, merge, { request, essentials, from, toTag })
    live.machine.dispatch({ type: 'started' })
    if (isCancel) this.#cancel(live.transaction, invite)
    else
      this.#tellUser((user) => {
        user.onRequest(live.transaction)
      }, live.transaction)
  }

  #judge(essentials: Essentials, from: SipPeer): SourceVerdict {
    if (this.#live.size >= this.#deps.maxTransactions) return 'refuse'
    const isInside = essentials.to.params['tag'] !== undefined
    return this.#deps.admission?.judge(from, isInside ? 'inside' : 'outside') ?? 'admit'
  }

  /**
   * Answers a CANCEL: 200 whatever becomes of the INVITE, 481 when there is none (RFC 3261 §9.2).
   * An INVITE that got its 2xx still counts (RFC 6026 §7.1). drachtio-server 0.9.10, which ends the
   * transaction with the 2xx as RFC 3261 did, answers 481 then. Neither changes anything for the
   * call.
   */
  #cancel(cancel: ServerTransaction, invite: Live | undefined): void {
    cancel.respond(makeResponse(invite === undefined ? 481 : 200))
    if (invite?.machine.state.state !== 'proceeding') return
    this.#tellUser((user) => {
      user.onCancel(invite.transaction, cancel.request)
    })
  }

  #tellUser(tell: (user: TransactionUser) => void, unheard?: ServerTransaction): void {
    const user = this.#deps.user()
    if (user === undefined) unheard?.respond(makeResponse(503))
    else
      callUser(this.#deps.log, () => {
        tell(user)
      })
  }

  #create(key: string, merge: string | undefined, draft: Draft): Live {
    const { request, from, essentials, toTag } = draft
    const transaction: ServerTransaction = {
      id: randomUUID(),
      request,
      from,
      toTag,
      get state() {
        return machine.state.state
      },
      respond: (response) => this.#respond(draft, machine, response),
      ackReceived: () => {
        this.#proven.add(from.address)
        machine.dispatch({ type: 'ack-received' })
      },
    }
    const machine = this.#run(draft, transaction, () => {
      this.#live.delete(key)
      if (merge !== undefined) this.#mergeable.delete(merge)
    })
    const live: Live = { transaction, essentials, machine, draft }
    this.#live.set(key, live)
    if (merge !== undefined) this.#mergeable.add(merge)
    return live
  }

  #run(draft: Draft, transaction: ServerTransaction, onTerminated: () => void): Machine {
    const { timers, timing } = this.#deps
    const isReliable = this.#deps.isReliable(draft.from)
    const isProven = isReliable || this.#proven.has(draft.from.address)
    const context: StepContext = { timing, isReliable }
    const common = {
      context,
      timers,
      onTimer: (timer: TimerName): ServerEvent => ({ type: 'timer', timer }),
      perform: (effect: Effect) => {
        this.#perform(draft, transaction, effect)
      },
      onTerminated,
    }
    return draft.request.method === 'INVITE'
      ? new RunningMachine(startInviteServer(), {
          ...common,
          step: (state, event) => stepInviteServer(state, event, { ...context, isProven }),
        })
      : new RunningMachine(startNonInviteServer(), { ...common, step: stepNonInviteServer })
  }

  #respond(draft: Draft, machine: Machine, response: SipResponse): SipResponse | undefined {
    const { state } = machine.state
    if (state !== 'trying' && state !== 'proceeding') return undefined
    const complete = completeResponse(response, draft.request, draft.toTag)
    draft.lastResponse = writeMessage(complete)
    draft.lastTo = getHeader(complete, 'To')
    machine.dispatch({ type: 'respond', status: response.status })
    if (draft.essentials.to.params['tag'] === undefined)
      this.#deps.admission?.answered(draft.from, response.status)
    if (isAcceptance(draft.request.method, response.status)) this.#accepted.add(draft.from.address)
    return complete
  }

  #perform(draft: Draft, transaction: ServerTransaction, effect: Effect): void {
    if (effect.type === 'send-trying') {
      const trying = completeResponse(makeResponse(100), draft.request, draft.toTag)
      draft.lastResponse = writeMessage(trying)
      this.#send(draft)
    } else if (effect.type === 'send') this.#send(draft)
    else if (effect.type === 'fail')
      callUser(this.#deps.log, () => {
        transaction.onTimeout?.()
      })
  }

  #send({ lastResponse, from, essentials }: Draft): void {
    if (lastResponse === undefined) return
    const { to, fallbackPort } = responseRoute(from, essentials.via)
    this.#deps.send(lastResponse, to, {
      fallbackPort,
      onFailure: (err) => {
        this.#deps.log?.debug({ err, to }, 'could not send a SIP response')
      },
    })
  }
}

/**
 * True for an answer that only a caller or a softphone that was let in gets. Anybody gets 200 to OPTIONS,
 * and to the CANCEL of an INVITE.
 */
function isAcceptance(method: string, status: number): boolean {
  return status > 100 && status < 300 && method !== 'OPTIONS' && method !== 'CANCEL'
}

/** True for an ACK with the To tag of the answer that it confirms. */
function hasTagOf({ to }: Essentials, { lastTo }: Draft): boolean {
  const tag = lastTo === undefined ? undefined : parseNameAddr(lastTo)?.params['tag']
  return tag !== undefined && tag === to.params['tag']
}
