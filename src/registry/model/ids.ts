/** The registry's identifiers: a letter for the kind of record, then characters of A–Z0–9. */
import { randomInt } from 'node:crypto'

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789'

export function newRegistryId(prefix: string, length = 6): string {
  const random = Array.from({ length }, () => ALPHABET[randomInt(ALPHABET.length)])
  return prefix + random.join('')
}

/** Tries new identifiers until `isTaken` resolves with false. */
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

/** A PIN of six decimal digits, for a one-time password. */
export function newPin(): string {
  return String(randomInt(1_000_000)).padStart(6, '0')
}
