/** What people are shown of a web server's answer. Pure. */
import { maskText } from '../mask-secrets.js'
import { visible } from '../text.js'

const MAX_CHARS = 200
const MAX_TITLE = 80
/** Number of characters that an excerpt is cut from; masking needs those after its end. */
const MAX_READ = 4_096

/** Comments and processing instructions may precede the page. */
const HTML = /^(?:\s|<!--[^]*?-->|<\?[^]*?\?>)*<(?:!doctype\s+html|html)\b/i
const TITLE = /<title\b[^>]{0,200}>([^<]*)/i

/**
 * Returns the first 200 characters of an answer, on one line: secrets are masked, control characters
 * written as escapes. Undefined for an empty answer.
 */
export function answerExcerpt(text: string): string | undefined {
  const shown = maskText(text.slice(0, MAX_READ).trim())
  if (shown === '') return undefined
  const first = Array.from(shown.slice(0, 2 * MAX_CHARS))
  const cut = first.length > MAX_CHARS || shown.length > 2 * MAX_CHARS ? '…' : ''
  return visible(first.slice(0, MAX_CHARS).join('')) + cut
}

/** Describes an answer that is an HTML page, as `an HTML page ("Log in")`; undefined for another. */
export function htmlPageOf(text: string): string | undefined {
  const start = text.slice(0, MAX_READ)
  if (!HTML.test(start)) return undefined
  const title = (TITLE.exec(start)?.[1] ?? '').replaceAll(/\s+/g, ' ').trim()
  if (title === '') return 'an HTML page'
  return `an HTML page ("${visible(maskText(title)).slice(0, MAX_TITLE)}")`
}
