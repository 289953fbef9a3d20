import { literal } from '../database/literal.js'

/** States that have an index of their own, as the planner must see them to use it. */
export const PENDING = literal('pending')
export const WAITING = literal('waiting')
export const DEAD = literal('dead')
