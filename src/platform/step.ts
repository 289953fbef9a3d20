/**
 * The dialect of the pure state machines: a state carries its tag in `state`, events and effects carry
 * theirs in `type`, and `step(state, event)` returns one Step.
 */

/** One step of a machine: the state that it is in now, and what is to be done, in order. */
export interface Step<State, Effect> {
  readonly state: State
  readonly effects: readonly Effect[]
}

/** The machine enters the state. */
export function enter<const State, const Effects extends readonly unknown[]>(
  state: State,
  ...effects: Effects
): Step<State, Effects[number]> {
  return { state, effects }
}

/** The event means nothing in this state, or only work. */
export function stay<const State, const Effects extends readonly unknown[]>(
  state: State,
  ...effects: Effects
): Step<State, Effects[number]> {
  return { state, effects }
}
