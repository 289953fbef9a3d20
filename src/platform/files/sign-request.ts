/** Version 4 signatures, as S3 object stores check them. Pure. */
import { createHash, createHmac } from 'node:crypto'

export interface SigningKey {
  readonly region: string
  readonly accessKeyId: string
  readonly secretAccessKey: string
}

export interface UnsignedRequest {
  readonly method: string
  readonly url: URL
  /** The headers, with lower-case names; every one is signed. */
  readonly headers: Readonly<Record<string, string>>
  /** The SHA-256 of the body, hexadecimal. */
  readonly bodyHash: string
}

export const EMPTY_BODY_HASH = createHash('sha256').digest('hex')
/** Body hash for a body that the signature does not cover. */
export const UNSIGNED = 'UNSIGNED-PAYLOAD'

const ALGORITHM = 'AWS4-HMAC-SHA256'

/** Returns the request's headers with the signature, for that time (epoch ms). */
export function signedHeaders(
  request: UnsignedRequest,
  key: SigningKey,
  now: number,
): Readonly<Record<string, string>> {
  const time = timeOf(now)
  const scope = scopeOf(time, key)
  const headers = {
    ...request.headers,
    'x-amz-content-sha256': request.bodyHash,
    'x-amz-date': time,
  }
  const names = Object.keys({ ...headers, host: '' }).sort()
  const canonical = canonicalRequest(request, { ...headers, host: request.url.host }, names)
  const signature = signatureOf(canonical, key, { time, scope })
  const credential = `Credential=${key.accessKeyId}/${scope}`
  const signed = `SignedHeaders=${names.join(';')}`
  return {
    ...headers,
    authorization: `${ALGORITHM} ${credential},${signed},Signature=${signature}`,
  }
}

/** Returns a URL with which anybody may GET the object, for at most seven days. */
export function presignedUrl(
  url: URL,
  key: SigningKey,
  {
    now,
    seconds,
    query,
  }: { now: number; seconds: number; query: Readonly<Record<string, string>> },
): string {
  const time = timeOf(now)
  const scope = scopeOf(time, key)
  const signed = new URL(url)
  const parameters = {
    ...query,
    'X-Amz-Algorithm': ALGORITHM,
    'X-Amz-Credential': `${key.accessKeyId}/${scope}`,
    'X-Amz-Date': time,
    'X-Amz-Expires': String(seconds),
    'X-Amz-SignedHeaders': 'host',
  }
  signed.search = queryOf(Object.entries(parameters))
  const request = { method: 'GET', url: signed, bodyHash: UNSIGNED }
  const canonical = canonicalRequest(request, { host: url.host }, ['host'])
  return `${signed.href}&X-Amz-Signature=${signatureOf(canonical, key, { time, scope })}`
}

/** Escapes one path segment: every byte but unreserved characters (RFC 3986 §2.3). */
export function escapeSegment(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )
}

/**
 * The canonical form of the request. Its path is taken as it is: the URL's maker has escaped it
 * once.
 */
function canonicalRequest(
  { method, url, bodyHash }: Omit<UnsignedRequest, 'headers'>,
  headers: Readonly<Record<string, string>>,
  names: readonly string[],
): string {
  const query = queryOf([...url.searchParams])
  const lines = names.map((name) => `${name}:${(headers[name] ?? '').trim().replace(/ +/g, ' ')}\n`)
  return [method, url.pathname, query, lines.join(''), names.join(';'), bodyHash].join('\n')
}

function queryOf(parameters: readonly (readonly [string, string])[]): string {
  return parameters
    .map(([name, value]) => `${escapeSegment(name)}=${escapeSegment(value)}`)
    .sort()
    .join('&')
}

function timeOf(now: number): string {
  return `${new Date(now).toISOString().slice(0, 19).replace(/[-:]/g, '')}Z`
}

function scopeOf(time: string, { region }: SigningKey): string {
  return `${time.slice(0, 8)}/${region}/s3/aws4_request`
}

function signatureOf(
  canonical: string,
  key: SigningKey,
  { time, scope }: { readonly time: string; readonly scope: string },
): string {
  const text = [ALGORITHM, time, scope, sha256(canonical)].join('\n')
  return createHmac('sha256', derivedKey(key, time.slice(0, 8)))
    .update(text)
    .digest('hex')
}

function derivedKey({ secretAccessKey, region }: SigningKey, date: string): Buffer {
  return [date, region, 's3', 'aws4_request'].reduce<Buffer>(
    (key, part) => createHmac('sha256', key).update(part).digest(),
    Buffer.from(`AWS4${secretAccessKey}`),
  )
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
