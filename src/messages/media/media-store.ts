/** Fetches media from web servers and stores their files. */
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Slots } from '../../platform/async/slots.js'
import type { FileStore } from '../../platform/files/file-store.js'
import type { Outbound, OutboundResponse } from '../../platform/http/outbound.js'
import { OutboundError } from '../../platform/http/outbound-error.js'
import type { MessageMedia } from '../message-media.js'
import { mediaTypeOf } from './media-type.js'

export interface WantedMedia {
  readonly url: string
  readonly accountSid: string
  readonly maxBytes: number
}

export type FetchedMedia =
  | { readonly type: 'fetched'; readonly contentType: string; readonly bytes: Buffer }
  /** `errorCode` is the documented number. */
  | { readonly type: 'failed'; readonly errorCode: number; readonly isRetryable: boolean }

export interface MediaStore {
  /** Rejects with the signal's reason only. */
  fetch(wanted: WantedMedia, signal: AbortSignal): Promise<FetchedMedia>
  /** Stores a file under its name. Rejects with FileStoreError. */
  keep(file: string, contentType: string, bytes: Buffer): Promise<void>
  /** Rejects with FileStoreError. */
  remove(file: string): Promise<void>
  /** Returns an expiring link to the file that needs no credentials. */
  link(media: MessageMedia, seconds: number): string
}

export interface MediaStoreDeps {
  readonly outbound: Pick<Outbound, 'request'>
  readonly files: FileStore
  /** Folder of files that are not yet in the store. */
  readonly folder: string
}

const HTTP_FAILURE = 11200
const TOO_LARGE = 30019
const BAD_TYPE = 12300
/** Time limit for one media, ms. */
const TIMEOUT_MS = 20_000
/** Maximum number of media in memory at once. */
const AT_ONCE = 8

export function createMediaStore({ outbound, files, folder }: MediaStoreDeps): MediaStore {
  const slots = new Slots(AT_ONCE)
  return {
    fetch: async (wanted, signal) => {
      const leave = await slots.take(signal)
      try {
        return judged(await request(outbound, wanted, signal))
      } catch (error) {
        signal.throwIfAborted()
        if (!(error instanceof OutboundError)) throw error
        const errorCode = error.kind === 'too-large' ? TOO_LARGE : error.code
        return { type: 'failed', errorCode, isRetryable: error.isRetryable }
      } finally {
        leave()
      }
    },
    keep: async (file, contentType, bytes) => {
      await mkdir(folder, { recursive: true, mode: 0o700 })
      const path = join(folder, file.replaceAll('/', '-'))
      try {
        await writeFile(path, bytes)
        await files.put(file, path, contentType)
      } finally {
        await rm(path, { force: true })
      }
    },
    remove: (file) => files.remove(file),
    link: ({ sid, file, contentType }, seconds) =>
      files.link(file, { seconds, fileName: sid, mimeType: contentType }),
  }
}

function request(
  outbound: Pick<Outbound, 'request'>,
  { url, accountSid, maxBytes }: WantedMedia,
  signal: AbortSignal,
): Promise<OutboundResponse> {
  return outbound.request(
    {
      method: 'GET',
      url,
      tenant: `${accountSid} media`,
      headers: { Accept: '*/*' },
      maxBodyBytes: Math.max(1, maxBytes),
      responseTimeoutMs: TIMEOUT_MS,
      totalTimeoutMs: TIMEOUT_MS,
    },
    signal,
  )
}

function judged({ status, headers, body }: OutboundResponse): FetchedMedia {
  if (status !== 200) {
    const isRetryable = status >= 500 || status === 429
    return { type: 'failed', errorCode: HTTP_FAILURE, isRetryable }
  }
  const contentType = mediaTypeOf(headers.get('content-type') ?? '', body)
  if (contentType === undefined) return { type: 'failed', errorCode: BAD_TYPE, isRetryable: false }
  return { type: 'fetched', contentType, bytes: body }
}
