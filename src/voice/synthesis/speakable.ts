/** Turns written text into the ASCII that the English synthesiser can say. */
const SPOKEN: readonly (readonly [RegExp, string])[] = [
  [/[\u2018\u2019\u201b]/g, "'"],
  [/[\u201c\u201d\u201e]/g, '"'],
  [/[\u2013\u2014]/g, ', '],
  [/\u2026/g, '. '],
  [/€\s?([0-9][0-9.,]*)/g, '$1 euros'],
  [/£\s?([0-9][0-9.,]*)/g, '$1 pounds'],
  [/€/g, ' euros '],
  [/£/g, ' pounds '],
  [/°/g, ' degrees '],
  [/ß/g, 'ss'],
  [/[æÆ]/g, 'ae'],
  [/[œŒ]/g, 'oe'],
  [/[øØ]/g, 'o'],
  [/[łŁ]/g, 'l'],
  [/[đĐðÐ]/g, 'd'],
  [/[þÞ]/g, 'th'],
  [/ı/g, 'i'],
]

/**
 * The text as ASCII; undefined when nothing pronounceable is left, such as of a text in another
 * script.
 */
export function speakable(text: string): string | undefined {
  const plain = SPOKEN.reduce((rest, [written, said]) => rest.replace(written, said), text)
    .normalize('NFKD')
    .replace(/\p{Mark}+/gu, '')
    .replace(/[^\x20-\x7e]+/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()
  return /[A-Za-z0-9]/.test(plain) ? plain : undefined
}

/** True when every letter of the text is Latin: an English voice can then say it roughly. */
export function sharesLetters(text: string): boolean {
  return !/(?!\p{Script=Latin})\p{Letter}/u.test(text)
}
