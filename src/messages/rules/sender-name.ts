/** Senders that are no numbers: they bring alerts and codes, and nobody can answer most of them. Pure. */

/** A short code of a carrier or of a country: 22395. */
export function isShortCode(text: string): boolean {
  return /^\d{3,6}$/.test(text)
}

/** A name in place of a number, with a letter: ACME Bank. SMPP has room for 20 characters (§5.2.8). */
export function isSenderName(text: string): boolean {
  return /^(?=.*[A-Za-z])[\x20-\x7e]{1,20}$/.test(text)
}
