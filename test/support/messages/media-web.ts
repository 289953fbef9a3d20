import { join } from 'node:path'
import { createMediaLinks } from '../../../src/messages/media/media-links.js'
import { createMediaStore } from '../../../src/messages/media/media-store.js'
import type { Clock } from '../../../src/platform/clock.js'
import { createFileLinks } from '../../../src/platform/files/file-links.js'
import { createFolderStore } from '../../../src/platform/files/folder-store.js'
import type { Outbound } from '../../../src/platform/http/outbound.js'
import { OutboundError } from '../../../src/platform/http/outbound-error.js'

/** A PNG signature and a few bytes. */
export const PNG = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex')

export interface WebFile {
  readonly status?: number
  readonly type?: string
  readonly body?: Buffer
}

/** A fake web with these files; other URLs are unreachable. */
export class MediaWeb implements Pick<Outbound, 'request'> {
  readonly files = new Map<string, WebFile>()
  /** Requested URLs. */
  readonly asked: string[] = []

  request: Outbound['request'] = ({ url, maxBodyBytes = 0 }) => {
    this.asked.push(url)
    const file = this.files.get(url)
    if (file === undefined) return Promise.reject(new OutboundError('connect-refused', url))
    const { status = 200, type = 'image/png', body = PNG } = file
    if (body.length > maxBodyBytes) return Promise.reject(new OutboundError('too-large', url))
    const headers = new Headers({ 'content-type': type })
    const timings = { connectMs: 0, headersMs: 0, totalMs: 0 }
    return Promise.resolve({ status, headers, body, url, timings })
  }
}

/** Media storage of messages, in a test's folder. */
export function testMedia(folder: string, clock: Clock, outbound = new MediaWeb()) {
  const key = Buffer.alloc(32, 7)
  const baseUrl = 'http://trunkline.test'
  const links = createFileLinks({ key, clock, baseUrl: () => baseUrl })
  const files = createFolderStore(join(folder, 'files'), links)
  return {
    mediaStore: createMediaStore({ outbound, files, folder: join(folder, 'building') }),
    mediaLinks: createMediaLinks({ key, clock, baseUrl }),
  }
}
