/** Writes and deletes objects in buckets, by the S3 protocol. */

import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { open, stat } from 'node:fs/promises'
import type { Clock } from '../clock.js'
import type { Outbound, OutboundResponse } from '../http/outbound.js'
import { OutboundError, type OutboundErrorCode } from '../http/outbound-error.js'
import type { OutboundRequest } from '../http/outbound-request.js'
import { EMPTY_BODY_HASH, type SigningKey, signedHeaders, UNSIGNED } from './sign-request.js'

/** Documented error numbers for a bucket that could not be used. */
export type StoreErrorCode = typeof INVALID_CONFIGURATION | typeof ACCESS_DENIED | OutboundErrorCode

export type StoreOutcome =
  | { readonly type: 'done' }
  | { readonly type: 'failed'; readonly code: StoreErrorCode; readonly reason: string }

export interface StoredObject {
  readonly url: URL
  readonly key: SigningKey
  /** Account whose connections are used; undefined for those of the process itself. */
  readonly accountSid?: string | undefined
}

export interface UploadOptions {
  readonly contentType: string
  /** Key with which the store encrypts; undefined for the store's default. */
  readonly kmsKeyId: string | undefined
  /**
   * `by-tls`: TLS alone vouches for the bytes, so that they are not read twice. Over plain HTTP the
   * signature always covers them.
   */
  readonly integrity?: 'by-hash' | 'by-tls'
}

export interface ObjectStore {
  /** Uploads the file. Rejects when the file cannot be read. */
  put(object: StoredObject, file: string, options: UploadOptions): Promise<StoreOutcome>
  /** Downloads the object to a new file, in pieces. Rejects when the file cannot be written. */
  get(object: StoredObject, file: string): Promise<StoreOutcome | { readonly type: 'absent' }>
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
/** Slowest acceptable upload, bytes per ms; a slower bucket counts as unreachable. */
const SLOWEST_BYTES_PER_MS = 50
/** Maximum size of a download's piece, bytes. */
const PIECE_BYTES = 4 * 1024 * 1024
/** The statuses of temporary failures; 412 says that the object was replaced between two pieces. */
const TRANSIENT = [408, 412, 425, 429]

export function createObjectStore(deps: ObjectStoreDeps): ObjectStore {
  return {
    put: async (object, file, { contentType, kmsKeyId, integrity = 'by-hash' }) => {
      const isUnsigned = integrity === 'by-tls' && object.url.protocol === 'https:'
      const { bytes, hash } = isUnsigned
        ? { bytes: (await stat(file)).size, hash: UNSIGNED }
        : await measure(file)
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
      const sent = await send(object, { method: 'PUT', headers, body }, hash, deps)
      return 'type' in sent ? sent : outcomeOf(sent, 'PUT')
    },
    get: (object, file) => download(object, file, deps),
    remove: async (object) => {
      const sent = await send(object, { method: 'DELETE' }, EMPTY_BODY_HASH, deps)
      return 'type' in sent ? sent : outcomeOf(sent, 'DELETE')
    },
  }
}

/** Requests one piece after the other, so that memory holds one piece of an object of any size. */
async function download(
  object: StoredObject,
  path: string,
  deps: ObjectStoreDeps,
): Promise<StoreOutcome | { readonly type: 'absent' }> {
  await using file = await open(path, 'w', 0o600)
  let etag: string | undefined
  for (let at = 0; ; at += PIECE_BYTES) {
    const headers = {
      range: `bytes=${at}-${at + PIECE_BYTES - 1}`,
      // The pieces are of one object, also when it is replaced meanwhile.
      ...(etag === undefined ? {} : { 'if-match': etag }),
    }
    const sent = await send(object, { method: 'GET', headers }, EMPTY_BODY_HASH, deps)
    if ('type' in sent) return sent
    // No byte is left: the object is empty, or ends with the piece before.
    if (sent.status === 416) return { type: 'done' }
    if (sent.status === 404 && errorCode(sent) !== 'NoSuchBucket') return { type: 'absent' }
    const outcome = outcomeOf(sent, 'GET')
    if (outcome.type === 'failed') return outcome
    await file.writeFile(sent.body)
    if (sent.status === 200 || sent.body.length < PIECE_BYTES) return { type: 'done' }
    etag ??= sent.headers.get('etag') ?? undefined
  }
}

async function send(
  { url, key, accountSid }: StoredObject,
  request: Pick<OutboundRequest, 'headers' | 'body'> & {
    readonly method: 'GET' | 'PUT' | 'DELETE'
  },
  bodyHash: string,
  { outbound, clock, signal }: ObjectStoreDeps,
): Promise<OutboundResponse | Extract<StoreOutcome, { readonly type: 'failed' }>> {
  const { method, headers = {}, body } = request
  const bytes = typeof body === 'object' && 'bytes' in body ? body.bytes : 0
  const limitMs = uploadLimitMs(bytes)
  const signed = signedHeaders({ method, url, headers, bodyHash }, key, clock.now())
  try {
    return await outbound.request(
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
        ...(method === 'GET' ? { maxBodyBytes: PIECE_BYTES } : {}),
      },
      signal,
    )
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error
    const code = error.kind === 'bad-url' ? INVALID_CONFIGURATION : error.code
    return { type: 'failed', code, reason: error.message }
  }
}

/** Time limit of a request with a body of that length, ms, without its connection. */
export function uploadLimitMs(bytes: number): number {
  return LIMIT_MS + Math.ceil(bytes / SLOWEST_BYTES_PER_MS)
}

function errorCode({ body }: OutboundResponse): string | undefined {
  return /<Code>([\w.]{1,80})<\/Code>/.exec(body.toString('utf8'))?.[1]
}

function outcomeOf(response: OutboundResponse, method: string): StoreOutcome {
  const { status } = response
  if (status < 300) return { type: 'done' }
  const error = errorCode(response)
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
