import type { Logger } from '../../../platform/log.js'
import type { SipPeer, SipTiming } from '../model/stack-types.js'
import type { Timer, Timers } from '../transport/timers.js'
import type { SendOptions } from '../transport/transport.js'
import type { Effect, Step, StepContext, TimerName } from './machines/step.js'

/** The layers below, as transactions use them. */
export interface TransactionDeps {
  readonly timers: Timers
  readonly timing: SipTiming
  readonly log: Logger | undefined
  isReliable(peer: SipPeer): boolean
  send(bytes: Buffer, to: SipPeer, options: SendOptions): void
}

interface MachineState {
  readonly state: string
}

export interface MachineDriver<State extends MachineState, Event> {
  readonly step: (state: State, event: Event, context: StepContext) => Step<State>
  readonly context: StepContext
  readonly timers: Timers
  /** Makes the event of a timer that fired. */
  readonly onTimer: (timer: TimerName) => Event
  /** Performs every effect except timers, which the running machine manages itself. */
  readonly perform: (effect: Exclude<Effect, { type: 'arm' | 'disarm' }>) => void
  readonly onTerminated: () => void
}

/** A state machine with its timers: handles an event, changes state, then performs the effects in order. */
export class RunningMachine<State extends MachineState, Event> {
  readonly #driver: MachineDriver<State, Event>
  readonly #timers = new Map<TimerName, Timer>()
  #state: State

  constructor(initial: State, driver: MachineDriver<State, Event>) {
    this.#state = initial
    this.#driver = driver
  }

  get state(): State {
    return this.#state
  }

  dispatch(event: Event): void {
    const wasTerminated = this.#state.state === 'terminated'
    const { state, effects } = this.#driver.step(this.#state, event, this.#driver.context)
    this.#state = state
    if (!wasTerminated && state.state === 'terminated') this.#end()
    for (const effect of effects) {
      if (effect.type === 'arm') this.#arm(effect.timer, effect.ms)
      else if (effect.type === 'disarm') this.#disarm(effect.timer)
      else this.#driver.perform(effect)
    }
  }

  #arm(timer: TimerName, ms: number): void {
    this.#disarm(timer)
    const armed = this.#driver.timers.arm(ms, () => {
      this.#timers.delete(timer)
      this.dispatch(this.#driver.onTimer(timer))
    })
    if (armed !== undefined) this.#timers.set(timer, armed)
  }

  #disarm(timer: TimerName): void {
    this.#driver.timers.disarm(this.#timers.get(timer))
    this.#timers.delete(timer)
  }

  #end(): void {
    for (const timer of this.#timers.values()) this.#driver.timers.disarm(timer)
    this.#timers.clear()
    this.#driver.onTerminated()
  }
}

/** Calls the user's code. If that throws, the error is logged and the transaction continues. */
export function callUser(log: Logger | undefined, call: () => void): void {
  try {
    call()
  } catch (err) {
    log?.error({ err }, 'the user of the SIP stack threw')
  }
}
