/** Writes and deletes objects in buckets, by the S3 protocol. */

import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import type { Clock } from '../clock.js'
import type { Outbound, OutboundResponse } from '../http/outbound.js'
import { OutboundError, type OutboundErrorCode } from '../http/outbound-error.js'
import type { OutboundRequest } from '../http/outbound-request.js'
import { EMPTY_BODY_HASH, type SigningKey, signedHeaders } from './sign-request.js'

/** The convention's numbers for a bucket that could not be used. */
export type StoreErrorCode = typeof INVALID_CONFIGURATION | typeof ACCESS_DENIED | OutboundErrorCode

export type StoreOutcome =
  | { readonly type: 'done' }
  | { readonly type: 'failed'; readonly code: StoreErrorCode; readonly reason: string }

export interface StoredObject {
  readonly url: URL
  readonly key: SigningKey
  /** The account whose connections are used; without one, those of the process itself. */
  readonly accountSid?: string | undefined
}

export interface ObjectStore {
  /**
   * Uploads the file. The store encrypts it with the key `kmsKeyId`. Rejects when the file cannot
   * be read.
   */
  put(
    object: StoredObject,
    file: string,
    options: { readonly contentType: string; readonly kmsKeyId: string | undefined },
  ): Promise<StoreOutcome>
  /** Deletes the object; succeeds also when it does not exist. */
  remove(object: StoredObject): Promise<StoreOutcome>
}

export interface ObjectStoreDeps {
  readonly outbound: Pick<Outbound, 'request' | 'allowsPlainSockets'>
  readonly clock: Clock
  readonly signal: AbortSignal
}

export const INVALID_CONFIGURATION = 16111
export const ACCESS_DENIED = 16112
const FETCH_FAILED = 11200

const LIMIT_MS = 60_000
/** The slowest useful upload: a slower bucket counts as unreachable. */
const SLOWEST_BYTES_PER_MS = 50
/** The statuses of temporary failures. */
const TRANSIENT = [408, 425, 429]

export function createObjectStore(deps: ObjectStoreDeps): ObjectStore {
  return {
    put: async (object, file, { contentType, kmsKeyId }) => {
      const { bytes, hash } = await measure(file)
      const headers = {
        'content-type': contentType,
        ...(kmsKeyId === undefined
          ? {}
          : {
              'x-amz-server-side-encryption': 'aws:kms',
              'x-amz-server-side-encryption-aws-kms-key-id': kmsKeyId,
            }),
      }
      const body = { bytes, open: () => createReadStream(file) }
      return send(object, { method: 'PUT', headers, body }, hash, deps)
    },
    remove: (object) => send(object, { method: 'DELETE' }, EMPTY_BODY_HASH, deps),
  }
}

async function send(
  { url, key, accountSid }: StoredObject,
  request: Pick<OutboundRequest, 'headers' | 'body'> & { readonly method: 'PUT' | 'DELETE' },
  bodyHash: string,
  { outbound, clock, signal }: ObjectStoreDeps,
): Promise<StoreOutcome> {
  const { method, headers = {}, body } = request
  const bytes = typeof body === 'object' && 'bytes' in body ? body.bytes : 0
  const limitMs = LIMIT_MS + bytes / SLOWEST_BYTES_PER_MS
  const signed = signedHeaders({ method, url, headers, bodyHash }, key, clock.now())
  try {
    const response = await outbound.request(
      {
        ...request,
        headers: signed,
        url: url.href,
        ...(accountSid === undefined ? {} : { tenant: accountSid }),
        // A redirect would need another signature; a bucket has one place.
        maxRedirects: 0,
        // Recorded speech and lists of calls go unencrypted over the operator's own network only.
        allowedSchemes: outbound.allowsPlainSockets ? ['http:', 'https:'] : ['https:'],
        responseTimeoutMs: limitMs,
        totalTimeoutMs: limitMs + LIMIT_MS,
      },
      signal,
    )
    return outcomeOf(response, method)
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error
    const code = error.kind === 'bad-url' ? INVALID_CONFIGURATION : error.code
    return { type: 'failed', code, reason: error.message }
  }
}

function outcomeOf({ status, body }: OutboundResponse, method: string): StoreOutcome {
  if (status < 300) return { type: 'done' }
  const error = /<Code>([\w.]{1,80})<\/Code>/.exec(body.toString('utf8'))?.[1]
  // The object is to be deleted, so a missing bucket is a success too.
  if (method === 'DELETE' && status === 404) return { type: 'done' }
  const reason = `the bucket answered ${status}${error === undefined ? '' : ` ${error}`}`
  return { type: 'failed', code: codeOf(status), reason }
}

function codeOf(status: number): StoreErrorCode {
  if (status >= 500 || TRANSIENT.includes(status)) return FETCH_FAILED
  return status === 401 || status === 403 ? ACCESS_DENIED : INVALID_CONFIGURATION
}

async function measure(file: string): Promise<{ readonly bytes: number; readonly hash: string }> {
  const hash = createHash('sha256')
  let bytes = 0
  for await (const chunk of createReadStream(file)) {
    const read = chunk as Buffer // a stream without an encoding
    hash.update(read)
    bytes += read.length
  }
  return { bytes, hash: hash.digest('hex') }
}
