/**
 * Counts the characters of a text as JSON Schema does for `maxLength`, and as our schemas do: code points, of
 * which an emoji is one. The length of a JavaScript string counts it as two.
 */
export function countCharacters(text: string): number {
  return Array.from(text).length
}
