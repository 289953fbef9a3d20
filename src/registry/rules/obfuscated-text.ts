/** Text that people read differently from filters. Pure. */

const INVISIBLE = /[\p{Cc}\p{Cf}\p{Co}\p{Cn}\u115F\u1160\u3164\uFFA0]/u
const SCRIPTS = [/\p{Script=Latin}/u, /\p{Script=Cyrillic}/u, /\p{Script=Greek}/u]
/** Letters that only mathematics uses: 𝐁𝐚𝐧𝐤. */
const STYLED = /[\u{1D400}-\u{1D7FF}\u{1F130}-\u{1F189}\u{24B6}-\u{24E9}]/u

/** True for invisible or styled characters anywhere, or look-alike scripts mixed within a word. */
export function isObfuscated(text: string): boolean {
  if (INVISIBLE.test(text) || STYLED.test(text)) return true
  return text.split(/\s+/).some((word) => SCRIPTS.filter((script) => script.test(word)).length > 1)
}
