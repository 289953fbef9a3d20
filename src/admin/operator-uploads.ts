import { INVENTORY_IMPORTS } from './inventory-operations.js'
import { RATE_IMPORTS } from './rate-operations.js'

/** True for an upload of the private listener, which is read as it comes. */
export const isOperatorUpload = (method: string, path: string): boolean =>
  method === 'POST' && (path === INVENTORY_IMPORTS || path === RATE_IMPORTS)
