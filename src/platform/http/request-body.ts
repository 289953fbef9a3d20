import { Readable } from 'node:stream'

/**
 * A body that is sent as it is read, never held in memory as a whole; it is opened anew for each
 * attempt.
 */
export interface StreamedBody {
  readonly bytes: number
  open(): AsyncIterable<Uint8Array>
}

export type RequestBody = Buffer | StreamedBody

export function requestBody(
  given: Buffer | string | StreamedBody | undefined,
): RequestBody | undefined {
  return typeof given === 'string' ? Buffer.from(given) : given
}

/** The body in the form that the HTTP client takes, and the headers that only a stream needs. */
export function sentBody(body: RequestBody | undefined): {
  readonly body: Buffer | Readable | null
  readonly headers: Readonly<Record<string, string>>
} {
  if (body === undefined || Buffer.isBuffer(body)) return { body: body ?? null, headers: {} }
  return {
    body: Readable.from(body.open(), { objectMode: false }),
    headers: { 'content-length': String(body.bytes) },
  }
}
