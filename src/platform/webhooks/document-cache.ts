import type { OutboundResponse } from '../http/outbound.js'
import type { Hop } from '../http/outbound-request.js'

/**
 * Caches documents of customers' servers that have a validator (RFC 9110 §8.8), by account and URL. Every use
 * revalidates, so the application still sees each request; only the transfer of the body is saved.
 */
export interface DocumentCache {
  /** Starts one GET, including its redirects. */
  begin(accountSid: string): Revalidation
}

export interface Revalidation {
  /** Returns the conditional headers for the cached document; empty when there is none. */
  headersFor(hop: Hop, cookie: string | undefined): Readonly<Record<string, string>>
  /** Completes a 304 with the cached document, and caches a response that is cacheable. */
  settle(response: OutboundResponse): OutboundResponse
}

/**
 * Limits: number of accounts, then documents and bytes per account. The least recently used is dropped first.
 */
export interface CacheLimits {
  readonly accounts: number
  readonly documents: number
  readonly bytes: number
}

interface StoredDocument {
  readonly validators: Readonly<Record<string, string>>
  readonly contentType: string
  readonly body: Buffer
}

/** Default limits: at most 64 MiB for all accounts together. */
const LIMITS: CacheLimits = { accounts: 64, documents: 64, bytes: 1024 * 1024 }
const NOT_MODIFIED = 304

export function createDocumentCache(limits: CacheLimits = LIMITS): DocumentCache {
  const shelves = new Map<string, Shelf>()
  return {
    begin: (accountSid) => {
      const shelf = shelves.get(accountSid) ?? new Shelf(limits)
      shelves.delete(accountSid)
      shelves.set(accountSid, shelf)
      const [oldest] = shelves.keys()
      if (shelves.size > limits.accounts && oldest !== undefined) shelves.delete(oldest)
      return revalidation(shelf)
    },
  }
}

function revalidation(shelf: Shelf): Revalidation {
  let last: { readonly key: string; readonly document: StoredDocument | undefined } | undefined
  return {
    headersFor: ({ url }, cookie) => {
      // A response to a request with a cookie may be private, so it is not cached.
      const document = cookie === undefined ? shelf.find(url.href) : undefined
      last = cookie === undefined ? { key: url.href, document } : undefined
      return document?.validators ?? {}
    },
    settle: (response) => {
      if (last === undefined) return response
      const { key, document } = last
      if (response.status === NOT_MODIFIED && document !== undefined) {
        if (!isKept(response.headers)) shelf.remove(key)
        return { ...response, headers: withType(document.contentType), body: document.body }
      }
      const stored = storable(response)
      if (stored === undefined) shelf.remove(key)
      else shelf.put(key, stored)
      return response
    },
  }
}

function storable({ status, headers, body }: OutboundResponse): StoredDocument | undefined {
  const etag = headers.get('etag')
  const lastModified = headers.get('last-modified')
  const contentType = headers.get('content-type') ?? ''
  // An audio body is not read here: it is fetched elsewhere.
  if (status !== 200 || !isKept(headers) || /^audio\//i.test(contentType)) return undefined
  if (etag === null && lastModified === null) return undefined
  const validators = {
    ...(etag !== null && { 'If-None-Match': etag }),
    ...(lastModified !== null && { 'If-Modified-Since': lastModified }),
  }
  return { validators, contentType, body }
}

/**
 * True when the response is cacheable (RFC 9111 §3); a `Vary` by headers that are the same in all our
 * requests is ignored.
 */
function isKept(headers: Headers): boolean {
  const directives = (headers.get('cache-control') ?? '').toLowerCase().split(',')
  if (directives.some((directive) => directive.trim() === 'no-store')) return false
  const vary = (headers.get('vary') ?? '').toLowerCase().split(',')
  const isSame = vary.every((name) => ['', 'accept', 'accept-encoding'].includes(name.trim()))
  return isSame && headers.getSetCookie().length === 0
}

function withType(contentType: string): Headers {
  return new Headers(contentType === '' ? {} : { 'content-type': contentType })
}

/** One account's documents, least recently used first. */
class Shelf {
  readonly #limits: CacheLimits
  readonly #documents = new Map<string, StoredDocument>()
  #bytes = 0

  constructor(limits: CacheLimits) {
    this.#limits = limits
  }

  find(key: string): StoredDocument | undefined {
    const document = this.#documents.get(key)
    if (document === undefined) return undefined
    this.#documents.delete(key)
    this.#documents.set(key, document)
    return document
  }

  remove(key: string): void {
    const document = this.#documents.get(key)
    if (document === undefined) return
    this.#documents.delete(key)
    this.#bytes -= sizeOf(key, document)
  }

  put(key: string, document: StoredDocument): void {
    this.remove(key)
    this.#documents.set(key, document)
    this.#bytes += sizeOf(key, document)
    for (const oldest of this.#documents.keys()) {
      const { documents, bytes } = this.#limits
      if (this.#documents.size <= documents && this.#bytes <= bytes) return
      this.remove(oldest)
    }
  }
}

function sizeOf(key: string, { body }: StoredDocument): number {
  return key.length + body.length
}
