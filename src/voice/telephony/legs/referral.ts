/** One REFER that we send in a dialog, until its last NOTIFY (RFC 3515). */
import type { Dialog, SrfRequest, SrfResponse } from 'drachtio-srf'
import { reasonOf } from '../../../platform/async/abort.js'
import { AdapterError } from '../../../platform/errors.js'
import type { Logger } from '../../../platform/log.js'
import type { ReferralOutcome, SipStep } from '../port.js'
import { readNotice } from './sip-fragment.js'
import { responseStep, sipStep } from './sip-step.js'
import { Timers } from './timers.js'

export interface ReferLimits {
  /** The time that a response may take: 64 * T1 and a little more (RFC 3261 §17.1.2.2). */
  readonly answerMs: number
  /** The time that an accepted REFER may stay without a NOTIFY (RFC 6665 §4.1.2.4, timer N). */
  readonly firstNoticeMs: number
  /** The time that the new call may ring: as long as RFC 3261 §16.6 lets a call ring. */
  readonly lastNoticeMs: number
}

export interface ReferRequest {
  readonly headers: Readonly<Record<string, string>>
  readonly limits: ReferLimits
  readonly onSip: (step: SipStep) => void
  readonly log: Logger
}

const PROCEEDING = 100

export class Referral {
  readonly #request: ReferRequest
  readonly #timers = new Timers<'wait'>()
  #settle:
    | { resolve: (outcome: ReferralOutcome) => void; reject: (reason: Error) => void }
    | undefined
  #state: 'sent' | 'accepted' | 'over' = 'sent'
  #sipStatus: number | undefined
  #notifiedStatus: number | undefined
  #sequence: number | undefined
  #isTrailing = false

  constructor(request: ReferRequest) {
    this.#request = request
  }

  /** CSeq number of the REFER, once the peer has answered it. */
  get sequence(): number | undefined {
    return this.#sequence
  }

  get isOver(): boolean {
    return this.#state === 'over'
  }

  /**
   * True when the final status was notified and the subscription's last NOTIFY is still to come.
   */
  get isTrailing(): boolean {
    return this.#isTrailing
  }

  /** Sends the REFER; see `Leg.refer`. */
  async follow(dialog: Dialog, signal: AbortSignal): Promise<ReferralOutcome> {
    signal.throwIfAborted()
    const onAbort = () => {
      this.#settle?.reject(reasonOf(signal))
    }
    signal.addEventListener('abort', onAbort)
    try {
      return await new Promise<ReferralOutcome>((resolve, reject) => {
        this.#settle = { resolve, reject }
        this.#send(dialog)
      })
    } finally {
      this.#state = 'over'
      this.#timers.clearAll()
      signal.removeEventListener('abort', onAbort)
    }
  }

  notified(notify: SrfRequest): void {
    const { status, isLast } = readNotice(notify)
    if (status !== undefined) this.#notifiedStatus = status
    this.#isTrailing = !isLast && (this.#isTrailing || (status ?? 0) >= 200)
    if (status !== undefined && status >= 200) this.#end('notified')
    else if (isLast) this.#end('unknown')
    else if (this.#state === 'accepted') this.#wait(this.#request.limits.lastNoticeMs)
  }

  legOver(): void {
    this.#end('leg-over')
  }

  #send(dialog: Dialog): void {
    const { headers, limits, onSip, log } = this.#request
    this.#wait(limits.answerMs)
    onSip(sipStep('sent', 'REFER', { get: (name) => headers[name] }))
    dialog.request({ method: 'REFER', headers: { ...headers } }, (err, response) => {
      if (response && this.#state !== 'over') this.#answered(response)
      else if (err) {
        log.debug({ err }, 'REFER not sent')
        this.#settle?.reject(new AdapterError('the REFER could not be sent', { cause: err }))
      }
    })
  }

  #answered(response: SrfResponse): void {
    const { status } = response
    if (status <= PROCEEDING) return
    this.#request.onSip(responseStep('received', response))
    if (status < 200) return
    this.#sipStatus = status
    this.#sequence = Number.parseInt(response.get('CSeq') ?? '', 10)
    if (status >= 300) this.#end('refused')
    // No subscription exists, so no NOTIFY comes (RFC 4488 §4).
    else if (/^\s*false\b/i.test(response.get('Refer-Sub') ?? '')) this.#end('unknown')
    else {
      this.#state = 'accepted'
      const { firstNoticeMs, lastNoticeMs } = this.#request.limits
      // A NOTIFY may come before the response (RFC 3515 §2.4.4).
      this.#wait(this.#notifiedStatus === undefined ? firstNoticeMs : lastNoticeMs)
    }
  }

  #wait(ms: number): void {
    this.#timers.arm('wait', ms, () => {
      this.#end(this.#state === 'sent' ? 'refused' : 'unknown')
    })
  }

  #end(how: ReferralOutcome['how']): void {
    this.#settle?.resolve({ how, sipStatus: this.#sipStatus, notifiedStatus: this.#notifiedStatus })
  }
}
