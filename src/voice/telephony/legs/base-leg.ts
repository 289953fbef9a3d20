import { randomUUID } from 'node:crypto'
import type { Dialog } from 'drachtio-srf'
import { deferred } from '../../../platform/async/deferred.js'
import { AdapterError } from '../../../platform/errors.js'
import type { DialogFacts } from '../dialog-facts.js'
import { EndpointRefusedError } from '../freeswitch/channel-maker.js'
import type { MediaEndpoint } from '../freeswitch/media-endpoint.js'
import type { OwnOffer, PeerAudio } from '../freeswitch/peer-audio.js'
import type { LegMedia } from '../leg-media.js'
import { type MediaFigures, mediaFaultsOf } from '../media-figures.js'
import {
  type Digit,
  type Digits,
  type IncomingReferral,
  type Leg,
  type LegChannel,
  type LegEnd,
  LegEndedError,
  type LegEvents,
  type ReferralOutcome,
  type SipPlace,
  type SipStep,
} from '../port.js'
import { dialogFactsOf, nextHopOf } from '../signaling/dialog-facts-of.js'
import { endDialog, forgetDialog } from '../signaling/end-dialog.js'
import type { WireMessage } from '../signaling/message-tap.js'
import { type DialogMedia, watchDialog } from './dialog-requests.js'
import { EndpointMedia, type MadeEndpoint } from './endpoint-media.js'
import { KeptMessages } from './kept-messages.js'
import { type LegDeps, notify } from './leg-deps.js'
import { Referrals, referHeaders } from './referrals.js'
import { completeStep, isRequestOfOurs, placeOfUri, sipStep } from './sip-step.js'

export type KeyWay = 'audio' | 'info'

/**
 * Maximum time between the two reports of one key press, ms. INFO is sent when the key goes down or up, and
 * may be repeated.
 */
const WINDOW_MS = 1_000
/**
 * Maximum number of presses that wait for their second report; the oldest are dropped. A person presses fewer
 * in the time window.
 */
const MAX_PENDING = 32

interface Press {
  readonly digit: string
  readonly untilMs: number
}

/** The shared part of UAC and UAS legs: media, requests in a dialog, and a single report of the end. */
export abstract class BaseLeg implements Leg {
  readonly id = randomUUID()
  readonly media: EndpointMedia
  readonly digits: DigitSource
  abstract readonly direction: Leg['direction']
  protected readonly events: LegEvents
  protected readonly deps: LegDeps
  protected dialog: Dialog | undefined
  readonly #over = deferred()
  readonly #keys = new KeyPresses()
  readonly #referrals = new Referrals()
  #kept: KeptMessages | undefined
  #unwatch: (() => void) | undefined
  #isOver = false
  readonly #onLost = () => {
    this.onSignalingLost()
  }

  constructor(events: LegEvents, deps: LegDeps) {
    this.events = events
    this.deps = deps
    this.media = new EndpointMedia(deps.log)
    this.digits = new DigitSource((err) => {
      deps.log.error({ err }, 'a listener of a leg threw')
    })
    // The caller has received the leg by the next microtask.
    if (events.onSipMessage !== undefined)
      queueMicrotask(() => {
        this.#keepMessages()
      })
    const { lostSignal } = deps.signaling
    // The caller has received the leg by the next microtask.
    if (lostSignal.aborted)
      queueMicrotask(() => {
        this.#fault(deps.faults.ofSignaling() ?? 'no drachtio is connected')
        this.#onLost()
      })
    else lostSignal.addEventListener('abort', this.#onLost, { once: true })
  }

  abstract readonly sipCallId: string
  abstract readonly remoteHeaders: Leg['remoteHeaders']
  abstract get state(): Leg['state']
  abstract hangup(options?: { readonly status?: number; readonly reason?: string }): Promise<void>
  /** The next hop of the INVITE; undefined for a loopback call. */
  protected abstract readonly hop: SipPlace | undefined
  /** The Request-URI of a request outside a dialog: the INVITE and its CANCEL. */
  protected abstract readonly ownUri: string | undefined
  protected abstract onSignalingLost(): void
  protected abstract onMediaLost(): void
  protected abstract onBye(isFromPeer: boolean): void

  get openInvites(): Leg['openInvites'] {
    return []
  }

  get dialogFacts(): DialogFacts | undefined {
    return this.dialog && dialogFactsOf(this.dialog, this.deps.signaling.name)
  }

  ring(_options?: { readonly withMedia?: boolean }): Promise<void> {
    return Promise.reject(new AdapterError('only the called side rings'))
  }

  answer(): Promise<void> {
    return Promise.reject(new AdapterError('only the called side answers'))
  }

  async refer(target: string, signal: AbortSignal): Promise<ReferralOutcome> {
    if (this.#isOver || this.state === 'ended') throw new LegEndedError('the leg is over')
    const { dialog, dialogFacts } = this
    if (this.state !== 'answered' || !dialog || !dialogFacts)
      throw new AdapterError('only an answered leg can be referred')
    const request = {
      headers: referHeaders(target, dialogFacts),
      limits: this.deps.limits.refer,
      onSip: this.sip.bind(this),
      log: this.deps.log,
    }
    return await this.#referrals.follow(dialog, request, signal)
  }

  onReferral(listener: (referral: IncomingReferral) => void): () => void {
    return this.#referrals.onReferral(listener)
  }

  /**
   * Resolves with the leg's endpoint. The first call creates it, for the peer's audio or for an offer of
   * ours.
   */
  protected endpoint(audio: PeerAudio | OwnOffer, beside?: LegMedia): Promise<MediaEndpoint> {
    const events = {
      onDigit: (digit: Digit) => {
        this.#digit(digit, 'audio')
      },
      onLost: () => {
        this.onMediaLost()
      },
    }
    return this.media.make(async () => {
      const made = await this.#made(audio, events, beside)
      const { name: server } = made.server
      this.events.onMedia?.({ server, channel: made.endpoint.uuid })
      this.#fault(this.deps.faults.on(server))
      return made
    })
  }

  /** Stores the dialog and answers the peer's requests in it. */
  protected adopt(dialog: Dialog, media: DialogMedia): void {
    this.dialog = dialog
    watchDialog(
      dialog,
      media,
      {
        onBye: (isFromPeer) => {
          forgetDialog(this.deps.signaling, dialog)
          this.dialog = undefined
          this.#referrals.legOver()
          this.onBye(isFromPeer)
        },
        onDigit: (digit) => {
          this.#digit(digit, 'info')
        },
        onNotify: (req, res) => {
          this.#referrals.notified(req, res)
        },
        onRefer: (req, res) => {
          const { log } = this.deps
          this.#referrals.received(req, res, { dialog, onSip: this.sip.bind(this), log })
        },
        onForgotten: () => {
          void this.hangup()
        },
        onSip: (step) => {
          this.sip(step)
        },
      },
      this.deps.log,
    )
    // The BYE may have arrived before these listeners were added.
    if (!dialog.connected) this.onBye(true)
  }

  /** Sends BYE, with a time limit, and ends the audio at the same time. */
  protected async sendBye(): Promise<void> {
    // drachtio ends a REFER together with its dialog, with a response that does not come from the peer.
    this.#referrals.legOver()
    this.media.release('figures').catch((err: unknown) => {
      this.deps.log.error({ err }, 'could not release a media endpoint')
    })
    const { signaling, limits, log } = this.deps
    if (!this.dialog?.connected) return
    this.sip(sipStep('sent', 'BYE'))
    const isOver = await endDialog(signaling, this.dialog, limits.byeMs, log)
    if (isOver) this.dialog = undefined
  }

  /** Releases all resources, then reports the end. Called once, as the machine's last effect. */
  protected async finish(end: LegEnd): Promise<void> {
    const { signaling, log } = this.deps
    signaling.lostSignal.removeEventListener('abort', this.#onLost)
    this.#referrals.legOver()
    let figures: MediaFigures | undefined
    try {
      if (this.dialog) forgetDialog(signaling, this.dialog)
      // Only an answered leg promised audio in both directions.
      figures = await this.media.release(end.sipStatus === 200 ? 'figures' : 'nothing')
    } catch (err) {
      // This is a bug of ours; the end is still reported.
      log.error({ err }, 'could not release the media endpoint of an ended leg')
    }
    this.#isOver = true
    this.#unwatch?.()
    notify(log, () => this.#kept?.end())
    this.deps.onOver(this)
    notify(log, () => {
      if (figures !== undefined) this.events.onMedia?.(endOfMedia(figures))
    })
    notify(log, () => {
      this.events.onEnded(end)
    })
    this.#over.resolve()
  }

  protected whenOver(): Promise<void> {
    return this.#over.done
  }

  /** Keeps a message that came before the leg. */
  protected keep(message: WireMessage): void {
    notify(this.deps.log, () => this.#kept?.add(message))
  }

  #keepMessages(): void {
    const { signaling } = this.deps
    const listener = this.events.onSipMessage?.bind(this.events)
    if (listener === undefined || this.#isOver) return
    this.#kept = new KeptMessages(listener, this.sipCallId, (transport) =>
      signaling.listener(transport),
    )
    this.#unwatch = signaling.messages.watch(this.sipCallId, (message) => {
      this.keep(message)
    })
  }

  protected sip(step: SipStep): void {
    notify(this.deps.log, () => this.events.onSip?.(this.#completed(step)))
  }

  #completed(step: SipStep): SipStep {
    const { sipCallId: callId, hop, ownUri } = this
    const facts = isRequestOfOurs(step) ? this.dialogFacts : undefined
    const uri = facts?.target ?? ownUri
    return completeStep(step, {
      callId,
      uri,
      peer: facts === undefined ? hop : placeOfUri(nextHopOf(facts) ?? facts.target),
      listener: (transport) => this.deps.signaling.listener(transport),
    })
  }

  /** Creates the endpoint. Reports a server failure as a fault, but not a refusal of the peer's offer. */
  async #made(...request: Parameters<LegDeps['createEndpoint']>): Promise<MadeEndpoint> {
    try {
      return await this.deps.createEndpoint(...request)
    } catch (err) {
      if (!(err instanceof EndpointRefusedError))
        this.#fault(
          this.deps.faults.ofMedia() ?? (err instanceof AdapterError ? err.message : undefined),
        )
      throw err
    }
  }

  #fault(why: string | undefined): void {
    if (why !== undefined) notify(this.deps.log, () => this.events.onFault?.(why))
  }

  #digit(digit: Digit, way: KeyWay): void {
    const now = this.deps.clock.monotonic()
    if (this.#isOver || !this.#keys.isNew(digit, way, now)) return
    this.digits.emit(digit)
  }
}

function endOfMedia(figures: MediaFigures): LegChannel {
  const { server, channel } = figures
  return { server, channel, figures, faults: mediaFaultsOf(figures) }
}

/** Detects the second report of a key press that a phone sends both in RTP and by INFO. */
export class KeyPresses {
  /** Presses that were reported one way and not yet the other way. */
  readonly #pending: Readonly<Record<KeyWay, Press[]>> = { audio: [], info: [] }

  /** False when the other way has already reported the press. */
  isNew({ digit, durationMs }: Digit, way: KeyWay, nowMs: number): boolean {
    const others = this.#pending[way === 'audio' ? 'info' : 'audio']
    // RTP events end when the key is released; INFO may have come when the key went down.
    const sinceMs = nowMs - (way === 'audio' ? durationMs : 0)
    while (others[0] !== undefined && others[0].untilMs < sinceMs) others.shift()
    const at = others.findIndex((press) => press.digit === digit)
    if (at !== -1) {
      others.splice(at, 1)
      return false
    }
    const own = this.#pending[way]
    own.push({ digit, untilMs: nowMs + WINDOW_MS })
    if (own.length > MAX_PENDING) own.shift()
    return true
  }
}

/** The digits of one leg: the leg emits them; its call's verbs and streams subscribe. */
export class DigitSource implements Digits {
  readonly #onError: (error: unknown) => void
  readonly #listeners = new Set<(digit: Digit) => void>()

  /** `onError` gets what a listener throws; the other listeners still receive the digit. */
  constructor(onError: (error: unknown) => void) {
    this.#onError = onError
  }

  subscribe(listener: (digit: Digit) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  emit(digit: Digit): void {
    for (const listener of [...this.#listeners])
      try {
        listener(digit)
      } catch (error) {
        this.#onError(error)
      }
  }
}
