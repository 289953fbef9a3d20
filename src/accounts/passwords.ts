/** Account passwords: generated at random, stored as scrypt hashes (RFC 7914). */
import { randomBytes, randomInt, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto'
import { SerialQueue } from '../platform/async/serial-queue.js'
import { DomainError } from '../platform/errors.js'

/** Scrypt parameters of one hash. The default takes 32 MiB of memory and about 0.2 s. */
export interface HashCost {
  readonly N: number
  readonly r: number
  readonly p: number
}

const COST: HashCost = { N: 2 ** 15, r: 8, p: 3 }
const HASH_BYTES = 32
const SALT_BYTES = 16
/** Maximum number of waiting hashes; each takes a thread and 32 MiB. */
const MAX_WAITING = 50

/** Too many passwords are being checked; a retry may succeed. */
export class TooManyPasswordsError extends DomainError {
  override readonly name = 'TooManyPasswordsError'
  readonly code = 'too-many-passwords'
}

/** A generated password and its hash. */
export interface NewPassword {
  readonly password: string
  readonly hash: string
}

/** Hashes passwords one at a time, so that logins do not starve calls of CPU time. */
export class Passwords {
  readonly #cost: HashCost
  readonly #queue = new SerialQueue()
  /** A hash that matches no password: compared when the account has none. */
  readonly #noHash: string
  #waiting = 0

  constructor(cost: HashCost = COST) {
    this.#cost = cost
    this.#noHash = written(cost, randomBytes(SALT_BYTES), randomBytes(HASH_BYTES))
  }

  /** Generates a password of ten letters and digits, with at least one of each. */
  async make(): Promise<NewPassword> {
    const password = newPassword()
    return { password, hash: await this.hash(password) }
  }

  async hash(password: string): Promise<string> {
    const salt = randomBytes(SALT_BYTES)
    return written(this.#cost, salt, await this.#derive(password, salt, this.#cost))
  }

  /** True when the hash is the password's. Takes the same time without a hash. */
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
      return await this.#queue.run(() => derived(password, salt, cost))
    } finally {
      this.#waiting -= 1
    }
  }
}

function derived(password: string, salt: Buffer, { N, r, p }: HashCost): Promise<Buffer> {
  // Twice the algorithm's requirement: Node counts slightly more than 128·N·r.
  const options: ScryptOptions = { N, r, p, maxmem: 256 * N * r }
  return new Promise((resolve, reject) => {
    scrypt(password.normalize('NFC'), salt, HASH_BYTES, options, (error, key) => {
      if (error === null) resolve(key)
      else reject(error)
    })
  })
}

/** `scrypt$N$r$p$salt$hash`: includes the parameters, so they may change later. */
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
