/** The names of tags. Pure. */

export const MAX_TAG = 50
/** Maximum length of a tag at the creation of a campaign. */
export const MAX_CAMPAIGN_TAG = 255

/**
 * The text by which a tag is stored and found: in lower case, and composed (NFC), since what looks the
 * same is one tag.
 */
export function tagKey(text: string): string {
  return text.toLowerCase().normalize('NFC')
}

/**
 * The tag as it is stored: letters, digits and symbols of any script. Undefined for a text with
 * spaces or punctuation, or a longer one.
 */
export function tagName(text: string, max = MAX_TAG): string | undefined {
  const name = tagKey(text)
  const isName = /^[\p{L}\p{M}\p{N}\p{S}]+$/u.test(name)
  return isName && Array.from(name).length <= max ? name : undefined
}
