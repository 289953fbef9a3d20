import type { DialRoute } from '../../routing/dial-route.js'
import type { LegMedia } from '../../telephony/leg-media.js'
import type { Digits, Leg, LegEvents, ReferralOutcome } from '../../telephony/port.js'
import type { Dialer } from '../actor/dialer.js'
import type { DocumentRun } from '../document-run.js'

/** The time that a document has to fall silent when its call ends. */
const SILENCE_LIMIT_MS = 1_000

/**
 * The leg of a child call that has no dialog: its documents are heard on its parent's leg. It is
 * answered from the beginning, and its end leaves the parent's leg alone.
 */
export class SharedLeg implements Leg {
  readonly direction = 'outbound'
  readonly remoteHeaders = []
  readonly dialogFacts = undefined
  readonly openInvites = []
  readonly #parent: Leg
  readonly #events: LegEvents
  readonly #silence: () => Promise<void>
  #over: Promise<void> | undefined

  /** `silence` resolves when no document uses the leg any more. */
  constructor(parent: Leg, events: LegEvents, silence: () => Promise<void>) {
    this.#parent = parent
    this.#events = events
    this.#silence = silence
  }

  get id(): string {
    return this.#parent.id
  }

  get sipCallId(): string {
    return this.#parent.sipCallId
  }

  get state(): Leg['state'] {
    return this.#over === undefined && this.#parent.state !== 'ended' ? 'answered' : 'ended'
  }

  get media(): LegMedia {
    return this.#parent.media
  }

  get digits(): Digits {
    return this.#parent.digits
  }

  ring(): Promise<void> {
    return Promise.resolve()
  }

  answer(): Promise<void> {
    return Promise.resolve()
  }

  hangup(): Promise<void> {
    this.#over ??= this.#end()
    return this.#over
  }

  refer(target: string, signal: AbortSignal): Promise<ReferralOutcome> {
    return this.#parent.refer(target, signal)
  }

  onReferral(listener: Parameters<Leg['onReferral']>[0]): () => void {
    return this.#parent.onReferral(listener)
  }

  async #end(): Promise<void> {
    await this.#silence()
    this.#events.onEnded({ cause: 'local-hangup', sipStatus: 200 })
  }
}

/** "Dials" a child call by giving it its parent's leg. */
export class SharedLegDialer implements Dialer {
  readonly #parent: Leg
  #document: DocumentRun | undefined

  constructor(parent: Leg) {
    this.#parent = parent
  }

  /** Notes the document that runs on the child, so that its end waits for silence. */
  follow(document: DocumentRun): void {
    this.#document = document
  }

  next(call: Parameters<Dialer['next']>[0], previous: unknown): Promise<DialRoute | undefined> {
    const isOver = previous !== undefined || this.#parent.state !== 'answered'
    if (isOver) return Promise.resolve(undefined)
    const request = { uri: call.to, from: { user: call.from }, timeoutMs: 0 }
    return Promise.resolve({ requests: [request], leadsOn: () => false })
  }

  dial(_call: unknown, _route: unknown, events: LegEvents): Leg {
    const leg = new SharedLeg(this.#parent, events, async () => {
      await this.#document?.stop(SILENCE_LIMIT_MS)
    })
    // The actor has the leg by then.
    queueMicrotask(() => {
      events.onAnswered?.()
    })
    return leg
  }

  stop(): void {
    // Nothing is searched.
  }
}
