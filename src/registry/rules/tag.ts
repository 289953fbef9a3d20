/** The names of tags. Pure. */

export const MAX_TAG = 50
/** Maximum length of a tag when a campaign is created, characters. */
export const MAX_CAMPAIGN_TAG = 255

/**
 * The key by which a tag is stored and found: lower case and composed (NFC), so that tags that look
 * the same are the same.
 */
export function tagKey(text: string): string {
  return text.toLowerCase().normalize('NFC')
}

/**
 * Returns the tag in stored form: letters, digits and symbols of any script. Undefined when it has
 * spaces or punctuation, or is too long.
 */
export function tagName(text: string, max = MAX_TAG): string | undefined {
  const name = tagKey(text)
  const isName = /^[\p{L}\p{M}\p{N}\p{S}]+$/u.test(name)
  return isName && Array.from(name).length <= max ? name : undefined
}
