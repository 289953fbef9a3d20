/**
 * Keeps the way to softphones behind a NAT open: an OPTIONS to each of them in every round. A round
 * takes its time, so that thousands of softphones cost a steady trickle and no burst.
 */
import type { Logger } from '../../platform/log.js'
import type { Telephony } from '../telephony/port.js'
import { type Binding, nextHopOf } from './binding.js'
import type { Bindings } from './bindings.js'

export interface KeepAliveDeps {
  readonly bindings: Bindings
  readonly telephony: Telephony
  readonly log: Logger
}

/** NATs forget UDP after 30 seconds or more (RFC 4787 §4.3 has 2 minutes). */
const ROUND_MS = 25_000
const STEP_MS = 500
/** The most that one step sends: 200 OPTIONS a second, whatever the number of softphones. */
const AT_ONCE = 100

export function startKeepAlive(deps: KeepAliveDeps): AsyncDisposable {
  const round = new Round(deps)
  const timer = setInterval(() => {
    round.step()
  }, STEP_MS).unref()
  return {
    [Symbol.asyncDispose]: async () => {
      clearInterval(timer)
      await round.whenIdle()
    },
  }
}

class Round {
  readonly #deps: KeepAliveDeps
  /** The sid behind which the next step goes on. */
  #after = ''
  #restSteps = 0
  #running: Promise<void> | undefined

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

  async whenIdle(): Promise<void> {
    await this.#running
  }

  async #next(): Promise<void> {
    const { bindings, log } = this.#deps
    try {
      const some = await bindings.natted(this.#after, AT_ONCE)
      for (const binding of some) this.#send(binding)
      this.#after = some.length < AT_ONCE ? '' : (some.at(-1)?.sid ?? '')
      if (this.#after === '') this.#restSteps = ROUND_MS / STEP_MS
    } catch (err) {
      log.error({ err }, 'could not read the contacts to keep alive')
    }
  }

  #send(binding: Binding): void {
    const { telephony, log } = this.#deps
    const { contactUri: uri, server } = binding
    telephony.keepAlive({ uri, proxy: nextHopOf(binding), server }).catch((err: unknown) => {
      log.debug({ err, binding: binding.sid }, 'OPTIONS not sent')
    })
  }
}
