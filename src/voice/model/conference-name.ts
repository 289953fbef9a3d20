import { countCharacters, isPlainText } from '../../platform/text.js'

/** The most characters of the name of a conference. */
export const MAX_CONFERENCE_NAME = 128

/** True for a text that names a conference. It has no control characters, nor others that no document holds. */
export function isConferenceName(text: string): boolean {
  const characters = countCharacters(text)
  return characters > 0 && characters <= MAX_CONFERENCE_NAME && isPlainText(text)
}
