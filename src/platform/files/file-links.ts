/** Expiring links to stored files. A link is signed; nothing of it is stored. */
import { createHmac } from 'node:crypto'
import { z } from '@hono/zod-openapi'
import type { Clock } from '../clock.js'
import { isSameSecret } from '../secrets.js'
import type { WantedLink } from './file-store.js'

export interface LinkedFile {
  readonly name: string
  readonly fileName: string
  readonly mimeType: string
}

export interface FileLinks {
  make(name: string, wanted: WantedLink): string
  /** Verifies the last segment of a link's path; undefined when it is forged or has expired. */
  read(token: string): LinkedFile | undefined
}

export interface FileLinksDeps {
  readonly key: Buffer
  readonly clock: Clock
  /** The URL that customers use for this server. */
  readonly baseUrl: () => string
}

/** Path prefix of links. */
export const FILES_PATH = '/files'

const content = z.tuple([z.string(), z.string(), z.string(), z.number()])

export function createFileLinks({ key, clock, baseUrl }: FileLinksDeps): FileLinks {
  const proofOf = (text: string) => createHmac('sha256', key).update(text).digest('base64url')
  return {
    make: (name, { seconds, fileName, mimeType }) => {
      const parts = [name, fileName, mimeType, clock.now() + seconds * 1_000]
      const text = Buffer.from(JSON.stringify(parts)).toString('base64url')
      return `${baseUrl()}${FILES_PATH}/${text}.${proofOf(text)}`
    },
    read: (token) => {
      const [text = '', proof = ''] = token.split('.')
      if (!isSameSecret(proof, proofOf(text))) return undefined
      const [name, fileName, mimeType, expiresAt] = content.parse(
        JSON.parse(Buffer.from(text, 'base64url').toString('utf8')),
      )
      return clock.now() < expiresAt ? { name, fileName, mimeType } : undefined
    },
  }
}
