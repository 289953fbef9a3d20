import { literal } from '../database/literal.js'

/**
 * The pending state, which has an index of its own, as the planner must see it to use that index.
 */
export const PENDING = literal('pending')
export const WAITING = literal('waiting')
export const DEAD = literal('dead')
