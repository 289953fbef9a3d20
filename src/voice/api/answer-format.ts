import type { MiddlewareHandler } from 'hono'
import type { VoiceEnv } from './voice-env.js'
import { toXml } from './xml.js'

/**
 * A path that ends in .xml is answered in XML, one that ends in .json in JSON. Without either it is
 * JSON, unless XML is the first that the client accepts.
 */
export const answerFormat: MiddlewareHandler<VoiceEnv> = async (c, next) => {
  await next()
  if (!wantsXml(c.req.url, c.req.header('accept'))) return
  if (c.res.headers.get('content-type')?.startsWith('application/json') !== true) return
  // Whatever the API answers in JSON is an object.
  const body = (await c.res.json()) as Readonly<Record<string, unknown>>
  const headers = new Headers(c.res.headers)
  headers.set('content-type', 'application/xml; charset=utf-8')
  headers.delete('content-length')
  c.res = new Response(toXml(body, resourceOf(c.req.path)), { status: c.res.status, headers })
}

function wantsXml(url: string, accept: string | undefined): boolean {
  const suffix = /^[^?#]*\.(json|xml|wav|mp3)(?:[?#]|$)/.exec(url)?.[1]
  if (suffix !== undefined) return suffix === 'xml'
  return /^(application|text)\/xml\b/.test(accept?.trim() ?? '')
}

/** `…/Calls/CA…` and `…/Calls` are of a Call, as what a POST makes is one. */
function resourceOf(path: string): string {
  const segments = path.split('/').filter((segment) => !/^[A-Z]{2}[0-9a-fA-F]{32}$/.test(segment))
  return (segments.at(-1) ?? '').replace(/s$/, '')
}
