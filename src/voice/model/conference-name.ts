import { countCharacters, isPlainText } from '../../platform/text.js'

/** Maximum length of a conference name, in characters. */
export const MAX_CONFERENCE_NAME = 128

/** True for a valid conference name, without control characters or other unprintable ones. */
export function isConferenceName(text: string): boolean {
  const characters = countCharacters(text)
  return characters > 0 && characters <= MAX_CONFERENCE_NAME && isPlainText(text)
}
