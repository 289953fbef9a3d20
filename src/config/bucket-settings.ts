import { type BucketSettings, bucketPlace } from '../platform/files/bucket-place.js'
import type { EnvReader } from './env-reader.js'

const BUCKET = 'FILES_BUCKET'
const KEY = ['FILES_ACCESS_KEY_ID', 'FILES_SECRET_ACCESS_KEY']
const BESIDE = ['FILES_REGION', 'FILES_PREFIX', 'FILES_KMS_KEY_ID', ...KEY]

/** Reads what names the bucket for files, and opens it; undefined when nothing does. */
export function readBucket(reader: EnvReader, problems: string[]): BucketSettings | undefined {
  reader.needed(BUCKET, BESIDE)
  const bucket = reader.optional(BUCKET)
  if (bucket === undefined) return undefined
  const settings = {
    bucket,
    region: reader.optional('FILES_REGION'),
    prefix: reader.optional('FILES_PREFIX'),
    accessKeyId: reader.optional('FILES_ACCESS_KEY_ID'),
    secretAccessKey: reader.optional('FILES_SECRET_ACCESS_KEY'),
    kmsKeyId: reader.optional('FILES_KMS_KEY_ID'),
  }
  for (const name of KEY) reader.needed(name, [BUCKET])
  if (settings.region === undefined && !URL.canParse(bucket)) {
    problems.push(`FILES_REGION: needed because ${BUCKET} is a name, not a URL`)
    return settings
  }
  const place = bucketPlace(settings, 'file')
  // The reasons are in the words of an account's settings, which have the same names.
  if (place.type === 'invalid') problems.push(place.reason.replace(/^Storage(\w+)/, variableOf))
  return settings
}

/** `StorageBucket` is `FILES_BUCKET` here. */
function variableOf(_match: string, name: string): string {
  return `FILES${name.replaceAll(/[A-Z]/g, '_$&').toUpperCase()}:`
}
