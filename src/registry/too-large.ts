import { bodyTooLarge } from './routes/dialect/registry-dialect.js'

/**
 * The answer to a body beyond the limit of the listener, as the registry answers one beyond its own;
 * undefined for a path that is not below `base`.
 */
export function registryTooLarge({ url }: Request, base = '/v2/csp'): Response | undefined {
  if (!new URL(url).pathname.startsWith(`${base}/`)) return undefined
  const { status, body } = bodyTooLarge()
  return Response.json(body, { status })
}
