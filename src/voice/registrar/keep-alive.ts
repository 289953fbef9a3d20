/**
 * Keeps the way open to softphones behind a NAT or a connection: an OPTIONS to each of them in every
 * round. A round takes its time, so that thousands of softphones cost a steady trickle and no burst.
 * A contact that does not answer is called last; one whose connection is gone is removed, since its
 * softphone alone can open another (RFC 5626 §4.4).
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

/** NATs forget UDP after 30 seconds or more (RFC 4787 §4.3 has 2 minutes). */
const ROUND_MS = 25_000
const STEP_MS = 500
/** The most that one step sends: 200 OPTIONS a second, whatever the number of softphones. */
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
  /** The sid behind which the next step goes on. */
  #after = ''
  #restSteps = 0
  #running: Promise<void> | undefined
  #isStopped = false
  readonly #judging = new Set<Promise<void>>()

  constructor(deps: KeepAliveDeps) {
    this.#deps = deps
  }

  /** Sends the next few, or waits until the round has taken its time. */
  step(): void {
    if (this.#restSteps > 0) {
      this.#restSteps--
      return
    }
    this.#running ??= this.#next().finally(() => {
      this.#running = undefined
    })
  }

  /** Resolves once every OPTIONS that was sent is answered or given up, and its outcome stored. */
  async whenJudged(): Promise<void> {
    await this.#running
    await Promise.all(this.#judging)
  }

  /** Stores no outcome any more. Resolves when nothing is read. */
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

  /** Sends the OPTIONS; the next step does not wait for their answers. */
  #probe(some: readonly Binding[]): void {
    const judged = Promise.all(some.map((binding) => this.#send(binding)))
      .then((outcomes) => this.#judge(some, outcomes))
      .catch((err: unknown) => {
        this.#deps.log.error({ err }, 'could not store which contacts answer')
      })
      .finally(() => this.#judging.delete(judged))
    this.#judging.add(judged)
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

  /** Stores the outcomes that change something: a contact that is as it was costs no write. */
  async #judge(some: readonly Binding[], outcomes: readonly KeepAliveOutcome[]): Promise<void> {
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
      // Datagrams have no connection; their way may come back.
      if (source.transport !== 'udp') return 'lost'
      return silentSince === undefined ? 'silent' : 'same'
    case 'silent':
      return silentSince === undefined ? 'silent' : 'same'
  }
}
