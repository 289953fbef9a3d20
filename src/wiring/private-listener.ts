/** The private listener: the operator's API, and the registry operator's API under its own prefix. */
import { isOperatorUpload } from '../admin/admin-api.js'
import type { ListenAddress } from '../config.js'
import { plainTooLarge } from '../platform/api/plain-dialect.js'
import { type Listener, type ListenerApp, startListener } from '../platform/http/listener.js'
import { registryTooLarge } from '../registry/registry.js'
import { openListener } from './listening.js'

/** Path prefix of the registry operator's API. */
export const REGISTRY_BASE = '/registry'
/** Time limit for an operator's upload of inventory, ms. */
const REQUEST_LIMIT_MS = 3_600_000

export async function openPrivateListener(
  app: ListenerApp,
  { host, port }: ListenAddress,
): Promise<Listener> {
  const limits = { requestTimeoutMs: REQUEST_LIMIT_MS }
  const options = {
    host,
    port,
    isUpload: isOperatorUpload,
    hasEventStreams: true,
    limits,
    tooLarge,
  }
  const open = () => startListener(app, options)
  return await openListener('ADMIN_HOST, ADMIN_PORT', { host, port }, open)
}

function tooLarge(request: Request): Response {
  return registryTooLarge(request, REGISTRY_BASE) ?? plainTooLarge()
}
