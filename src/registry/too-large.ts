import { bodyTooLarge } from './routes/dialect/registry-dialect.js'

/**
 * The answer to a body beyond the limit of the listener, as the registry answers one beyond its own;
 * undefined for a path of another API.
 */
export function registryTooLarge({ url }: Request): Response | undefined {
  if (!new URL(url).pathname.startsWith('/v2/csp/')) return undefined
  const { status, body } = bodyTooLarge()
  return Response.json(body, { status })
}
