/** Fetches media from customers' web servers through the HTTP client that checks every address. */
import type { Outbound, OutboundResponse } from '../../platform/http/outbound.js'
import { OutboundError } from '../../platform/http/outbound-error.js'
import { FetchError } from '../model/fetch-errors.js'
import type { FetchMedia, MediaRequest } from './media-cache.js'

/**
 * Time limit of a fetch, ms: media are larger than documents. The caller hears silence meanwhile.
 */
const TIMEOUT_MS = 30_000

export function createMediaFetcher(outbound: Pick<Outbound, 'request'>): FetchMedia {
  return async (request, signal) => {
    const { status, headers, body } = await ask(outbound, request, signal)
    const cacheControl = headers.get('cache-control') ?? undefined
    if (status === 304) return { type: 'not-modified', cacheControl }
    if (status !== 200) throw new FetchError(11200, request.url, `the server answered ${status}`)
    return {
      type: 'fetched',
      contentType: headers.get('content-type') ?? '',
      bytes: body,
      etag: headers.get('etag') ?? undefined,
      cacheControl,
    }
  }
}

async function ask(
  outbound: Pick<Outbound, 'request'>,
  { url, tenant, etag, maxBytes }: MediaRequest,
  signal: AbortSignal,
): Promise<OutboundResponse> {
  try {
    return await outbound.request(
      {
        method: 'GET',
        url,
        tenant,
        headers: { Accept: 'audio/*', ...(etag === undefined ? {} : { 'If-None-Match': etag }) },
        maxBodyBytes: maxBytes,
        responseTimeoutMs: TIMEOUT_MS,
        totalTimeoutMs: TIMEOUT_MS,
      },
      signal,
    )
  } catch (error) {
    signal.throwIfAborted()
    if (!(error instanceof OutboundError)) throw error
    throw new FetchError(error.code, error.url, error.message, { cause: error })
  }
}
