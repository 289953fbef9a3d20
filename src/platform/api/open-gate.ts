import { InvariantError } from '../errors.js'
import type { Gate } from './api.js'

/** The gate of an API whose operations all need no credentials. */
export const openGate: Gate<unknown> = {
  scheme: undefined,
  identify: () => Promise.reject(new InvariantError('every operation of this API is open')),
  nameOf: () => 'anyone',
}
