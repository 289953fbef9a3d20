/** Names of tags. Pure. */

/** 1 to 50 characters of any script, no punctuation, no spaces; lower case as stored, or undefined. */
export function tagName(text: string): string | undefined {
  const name = text.toLowerCase()
  return /^[\p{L}\p{M}\p{N}\p{S}]{1,50}$/u.test(name) ? name : undefined
}
