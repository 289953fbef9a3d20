import { expect, it } from 'vitest'
import { OutboundError } from '../../../../src/platform/http/outbound-error.js'
import type { OutboundRequest } from '../../../../src/platform/http/outbound-request.js'
import { createMediaFetcher } from '../../../../src/voice/media-files/fetch-media.js'
import { FetchError } from '../../../../src/voice/model/fetch-errors.js'

const URL_A = 'https://a.example/a.mp3'
const never = new AbortController().signal

function answering(status: number, headers: Record<string, string> = {}) {
  const seen: OutboundRequest[] = []
  const timings = { connectMs: 0, headersMs: 0, totalMs: 0 }
  const fetch = createMediaFetcher({
    request: (request) => {
      seen.push(request)
      const body = Buffer.from('sound')
      return Promise.resolve({ status, headers: new Headers(headers), body, url: URL_A, timings })
    },
  })
  return { seen, fetch }
}

it('a file with what says how long it may be kept', async () => {
  const headers = { 'Content-Type': 'audio/mpeg', ETag: '"1"', 'Cache-Control': 'max-age=9' }
  const { fetch, seen } = answering(200, headers)
  expect(await fetch({ url: URL_A, tenant: 'AC1', maxBytes: 99, etag: undefined }, never)).toEqual({
    type: 'fetched',
    contentType: 'audio/mpeg',
    bytes: Buffer.from('sound'),
    etag: '"1"',
    cacheControl: 'max-age=9',
  })
  expect(seen).toMatchObject([{ method: 'GET', url: URL_A, maxBodyBytes: 99 }])
  expect(seen[0]?.headers).not.toHaveProperty('If-None-Match')
})

it('asks whether the file changed, and hears that it did not', async () => {
  const { fetch, seen } = answering(304)
  const answer = await fetch({ url: URL_A, tenant: 'AC1', maxBytes: 99, etag: '"1"' }, never)
  expect(answer).toEqual({ type: 'not-modified', cacheControl: undefined })
  expect(seen[0]?.headers).toMatchObject({ 'If-None-Match': '"1"' })
})

it.each([204, 206, 301, 404, 500])('status %i is no file', async (status) => {
  const fetching = answering(status).fetch(
    { url: URL_A, tenant: 'AC1', maxBytes: 99, etag: undefined },
    never,
  )
  await expect(fetching).rejects.toBeInstanceOf(FetchError)
  await expect(fetching).rejects.toMatchObject({ number: 11200, url: URL_A })
})

it('what brings no response keeps its number', async () => {
  const error = new OutboundError('connect-refused', URL_A)
  const fetch = createMediaFetcher({ request: () => Promise.reject(error) })
  const fetching = fetch({ url: URL_A, tenant: 'AC1', maxBytes: 99, etag: undefined }, never)
  await expect(fetching).rejects.toBeInstanceOf(FetchError)
  await expect(fetching).rejects.toMatchObject({ number: 11202, cause: error })
})

it('aborted, it rejects with the reason', async () => {
  const reason = new Error('enough')
  const fetch = createMediaFetcher({
    request: () => Promise.reject(new OutboundError('aborted', URL_A)),
  })
  const request = { url: URL_A, tenant: 'AC1', maxBytes: 99, etag: undefined }
  await expect(fetch(request, AbortSignal.abort(reason))).rejects.toBe(reason)
})
