/** Senders that are neither numbers nor short codes: nobody can answer them. Pure. */

/** A name in place of a number, with a letter: ACME Bank. SMPP has room for 20 characters (§5.2.8). */
export function isSenderName(text: string): boolean {
  return /^(?=.*[A-Za-z])[\x20-\x7e]{1,20}$/.test(text)
}
