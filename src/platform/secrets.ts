import {
  createCipheriv,
  createDecipheriv,
  hash,
  hkdfSync,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'

const KEY_BYTES = 32
const IV_BYTES = 12
const TAG_BYTES = 16

/**
 * Seals secrets that must be read back (AES-256-GCM); the key is in DATA_DIR, not in the database.
 */
export interface Vault {
  seal(secret: string): string
  /** Opens a sealed text; throws when it was not sealed with this key. */
  open(sealed: string): string
  /** Makes a key for one purpose, always the same one (HKDF, RFC 5869). */
  keyFor(purpose: string): Buffer
}

export function openVault(keyFile: string): Vault {
  const key = readOrCreateKey(keyFile)
  return {
    seal: (secret) => {
      const iv = randomBytes(IV_BYTES)
      const cipher = createCipheriv('aes-256-gcm', key, iv)
      const body = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()])
      return Buffer.concat([iv, cipher.getAuthTag(), body]).toString('base64')
    },
    open: (sealed) => {
      const bytes = Buffer.from(sealed, 'base64')
      const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, IV_BYTES))
      decipher.setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES))
      const body = bytes.subarray(IV_BYTES + TAG_BYTES)
      return Buffer.concat([decipher.update(body), decipher.final()]).toString('utf8')
    },
    keyFor: (purpose) => Buffer.from(hkdfSync('sha256', key, '', purpose, KEY_BYTES)),
  }
}

function readOrCreateKey(file: string): Buffer {
  try {
    writeFileSync(file, randomBytes(KEY_BYTES), { mode: 0o600, flag: 'wx' })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
  const key = readFileSync(file)
  if (key.length !== KEY_BYTES) throw new Error(`${file} is not a ${KEY_BYTES}-byte key`)
  return key
}

export function sha256Hex(text: string): string {
  return hash('sha256', text)
}

/**
 * Compares secrets, the only place that does. It takes the same time wherever they differ, and
 * whatever their lengths.
 */
export function isSameSecret(given: string, expected: string): boolean {
  return isSameDigest(sha256Hex(given), sha256Hex(expected))
}

const DIGEST_CHARS = 64
/** Where two digests are compared: every request compares some, and needs no new buffers for it. */
const compared = { given: Buffer.alloc(DIGEST_CHARS), expected: Buffer.alloc(DIGEST_CHARS) }

/** Compares what `sha256Hex` has made of two secrets, as `isSameSecret` does. */
export function isSameDigest(given: string, expected: string): boolean {
  if (given.length !== DIGEST_CHARS || expected.length !== DIGEST_CHARS)
    throw new RangeError(`a digest has ${DIGEST_CHARS} characters`)
  compared.given.write(given, 'latin1')
  compared.expected.write(expected, 'latin1')
  return timingSafeEqual(compared.given, compared.expected)
}

/** Makes a new secret of an account: 32 hex characters. */
export function newSecret(): string {
  return randomBytes(16).toString('hex')
}

/**
 * Reads, or makes, a secret of the operator's that survives restarts, in a file that only its owner
 * may read.
 */
export function readOrCreateToken(file: string): string {
  return readOrCreate(file, newSecret())
}

/** Reads the name of this node from the file, which is made with a random one when there is none. */
export function readOrCreateNodeId(file: string): string {
  return readOrCreate(file, `node-${randomBytes(6).toString('hex')}`)
}

function readOrCreate(file: string, first: string): string {
  try {
    writeFileSync(file, first, { mode: 0o600, flag: 'wx' })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
  return readFileSync(file, 'utf8').trim()
}
