/** Account passwords: generated at random, stored as scrypt hashes (RFC 7914). */
import { randomBytes, randomInt, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto'
import { SerialQueue } from '../platform/async/serial-queue.js'
import { DomainError } from '../platform/errors.js'

/** The work of one hash: 32 MiB of memory, and about a fifth of a second. */
export interface HashCost {
  readonly N: number
  readonly r: number
  readonly p: number
}

const COST: HashCost = { N: 2 ** 15, r: 8, p: 3 }
const HASH_BYTES = 32
const SALT_BYTES = 16
/** The hashes that may wait for their turn: each takes a thread, and 32 MiB. */
const MAX_WAITING = 50

/** Too many passwords are being checked; a later attempt may succeed. */
export class TooManyPasswordsError extends DomainError {
  override readonly name = 'TooManyPasswordsError'
  readonly code = 'too-many-passwords'
}

/** A password that was made for an account, and its hash. */
export interface NewPassword {
  readonly password: string
  readonly hash: string
}

/** Hashes passwords one at a time, so that logins leave the processor to calls. */
export class Passwords {
  readonly #cost: HashCost
  readonly #turns = new SerialQueue()
  /** A hash that no password has: what is compared when there is none. */
  readonly #noHash: string
  #waiting = 0

  constructor(cost: HashCost = COST) {
    this.#cost = cost
    this.#noHash = written(cost, randomBytes(SALT_BYTES), randomBytes(HASH_BYTES))
  }

  /** Makes a password of ten letters and digits, with at least one of each. */
  async make(): Promise<NewPassword> {
    const password = newPassword()
    return { password, hash: await this.hash(password) }
  }

  async hash(password: string): Promise<string> {
    const salt = randomBytes(SALT_BYTES)
    return written(this.#cost, salt, await this.#derive(password, salt, this.#cost))
  }

  /** Tells whether a hash is the password's. It takes the same time when there is no hash. */
  async isRight(password: string, stored: string | undefined): Promise<boolean> {
    const { cost, salt, hash } = read(stored ?? this.#noHash)
    const isSame = timingSafeEqual(await this.#derive(password, salt, cost), hash)
    return isSame && stored !== undefined
  }

  async #derive(password: string, salt: Buffer, cost: HashCost): Promise<Buffer> {
    if (this.#waiting >= MAX_WAITING)
      throw new TooManyPasswordsError('too many passwords are being checked')
    this.#waiting += 1
    try {
      return await this.#turns.run(() => derived(password, salt, cost))
    } finally {
      this.#waiting -= 1
    }
  }
}

function derived(password: string, salt: Buffer, { N, r, p }: HashCost): Promise<Buffer> {
  // Twice what the algorithm needs: Node counts a little more than 128·N·r.
  const options: ScryptOptions = { N, r, p, maxmem: 256 * N * r }
  return new Promise((resolve, reject) => {
    scrypt(password.normalize('NFC'), salt, HASH_BYTES, options, (error, key) => {
      if (error === null) resolve(key)
      else reject(error)
    })
  })
}

/** `scrypt$N$r$p$salt$hash`: a hash says how it was made, so the cost may change. */
function written({ N, r, p }: HashCost, salt: Buffer, hash: Buffer): string {
  return ['scrypt', N, r, p, salt.toString('base64'), hash.toString('base64')].join('$')
}

function read(stored: string): { cost: HashCost; salt: Buffer; hash: Buffer } {
  const [, N, r, p, salt = '', hash = ''] = stored.split('$')
  return {
    cost: { N: Number(N), r: Number(r), p: Number(p) },
    salt: Buffer.from(salt, 'base64'),
    hash: Buffer.from(hash, 'base64'),
  }
}

const LETTERS = 'abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ'
const DIGITS = '23456789'
const PASSWORD_LENGTH = 10

function newPassword(): string {
  for (;;) {
    const characters = Array.from({ length: PASSWORD_LENGTH }, () => {
      const alphabet = LETTERS + DIGITS
      return alphabet[randomInt(alphabet.length)]
    })
    const password = characters.join('')
    if (/[a-z]/i.test(password) && /[0-9]/.test(password)) return password
  }
}
