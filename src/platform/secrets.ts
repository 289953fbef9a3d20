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

/** Encrypts secrets that must be readable again (AES-256-GCM); the key is in DATA_DIR, not in the database. */
export interface Vault {
  seal(secret: string): string
  /** Decrypts a sealed text; throws when it was not sealed with this key. */
  open(sealed: string): string
  /** Derives the key of one purpose, always the same (HKDF, RFC 5869). */
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

/** Compares two secrets in constant time, whatever their lengths. No other code compares secrets. */
export function isSameSecret(given: string, expected: string): boolean {
  return isSameDigest(sha256Hex(given), sha256Hex(expected))
}

const DIGEST_CHARS = 64
/** Buffers for comparing digests, reused since every request compares some. */
const compared = { given: Buffer.alloc(DIGEST_CHARS), expected: Buffer.alloc(DIGEST_CHARS) }

/** Compares two digests from `sha256Hex` in constant time. */
export function isSameDigest(given: string, expected: string): boolean {
  if (given.length !== DIGEST_CHARS || expected.length !== DIGEST_CHARS)
    throw new RangeError(`a digest has ${DIGEST_CHARS} characters`)
  compared.given.write(given, 'latin1')
  compared.expected.write(expected, 'latin1')
  return timingSafeEqual(compared.given, compared.expected)
}

/** Returns a new account secret: 32 hex characters. */
export function newSecret(): string {
  return randomBytes(16).toString('hex')
}

/** Reads an operator's secret from a file, or creates one there that only the owner may read. */
export function readOrCreateToken(file: string): string {
  return readOrCreate(file, newSecret())
}

/** Reads this node's name from the file, which is created with a random one when missing. */
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
