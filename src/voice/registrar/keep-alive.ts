/**
 * Keeps the path open to softphones behind a NAT or on a connection: sends an OPTIONS to each of
 * them once a round. A round has a minimum duration, so that thousands of softphones cause no
 * burst. A contact that does not answer is called last. A contact whose connection is closed is
 * removed, since only its softphone can open a new one (RFC 5626 §4.4).
 */
import type { Clock } from '../../platform/clock.js'
import type { Logger } from '../../platform/log.js'
import type { KeepAliveOutcome, Telephony } from '../telephony/port.js'
import { type Binding, nextHopOf } from './binding.js'
import type { Bindings } from './bindings.js'

export interface KeepAliveDeps {
  readonly bindings: Pick<Bindings, 'probed' | 'setSilent' | 'removeLost'>
  readonly telephony: Pick<Telephony, 'keepAlive'>
  readonly clock: Clock
  readonly log: Logger
}

/**
 * Duration of a round, ms. NATs forget UDP after 30 seconds or more (RFC 4787 §4.3 has 2 minutes).
 */
const ROUND_MS = 25_000
const STEP_MS = 500
/** Maximum number of OPTIONS per step: 200 a second in all, for any number of softphones. */
const AT_ONCE = 100

export function startKeepAlive(deps: KeepAliveDeps): AsyncDisposable {
  const round = new KeepAliveRound(deps)
  const timer = setInterval(() => {
    round.step()
  }, STEP_MS).unref()
  return {
    [Symbol.asyncDispose]: async () => {
      clearInterval(timer)
      await round.stop()
    },
  }
}

export class KeepAliveRound {
  readonly #deps: KeepAliveDeps
  /** Sid after which the next step continues. */
  #after = ''
  #restSteps = 0
  #running: Promise<void> | undefined
  #isStopped = false
  readonly #probes = new Set<Promise<void>>()

  constructor(deps: KeepAliveDeps) {
    this.#deps = deps
  }

  /** Sends the next OPTIONS, or waits until the round has reached its minimum duration. */
  step(): void {
    if (this.#restSteps > 0) {
      this.#restSteps--
      return
    }
    this.#running ??= this.#next().finally(() => {
      this.#running = undefined
    })
  }

  /**
   * Resolves once every OPTIONS sent so far is answered or has timed out, and its outcome is
   * stored.
   */
  async whenIdle(): Promise<void> {
    await this.#running
    await Promise.all(this.#probes)
  }

  /** Stops storing outcomes. Resolves once no read is in progress. */
  async stop(): Promise<void> {
    this.#isStopped = true
    await this.#running
  }

  async #next(): Promise<void> {
    const { bindings, log } = this.#deps
    try {
      const some = await bindings.probed(this.#after, AT_ONCE)
      this.#after = some.length < AT_ONCE ? '' : (some.at(-1)?.sid ?? '')
      if (this.#after === '') this.#restSteps = ROUND_MS / STEP_MS
      if (some.length > 0) this.#probe(some)
    } catch (err) {
      log.error({ err }, 'could not read the contacts to keep alive')
    }
  }

  /** Sends OPTIONS; the next step does not wait for the answers. */
  #probe(some: readonly Binding[]): void {
    const probe = Promise.all(some.map((binding) => this.#send(binding)))
      .then((outcomes) => this.#storeOutcomes(some, outcomes))
      .catch((err: unknown) => {
        this.#deps.log.error({ err }, 'could not store which contacts answer')
      })
      .finally(() => this.#probes.delete(probe))
    this.#probes.add(probe)
  }

  async #send(binding: Binding): Promise<KeepAliveOutcome> {
    const { telephony, log } = this.#deps
    const { contactUri: uri, server } = binding
    try {
      return await telephony.keepAlive({ uri, proxy: nextHopOf(binding), server })
    } catch (err) {
      log.debug({ err, binding: binding.sid }, 'OPTIONS not sent')
      return 'unsent'
    }
  }

  /** Stores changed outcomes; an unchanged contact costs no write. */
  async #storeOutcomes(
    some: readonly Binding[],
    outcomes: readonly KeepAliveOutcome[],
  ): Promise<void> {
    if (this.#isStopped) return
    const { bindings, clock, log } = this.#deps
    const verdicts = some.map((binding, index) => verdictOn(binding, outcomes[index] ?? 'unsent'))
    const those = (verdict: Verdict) => some.filter((_, index) => verdicts[index] === verdict)
    const [lost, silent, back] = [those('lost'), those('silent'), those('back')]
    if (lost.length > 0)
      log.info({ contacts: lost.length }, 'removed contacts without a connection')
    await bindings.removeLost(lost)
    await bindings.setSilent(silent, clock.now())
    await bindings.setSilent(back, undefined)
  }
}

type Verdict = 'lost' | 'silent' | 'back' | 'same'

function verdictOn({ source, silentSince }: Binding, outcome: KeepAliveOutcome): Verdict {
  switch (outcome) {
    case 'unsent':
      return 'same'
    case 'answered':
      return silentSince === undefined ? 'same' : 'back'
    case 'lost':
      // UDP has no connection to lose; the path may recover.
      if (source.transport !== 'udp') return 'lost'
      return silentSince === undefined ? 'silent' : 'same'
    case 'silent':
      return silentSince === undefined ? 'silent' : 'same'
  }
}
