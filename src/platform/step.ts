/**
 * Common types of the pure state machines: a state has its tag in `state`, events and effects in `type`, and
 * `step(state, event)` returns a Step.
 */

/** One step of a machine: the state that it is in now, and the effects to perform, in order. */
export interface Step<State, Effect> {
  readonly state: State
  readonly effects: readonly Effect[]
}

/** Enters a state. */
export function enter<const State, const Effects extends readonly unknown[]>(
  state: State,
  ...effects: Effects
): Step<State, Effects[number]> {
  return { state, effects }
}

/** Stays in the state: the event has no meaning there, or only effects. */
export function stay<const State, const Effects extends readonly unknown[]>(
  state: State,
  ...effects: Effects
): Step<State, Effects[number]> {
  return { state, effects }
}
