import { randomInt } from 'node:crypto'

export const USERNAME = /^[0-9]{10}$/

/** Generates a random username; the database decides whether it is free. */
export function newUsername(): string {
  return String(randomInt(2_000_000_000, 10_000_000_000))
}
