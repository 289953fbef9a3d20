/** The referrals of one dialog, in both directions, and the NOTIFYs for those we sent. */
import type { Dialog, SrfRequest, SrfResponse } from 'drachtio-srf'
import { reasonOf } from '../../../platform/async/abort.js'
import { AdapterError } from '../../../platform/errors.js'
import type { Logger } from '../../../platform/log.js'
import { parseUri } from '../../../platform/sip-grammar/uri.js'
import type { DialogFacts, DialogName } from '../dialog-facts.js'
import type { IncomingReferral, ReferralOutcome, SipStep } from '../port.js'
import { sipUri } from '../signaling/sip-text.js'
import { eventOf, readNotice } from './sip-fragment.js'
import { responseStep, sipStep } from './sip-step.js'
import { Timers } from './timers.js'

export interface ReferLimits {
  /** Maximum time to a response, ms: a little more than 64 * T1 (RFC 3261 §17.1.2.2). */
  readonly answerMs: number
  /** Maximum time from acceptance to the first NOTIFY, ms (RFC 6665 §4.1.2.4, timer N). */
  readonly firstNoticeMs: number
  /** Maximum ring time of the new call, ms: that of RFC 3261 §16.6. */
  readonly lastNoticeMs: number
}

interface ReferRequest {
  readonly headers: Readonly<Record<string, string>>
  readonly limits: ReferLimits
  readonly onSip: (step: SipStep) => void
  readonly log: Logger
}

const PROCEEDING = 100

const NO_SUBSCRIPTION = 481
const BAD_EVENT = 489

const DECLINE = 603
const BAD_REQUEST = 400
const ACCEPTED = 202
/** The subscription's length in seconds; the new call is answered sooner. */
const SUBSCRIPTION_SECONDS = 60
const PHRASES: Readonly<Record<number, string>> = { 100: 'Trying', 200: 'OK' }

interface ReferralDeps {
  readonly dialog: Dialog
  /** The application's listener; without one the REFER is declined. */
  readonly listener: ((reference: IncomingReferral) => void) | undefined
  readonly onSip: (step: SipStep) => void
  readonly log: Logger
}

/** Maximum length of a target in the reference API, in characters. */
const MAX_TARGET = 256
/** Maximum length of a target with a Replaces header, whose escaped tags are long. */
const MAX_REPLACING_TARGET = 1_024

interface ReferTarget {
  readonly target: string
  /** The dialog that the new call replaces in an attended transfer (RFC 5589 §7). */
  readonly replaces: DialogName | undefined
}

export class Referrals {
  readonly #listeners = new Set<(referral: IncomingReferral) => void>()
  /** Our newest REFER. It is stored after its end too, because its subscription may still be open. */
  #newest: { readonly referral: Referral; isAbandoned: boolean } | undefined
  /** CSeq number of the REFER before the newest; 0 when there was none. */
  #earlier = 0
  /** An earlier REFER whose subscription has not ended. */
  #trailing: Referral | undefined

  /** Adds a listener; see `Leg.onReferral`. */
  onReferral(listener: (referral: IncomingReferral) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Answers a REFER of the peer, itself or through the newest listener. */
  received(req: SrfRequest, res: SrfResponse, deps: Omit<ReferralDeps, 'listener'>): void {
    takeReferral(req, res, { ...deps, listener: [...this.#listeners].at(-1) })
  }

  /** Sends a REFER; see `Leg.refer`. */
  async follow(
    dialog: Dialog,
    request: ReferRequest,
    signal: AbortSignal,
  ): Promise<ReferralOutcome> {
    if (this.#newest?.referral.isOver === false)
      throw new AdapterError('a referral of this leg is under way already')
    this.#earlier = this.#newest?.referral.sequence ?? this.#earlier
    if (this.#newest?.referral.isTrailing === true) this.#trailing = this.#newest.referral
    const newest = { referral: new Referral(request), isAbandoned: false }
    this.#newest = newest
    try {
      return await newest.referral.follow(dialog, signal)
    } catch (err) {
      newest.isAbandoned = true
      throw err
    }
  }

  /** Answers every NOTIFY. A 481 ends a subscription that does not exist here. */
  notified(notify: SrfRequest, res: SrfResponse): void {
    const { package: event, id } = eventOf(notify)
    if (event !== 'refer') {
      // RFC 6665 §4.1.3
      res.send(BAD_EVENT)
      return
    }
    // Only a dialog's first referral may omit its number; many stacks always omit it (RFC 3515 §2.4.6).
    if (id === undefined && this.#trailing?.isTrailing === true) {
      res.send(200)
      this.#trailing.notified(notify)
      return
    }
    if (this.#newest === undefined || this.#newest.isAbandoned || !this.#isNewest(id)) {
      // RFC 6665 §4.1.3, RFC 3515 §2.4.6
      res.send(NO_SUBSCRIPTION)
      return
    }
    res.send(200)
    this.#newest.referral.notified(notify)
  }

  legOver(): void {
    this.#newest?.referral.legOver()
  }

  /**
   * True when the NOTIFY belongs to the newest REFER. CSeq numbers grow, so the number identifies an older
   * REFER even before the newest one is answered.
   */
  #isNewest(id: number | undefined): boolean {
    if (id === undefined) return true
    const sequence = this.#newest?.referral.sequence
    return sequence === undefined ? id > this.#earlier : id === sequence
  }
}

/** One REFER that we send in a dialog, until its last NOTIFY (RFC 3515). */
class Referral {
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

  /** CSeq number of the REFER; undefined before the peer answers it. */
  get sequence(): number | undefined {
    return this.#sequence
  }

  get isOver(): boolean {
    return this.#state === 'over'
  }

  /** True when the final status was notified but the subscription's last NOTIFY is pending. */
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
        log.debug({ err }, 'could not send a REFER')
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

/** Answers the REFER at once, or passes it to the listener. */
function takeReferral(req: SrfRequest, res: SrfResponse, deps: ReferralDeps): void {
  const { listener } = deps
  const answer = (status: number, reason: string) => {
    res.send(status, reason)
  }
  const referTo = readReferTo(req.get('Refer-To'))
  if (referTo === undefined) answer(BAD_REQUEST, 'Bad Request')
  else if (!listener)
    answer(DECLINE, 'Decline') // RFC 3515 §2.4.2
  else {
    const notify = notifier(req, deps)
    listener({
      ...referTo,
      refuse: () => {
        answer(DECLINE, 'Decline')
      },
      accept: () => {
        answer(ACCEPTED, 'Accepted')
        // The first NOTIFY is sent at once (RFC 3515 §2.4.4).
        notify(100, `active;expires=${String(SUBSCRIPTION_SECONDS)}`)
      },
      notifySuccess: () => {
        notify(200, 'terminated;reason=noresource')
      },
    })
  }
}

/** Reads a Refer-To header; undefined when it is not one URI, or is too long. */
export function readReferTo(referTo: string | undefined): ReferTarget | undefined {
  const uri = /<([^<>]*)>/.exec(referTo ?? '')?.[1] ?? (referTo ?? '').split(';')[0]?.trim() ?? ''
  const isUri = /^(?:sips?|tel):[^\s"<>]+$/i.test(uri)
  if (!isUri || uri.length > MAX_REPLACING_TARGET) return undefined
  const replaces = readReplaces(parseUri(uri)?.headers['replaces'])
  if (replaces === undefined && uri.length > MAX_TARGET) return undefined
  return { target: uri, replaces }
}

/** Reads a Replaces header; `to-tag` is the tag of its receiver (RFC 3891 §3). */
function readReplaces(replaces: string | undefined): DialogName | undefined {
  const [callId = '', ...params] = (replaces ?? '').split(';').map((part) => part.trim())
  const valueOf = (name: string) =>
    params.find((param) => param.toLowerCase().startsWith(`${name}=`))?.slice(name.length + 1)
  const [localTag, remoteTag] = [valueOf('to-tag'), valueOf('from-tag')]
  if (callId === '' || localTag === undefined || remoteTag === undefined) return undefined
  return { callId, localTag, remoteTag }
}

function notifier(
  req: SrfRequest,
  { dialog, onSip, log }: ReferralDeps,
): (status: number, state: string) => void {
  // RFC 3515 §2.4.6
  const id = Number.parseInt(req.get('CSeq') ?? '', 10)
  return (status, state) => {
    if (!dialog.connected) return
    const line = `${String(status)} ${PHRASES[status] ?? ''}`
    const headers = {
      Event: `refer;id=${String(id)}`,
      'Subscription-State': state,
      'Content-Type': 'message/sipfrag;version=2.0',
    }
    onSip(sipStep('sent', `NOTIFY ${line}`))
    dialog.request({ method: 'NOTIFY', headers, body: `SIP/2.0 ${line}\r\n` }, (err) => {
      // The call continues even when the NOTIFY is lost.
      if (err) log.debug({ err }, 'could not send a NOTIFY')
    })
  }
}

/**
 * Returns the headers of a REFER in the dialog. Throws UnsafeArgumentError for a target that is not a URI.
 */
export function referHeaders(
  target: string,
  { localParty }: Pick<DialogFacts, 'localParty'>,
): Record<string, string> {
  const us = /<([^>]*)>/.exec(localParty)?.[1] ?? localParty.replace(/;.*$/s, '').trim()
  return {
    // The brackets make what follows `;` or `?` part of the URI instead of the header (RFC 3261 §20).
    'Refer-To': `<${sipUri(target)}>`,
    // The referrer (RFC 3892 §2.1).
    'Referred-By': `<${us}>`,
  }
}
