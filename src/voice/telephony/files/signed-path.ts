/** Signed, short-lived names of files for the media server. Pure but for the key. */
import { createHmac } from 'node:crypto'
import { extname } from 'node:path'
import { isSameSecret } from '../../../platform/secrets.js'

/** The names of one hour are equal, so that the media server's cache knows a file again. */
const WINDOW_MS = 3_600_000
const PATTERN = /^\/play\/(\d{1,15})\/([\w-]{43})\/([\w-]{1,1500})(\.[a-z0-9]{1,5})$/

/** The path of a URL at which the file can be had, for one to two hours. */
export function signedPath(file: string, key: Buffer, now: number): string {
  const expires = String((Math.floor(now / WINDOW_MS) + 2) * WINDOW_MS)
  const extension = /^\.[a-z0-9]{1,5}$/.test(extname(file)) ? extname(file) : '.wav'
  const name = Buffer.from(file).toString('base64url')
  return `/play/${expires}/${macOf(expires, name, key)}/${name}${extension}`
}

/** The file that a path names; undefined when it was not signed with the key, or has expired. */
export function fileOfSignedPath(path: string, key: Buffer, now: number): string | undefined {
  const [, expires = '', mac = '', name = ''] = PATTERN.exec(path) ?? []
  if (name === '' || !isSameSecret(mac, macOf(expires, name, key))) return undefined
  return Number(expires) > now ? Buffer.from(name, 'base64url').toString() : undefined
}

function macOf(expires: string, name: string, key: Buffer): string {
  return createHmac('sha256', key).update(`${expires} ${name}`).digest('base64url')
}
