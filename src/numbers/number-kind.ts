/** Tells the kinds of numbers apart by their digits. Pure. */

export type NumberKind = 'local' | 'toll-free'

/** The toll-free area codes of North America, as the specification lists them. */
const TOLL_FREE = /^\+1(?:800|833|844|855|866|877|888)/

/** The kind of an E.164 number: every number outside North America counts as local. */
export function kindOf(e164: string): NumberKind {
  return TOLL_FREE.test(e164) ? 'toll-free' : 'local'
}
