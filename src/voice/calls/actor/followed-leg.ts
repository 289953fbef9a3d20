/**
 * One leg that is two calls: that of the account that is called, which runs it, and that of the account
 * that calls, which follows it. The follower rings, is answered and ends as the leg does.
 */
import type { DialRoute } from '../../routing/dial-route.js'
import type { LegMedia } from '../../telephony/leg-media.js'
import type { Digits, Leg, LegEnd, LegEvents, ReferralOutcome } from '../../telephony/port.js'
import type { Dialer } from './dialer.js'

/** Gives the follower's actor its view of the leg; the "route" of the follower is the leg itself. */
export class FollowedLeg implements Dialer {
  #leg: Leg | undefined
  #follower: LegEvents | undefined
  #isAnswered = false
  #end: LegEnd | undefined

  /** Takes the leg, with the listeners of the call that runs it. Called once, before the follower dials. */
  take(accept: (events: LegEvents) => Leg, events: LegEvents): Leg {
    this.#leg = accept({
      onAnswered: () => {
        this.#isAnswered = true
        events.onAnswered?.()
        this.#follower?.onAnswered?.()
      },
      onSip: (step) => {
        events.onSip?.(step)
        this.#follower?.onSip?.(step)
      },
      onMedia: (media) => {
        events.onMedia?.(media)
        this.#follower?.onMedia?.(media)
      },
      onFault: (why) => {
        events.onFault?.(why)
        this.#follower?.onFault?.(why)
      },
      onEnded: (end) => {
        this.#end = end
        events.onEnded(end)
        this.#follower?.onEnded(end)
      },
    })
    return this.#leg
  }

  next(_call: unknown, previous: unknown): Promise<DialRoute | undefined> {
    const isOver = previous !== undefined || this.#leg === undefined
    if (isOver) return Promise.resolve(undefined)
    const request = { uri: '', from: { user: '' }, timeoutMs: 0 }
    return Promise.resolve({ requests: [request], leadsOn: () => false })
  }

  dial(_call: unknown, _route: unknown, events: LegEvents): Leg {
    if (this.#leg === undefined) throw new Error('the leg was not taken')
    this.#follower = events
    // What came before is told once the actor has the leg; what comes from now on is told as it comes.
    const wasAnswered = this.#isAnswered
    const end = this.#end
    queueMicrotask(() => {
      events.onProgress?.({ status: 180, hasEarlyMedia: false })
      if (wasAnswered) events.onAnswered?.()
      if (end !== undefined) events.onEnded(end)
    })
    return new FollowerLeg(this.#leg)
  }

  stop(): void {
    // Nothing is searched.
  }
}

/** The leg as the follower has it: it can end the leg, and leaves its dialog to the other call. */
class FollowerLeg implements Leg {
  readonly direction = 'outbound'
  readonly remoteHeaders = []
  readonly dialogFacts = undefined
  readonly openInvites = []
  readonly #leg: Leg

  constructor(leg: Leg) {
    this.#leg = leg
  }

  get id(): string {
    return this.#leg.id
  }

  get sipCallId(): string {
    return this.#leg.sipCallId
  }

  get state(): Leg['state'] {
    return this.#leg.state
  }

  get media(): LegMedia {
    return this.#leg.media
  }

  get digits(): Digits {
    return this.#leg.digits
  }

  ring(): Promise<void> {
    return Promise.resolve()
  }

  answer(): Promise<void> {
    return Promise.resolve()
  }

  hangup(options?: Parameters<Leg['hangup']>[0]): Promise<void> {
    return this.#leg.hangup(options)
  }

  refer(target: string, signal: AbortSignal): Promise<ReferralOutcome> {
    return this.#leg.refer(target, signal)
  }

  onReferral(): () => void {
    // The call that runs the leg has its REFERs.
    return () => undefined
  }
}
