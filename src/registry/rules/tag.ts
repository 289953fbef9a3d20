/** Names of tags. Pure. */

export const MAX_TAG = 50
/** A tag that a campaign is created with may be longer. */
export const MAX_CAMPAIGN_TAG = 255

/** Characters of any script, no punctuation, no spaces; lower case as stored, or undefined. */
export function tagName(text: string, max = MAX_TAG): string | undefined {
  const name = text.toLowerCase()
  const isName = /^[\p{L}\p{M}\p{N}\p{S}]+$/u.test(name)
  return isName && Array.from(name).length <= max ? name : undefined
}
