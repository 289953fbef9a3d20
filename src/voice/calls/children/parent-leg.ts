import type { DialRoute } from '../../routing/dial-route.js'
import type { Leg, LegEvents } from '../../telephony/port.js'
import { BorrowedLeg } from '../actor/borrowed-leg.js'
import type { Dialer } from '../actor/dialer.js'
import type { DocumentRun } from '../document-run.js'

/** Maximum time for a document to fall silent when its call ends, ms. */
const SILENCE_LIMIT_MS = 1_000

/**
 * The leg of a child call without a dialog: its documents run on its parent's leg. It is answered from the
 * start, and its end does not end the parent's leg.
 */
class ParentLeg extends BorrowedLeg {
  readonly #events: LegEvents
  readonly #silence: () => Promise<void>
  #over: Promise<void> | undefined

  /** `silence` resolves when no document of the child uses the leg any more. */
  constructor(owner: Leg, events: LegEvents, silence: () => Promise<void>) {
    super(owner)
    this.#events = events
    this.#silence = silence
  }

  override get state(): Leg['state'] {
    return this.#over === undefined && this.owner.state !== 'ended' ? 'answered' : 'ended'
  }

  hangup(): Promise<void> {
    this.#over ??= this.#end()
    return this.#over
  }

  onReferral(listener: Parameters<Leg['onReferral']>[0]): () => void {
    return this.owner.onReferral(listener)
  }

  async #end(): Promise<void> {
    await this.#silence()
    this.#events.onEnded({ cause: 'local-hangup', sipStatus: 200 })
  }
}

/** "Dials" a child call by giving it its parent's leg. */
export class ParentLegDialer implements Dialer {
  readonly #parent: Leg
  #document: DocumentRun | undefined

  constructor(parent: Leg) {
    this.#parent = parent
  }

  /** Sets the document that runs on the child; the child's end waits until it is silent. */
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
    const leg = new ParentLeg(this.#parent, events, async () => {
      await this.#document?.stop(SILENCE_LIMIT_MS)
    })
    // The actor has the leg by then.
    queueMicrotask(() => {
      events.onAnswered?.()
    })
    return leg
  }

  stop(): void {
    // There is no search to stop.
  }
}
