/**
 * One leg for several contacts of a user: all are called at once, the first to answer becomes the leg, and
 * the others are canceled (RFC 3261 §16.7).
 */
import { InvariantError } from '../../../platform/errors.js'
import type { Logger } from '../../../platform/log.js'
import type { DialRequest, Leg, LegEnd, LegEvents, Telephony } from '../../telephony/port.js'

interface ForkDeps {
  readonly telephony: Pick<Telephony, 'dial'>
  readonly log: Logger
}

/** Calls every contact of the route. A route with one contact makes a plain leg. */
export function dialRoute(
  deps: ForkDeps,
  route: readonly [DialRequest, ...DialRequest[]],
  events: LegEvents,
): Leg {
  const [first, ...others] = route
  return others.length === 0
    ? deps.telephony.dial(first, events)
    : new ForkedLeg(deps, route, events)
}

class ForkedLeg implements Leg {
  readonly direction = 'outbound'
  readonly #log: Logger
  readonly #events: LegEvents
  readonly #branches: Leg[] = []
  readonly #ends: LegEnd[] = []
  readonly #size: number
  /** The branch that has answered. */
  #winner: Leg | undefined
  #hasRung = false

  constructor({ telephony, log }: ForkDeps, route: readonly DialRequest[], events: LegEvents) {
    this.#log = log
    this.#events = events
    this.#size = route.length
    for (const request of route) {
      const branch: Leg = telephony.dial(request, {
        onProgress: ({ status }) => {
          // Several peers may send early media, so none of it is passed on.
          if (!this.#hasRung) events.onProgress?.({ status, hasEarlyMedia: false })
          this.#hasRung = true
        },
        onAnswered: () => {
          this.#answered(branch)
        },
        onEnded: (end) => {
          this.#ended(branch, end)
        },
        onInvited: () => events.onInvited?.(),
        onSip: (step) => events.onSip?.(step),
        ...(events.onSipMessage && { onSipMessage: events.onSipMessage.bind(events) }),
        onMedia: (media) => events.onMedia?.(media),
        onFault: (why) => events.onFault?.(why),
      })
      this.#branches.push(branch)
    }
  }

  get id(): string {
    return this.#shown.id
  }

  get sipCallId(): string {
    return this.#shown.sipCallId
  }

  get remoteHeaders(): Leg['remoteHeaders'] {
    return this.#shown.remoteHeaders
  }

  get state(): Leg['state'] {
    if (this.#winner !== undefined) return this.#winner.state
    if (this.#ends.length === this.#size) return 'ended'
    return this.#hasRung ? 'ringing' : 'setup'
  }

  get media(): Leg['media'] {
    return this.#shown.media
  }

  get digits(): Leg['digits'] {
    return this.#shown.digits
  }

  get dialogFacts(): Leg['dialogFacts'] {
    return this.#winner?.dialogFacts
  }

  get openInvites(): Leg['openInvites'] {
    return this.#branches.flatMap((branch) => branch.openInvites)
  }

  ring(options?: Parameters<Leg['ring']>[0]): Promise<void> {
    return this.#shown.ring(options)
  }

  answer(): Promise<void> {
    return this.#shown.answer()
  }

  async hangup(options?: Parameters<Leg['hangup']>[0]): Promise<void> {
    await Promise.all(this.#branches.map((branch) => branch.hangup(options)))
  }

  refer(...asked: Parameters<Leg['refer']>): ReturnType<Leg['refer']> {
    return this.#shown.refer(...asked)
  }

  onReferral(...asked: Parameters<Leg['onReferral']>): ReturnType<Leg['onReferral']> {
    return this.#shown.onReferral(...asked)
  }

  /** The branch that represents the leg. */
  get #shown(): Leg {
    const shown = this.#winner ?? this.#branches[0]
    if (shown === undefined) throw new InvariantError('a forked leg has branches')
    return shown
  }

  #answered(branch: Leg): void {
    // A second branch that answers at the same time gets a BYE.
    if (this.#winner !== undefined) {
      this.#leave(branch)
      return
    }
    this.#winner = branch
    this.#hangUpBut(branch)
    this.#events.onAnswered?.()
  }

  #ended(branch: Leg, end: LegEnd): void {
    this.#ends.push(end)
    if (this.#winner !== undefined) {
      if (branch === this.#winner) this.#events.onEnded(end)
      return
    }
    if (this.#ends.length === this.#size) this.#events.onEnded(bestOf(this.#ends))
    // RFC 3261 §16.7 step 5: a 6xx is the user's decision, so the other contacts are canceled.
    else if (isGlobal(end)) this.#hangUpBut(branch)
  }

  #hangUpBut(branch: Leg): void {
    for (const other of this.#branches) if (other !== branch) this.#leave(other)
  }

  /** Ends a branch that lost; a failure does not affect the call. */
  #leave(branch: Leg): void {
    branch.hangup().catch((err: unknown) => {
      const { sipCallId } = branch
      this.#log.error({ err, sipCallId }, 'could not hang up a branch of a forked call')
    })
  }
}

function isGlobal({ cause, sipStatus }: LegEnd): boolean {
  return cause === 'rejected' && sipStatus >= 600
}

/** Returns the most informative end: the user's refusal first, then that a contact rang. */
function bestOf(ends: readonly LegEnd[]): LegEnd {
  const ranks: readonly ((end: LegEnd) => boolean)[] = [
    isGlobal,
    ({ cause, sipStatus }) => cause === 'rejected' && sipStatus === 486,
    ({ cause }) => cause === 'no-answer',
    ({ cause, sipStatus }) => cause === 'rejected' && sipStatus < 500,
    ({ cause }) => cause === 'canceled',
    () => true,
  ]
  for (const isBest of ranks) {
    const found = ends.find(isBest)
    if (found !== undefined) return found
  }
  throw new InvariantError('a forked leg has branches')
}
