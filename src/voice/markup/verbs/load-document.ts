/** Turns an application's answer into verbs. Audio becomes a Play, plain text a Say. */
import { answerExcerpt, htmlPageOf } from '../../../platform/http/answer-excerpt.js'
import type { DocumentRequest, FetchedDocument } from '../document.js'
import type { MarkupHost } from '../host.js'
import { warnOfIneffective, warnOfIneffectiveAround } from '../parse/ineffective-attributes.js'
import { parseDocument } from '../parse/parse-document.js'
import { parsePlay } from '../parse/play.js'
import { parseSay } from '../parse/say.js'
import type { Verb } from '../parse/verb.js'
import { collectWarnings, type Warn, type Warning } from '../parse/warnings.js'
import type { XmlElement } from '../parse/xml.js'
import { DocumentError } from './verb-run.js'

export interface LoadedDocument {
  readonly url: string | undefined
  readonly verbs: readonly Verb[]
  readonly warnings: readonly Warning[]
}

/** Maximum length of inline markup, in characters (documented). */
export const MAX_INLINE_LENGTH = 4000

const MARKUP_TYPES = ['text/xml', 'application/xml', 'application/twiml+xml', 'text/html']

/**
 * Fetches and parses a document. Rejects with FetchError, or with DocumentError: 11200 without a
 * Content-Type, 12300 for neither markup nor audio, else the parser's number.
 */
export async function fetchDocument(
  request: DocumentRequest,
  host: MarkupHost,
  signal: AbortSignal,
): Promise<LoadedDocument> {
  return readFetched(await host.fetchDocument(request, signal))
}

/** Parses inline markup. Throws DocumentError: 32018 when it is too long, else the parser's number. */
export function readInline(text: string): LoadedDocument {
  if (text.length > MAX_INLINE_LENGTH)
    throw new DocumentError(32018, `markup is longer than ${MAX_INLINE_LENGTH} characters`)
  return readMarkup(text, undefined)
}

/** Parses an answer according to its Content-Type. Throws DocumentError. */
export function readFetched({ url, contentType, text }: FetchedDocument): LoadedDocument {
  const type = contentType.split(';')[0]?.trim().toLowerCase() ?? ''
  const about = { url, answer: answerExcerpt(text) }
  if (type === '') throw new DocumentError(11200, 'the answer has no Content-Type', about)
  if (MARKUP_TYPES.includes(type)) return readMarkup(text, url)
  if (type.startsWith('audio/')) return single(url, (warn) => parsePlay(element('Play', url), warn))
  if (type !== 'text/plain')
    throw new DocumentError(12300, `Content-Type "${type}" is neither markup nor audio`, about)
  const parsed = parseDocument(text)
  if (parsed.type === 'document' || text.trim() === '') return readMarkup(text, url)
  return single(url, (warn) => parseSay(element('Say', text), warn))
}

function readMarkup(text: string, url: string | undefined): LoadedDocument {
  const parsed = parseDocument(text)
  if (parsed.type === 'document')
    return {
      url,
      verbs: parsed.verbs,
      warnings: [...parsed.warnings, ...ineffectiveIn(parsed.verbs)],
    }
  if (url === undefined) throw new DocumentError(parsed.code, parsed.message)
  const page = htmlPageOf(text)
  const message = page === undefined ? parsed.message : `the answer is ${page}, not markup`
  throw new DocumentError(parsed.code, message, { url, answer: answerExcerpt(text) })
}

/** Returns warnings about attributes without effect. A verb that does not run gets its own error instead. */
function ineffectiveIn(verbs: readonly Verb[]): readonly Warning[] {
  const { warn, warnings } = collectWarnings()
  for (const verb of verbs) {
    if (verb.type === 'other') continue
    warnOfIneffective(verb.element, warn)
    const noun = verb.type === 'dial' ? verb.nouns[0] : undefined
    if (noun !== undefined) warnOfIneffectiveAround(noun.element.name, verb.element, warn)
  }
  return warnings
}

function single(url: string, parse: (warn: Warn) => Verb): LoadedDocument {
  const { warn, warnings } = collectWarnings()
  return { url, verbs: [parse(warn)], warnings }
}

function element(name: string, text: string): XmlElement {
  return { type: 'element', name, attributes: new Map(), children: [{ type: 'text', text }] }
}
