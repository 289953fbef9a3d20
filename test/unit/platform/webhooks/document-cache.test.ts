import { describe, expect, it } from 'vitest'
import type { OutboundResponse } from '../../../../src/platform/http/outbound.js'
import { createDocumentCache } from '../../../../src/platform/webhooks/document-cache.js'

function document(body: string): OutboundResponse {
  const timings = { connectMs: 0, headersMs: 0, totalMs: 0 }
  const headers = new Headers({ etag: '"v1"' })
  return { status: 200, headers, body: Buffer.from(body), url: '', timings }
}

function cacheOf(limits: { accounts: number; documents: number; bytes: number }) {
  const cache = createDocumentCache(limits)
  const ask = (account: string, path: string) => {
    const request = cache.begin(account)
    const url = new URL(`http://app.test/${path}`)
    const headers = request.headersFor({ url, method: 'GET', body: undefined }, undefined)
    return { request, isKnown: 'If-None-Match' in headers }
  }
  return {
    fetch: (account: string, path: string, body = 'x') => {
      const { request, isKnown } = ask(account, path)
      request.settle(isKnown ? { ...document(''), status: 304 } : document(body))
      return isKnown
    },
    isKnown: (account: string, path: string) => ask(account, path).isKnown,
  }
}

describe('the documents that are kept', () => {
  it('are so many of an account, the last used ones', () => {
    const cache = cacheOf({ accounts: 9, documents: 2, bytes: 1_000 })
    cache.fetch('AC1', 'a')
    cache.fetch('AC1', 'b')
    cache.fetch('AC2', 'c')
    expect(cache.fetch('AC1', 'a')).toBe(true)
    cache.fetch('AC1', 'd')
    expect(cache.isKnown('AC1', 'b')).toBe(false)
    expect(cache.isKnown('AC1', 'a')).toBe(true)
    expect(cache.isKnown('AC2', 'c')).toBe(true)
  })

  it('are so many bytes of an account; one that is more alone is not kept', () => {
    const cache = cacheOf({ accounts: 9, documents: 9, bytes: 250 })
    for (const path of ['a', 'b', 'c']) cache.fetch('AC1', path, 'x'.repeat(80))
    expect(['a', 'b', 'c'].map((path) => cache.isKnown('AC1', path))).toEqual([false, true, true])
    cache.fetch('AC1', 'd', 'x'.repeat(300))
    expect(cache.isKnown('AC1', 'd')).toBe(false)
  })

  it('are of so many accounts, the last that asked', () => {
    const cache = cacheOf({ accounts: 2, documents: 9, bytes: 1_000 })
    for (const account of ['AC1', 'AC2', 'AC3']) cache.fetch(account, 'a')
    expect(cache.isKnown('AC3', 'a')).toBe(true)
    expect(cache.isKnown('AC1', 'a')).toBe(false)
  })
})
