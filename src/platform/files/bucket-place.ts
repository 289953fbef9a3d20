/** Determines where a file goes in a bucket, from its owner's settings. Pure. */
import { escapeSegment, type SigningKey } from './sign-request.js'

/** A bucket and the key to it. */
export interface BucketSettings {
  /** Name of the bucket, or the URL of a bucket in the owner's own store. */
  readonly bucket?: string | undefined
  readonly region?: string | undefined
  readonly prefix?: string | undefined
  readonly accessKeyId?: string | undefined
  readonly secretAccessKey?: string | undefined
  /** Key with which the store encrypts. */
  readonly kmsKeyId?: string | undefined
}

export interface BucketPlace {
  readonly url: URL
  readonly region: string
}

export type Chosen<Thing> =
  | { readonly type: 'chosen'; readonly value: Thing }
  /** A setting is missing or wrong; `reason` is for its owner. */
  | { readonly type: 'invalid'; readonly reason: string }

/** Bucket names of 3 to 63 characters that need no escaping in a host name or a path. */
const BUCKET_NAME = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/
const REGION = /^[a-z0-9-]{1,40}$/
/** The region that stores of a single region expect. */
const DEFAULT_REGION = 'us-east-1'

/** `path` is the path of the file below the prefix. */
export function bucketPlace(settings: BucketSettings, path: string): Chosen<BucketPlace> {
  const { bucket = '', prefix = '' } = settings
  const region = settings.region ?? (URL.canParse(bucket) ? DEFAULT_REGION : undefined)
  if (region === undefined || !REGION.test(region)) return invalid('StorageRegion is not valid')
  const base = bucketUrl(bucket, region)
  if (base === undefined) return invalid('StorageBucket is neither a bucket’s name nor its URL')
  const segments = prefix.split('/').filter((segment) => segment !== '')
  // Such names would lead out of the bucket in a URL.
  if (segments.some((segment) => segment === '.' || segment === '..'))
    return invalid('StoragePrefix is not valid')
  const escaped = [...segments, ...path.split('/')].map(escapeSegment).join('/')
  return { type: 'chosen', value: { url: new URL(`${base}/${escaped}`), region } }
}

export function signingKey(settings: BucketSettings, region: string): Chosen<SigningKey> {
  const { accessKeyId, secretAccessKey } = settings
  if (accessKeyId === undefined) return invalid('StorageAccessKeyId is not set')
  if (secretAccessKey === undefined) return invalid('StorageSecretAccessKey is not set')
  return { type: 'chosen', value: { region, accessKeyId, secretAccessKey } }
}

/**
 * The bucket's URL without a final slash. A dot in a bucket's name would not match the store's
 * certificate.
 */
function bucketUrl(bucket: string, region: string): string | undefined {
  if (BUCKET_NAME.test(bucket)) {
    const store = `s3.${region}.amazonaws.com`
    return bucket.includes('.') ? `https://${store}/${bucket}` : `https://${bucket}.${store}`
  }
  if (!URL.canParse(bucket)) return undefined
  const url = new URL(bucket)
  const isPlain = `${url.username}${url.password}${url.search}${url.hash}` === ''
  if (!isPlain || !['http:', 'https:'].includes(url.protocol)) return undefined
  return url.href.replace(/\/+$/, '')
}

function invalid(reason: string): { readonly type: 'invalid'; readonly reason: string } {
  return { type: 'invalid', reason }
}
