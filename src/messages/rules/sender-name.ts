/** Senders that are neither numbers nor short codes and cannot be answered. Pure. */

/**
 * True for an alphanumeric sender with at least one letter, such as ACME Bank; at most 20 characters (SMPP
 * §5.2.8).
 */
export function isSenderName(text: string): boolean {
  return /^(?=.*[A-Za-z])[\x20-\x7e]{1,20}$/.test(text)
}
