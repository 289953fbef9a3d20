import { randomInt } from 'node:crypto'
import type { Database } from '../platform/database/database.js'
import type { Logger } from '../platform/log.js'
import type { Vault } from '../platform/secrets.js'
import type { Tables } from './data/tables.js'

/** What every service of the registry works with. */
export interface Core {
  readonly db: Database
  readonly tables: Tables
  readonly clock: RegistryClock
  readonly vault: Vault
  readonly log: Logger
  /** Call after a commit that may have made jobs or deliveries due. */
  readonly wake: () => void
  /** What campaigns are shared with to leave for another system, when there is one. */
  readonly upstream: { readonly cnpId: string; readonly displayName: string } | undefined
}

/** Wall time, epoch milliseconds; an operator may turn it forward to see what time does. */
export interface RegistryClock {
  now(): number
}

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789'

/** `B` and six of A–Z0–9; the caller checks that it is new. */
export function newRegistryId(prefix: string, length = 6): string {
  const random = Array.from({ length }, () => ALPHABET[randomInt(ALPHABET.length)])
  return prefix + random.join('')
}

export function newPin(): string {
  return String(randomInt(1_000_000)).padStart(6, '0')
}

/** Tries identifiers until `isTaken` says no. */
export async function freeRegistryId(
  prefix: string,
  isTaken: (id: string) => Promise<boolean>,
  length = 6,
): Promise<string> {
  for (;;) {
    const id = newRegistryId(prefix, length)
    if (!(await isTaken(id))) return id
  }
}
