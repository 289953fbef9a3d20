import { readWebUrl } from '../../../platform/http/web-url.js'
import type { ErrorNumber } from '../../errors/error-catalogue.js'
import type { MarkupHost } from '../host.js'
import type { Callback } from '../parse/callbacks.js'
import { DocumentError, type VerbContext } from './verb-run.js'

/**
 * Resolves a document's URL against the document's own. Throws DocumentError: 15004 for a relative URL in an
 * inline document, 11100 for an invalid web address.
 */
export function resolveUrl(written: string | undefined, documentUrl: string | undefined): string {
  const text = written?.trim() ?? ''
  if (text === '' && documentUrl !== undefined) return documentUrl
  // Media servers accept schemes with an underscore, but URL parsers would treat them as a relative path.
  if (/^[a-z0-9]*_\w*:/i.test(text))
    throw new DocumentError(11100, `"${text}" is not a web address`, { url: text })
  if (documentUrl === undefined && !/^[a-z][a-z0-9+.-]*:/i.test(text))
    throw new DocumentError(15004, `"${text}" is relative, and an inline document has no URL`)
  const url = readWebUrl(text, documentUrl)
  if (url === undefined)
    throw new DocumentError(11100, `"${text}" is not a web address`, { url: text })
  return url.href
}

/**
 * Resolves a waitUrl; an empty one stays empty. An invalid one is a warning, with `code` if given, and
 * undefined: the caller hears the default music.
 */
export function resolveWaitUrl(
  written: string | undefined,
  { verb, code }: { readonly verb: string; readonly code?: ErrorNumber },
  { host, documentUrl }: VerbContext,
): string | undefined {
  if (written === undefined || written === '') return written
  try {
    return resolveUrl(written, documentUrl)
  } catch (error) {
    if (!(error instanceof DocumentError)) throw error
    host.log({
      type: 'warning',
      code: code ?? error.number,
      message: `${verb}: waitUrl: ${error.message}`,
    })
    return undefined
  }
}

/** Resolves the callback's URL. An invalid URL is a warning: the verb then runs without the callback. */
export function resolveCallback<C extends Callback>(
  callback: C | undefined,
  documentUrl: string | undefined,
  verb: string,
  host: MarkupHost,
): C | undefined {
  if (callback === undefined) return undefined
  try {
    return { ...callback, url: resolveUrl(callback.url, documentUrl) }
  } catch (error) {
    if (!(error instanceof DocumentError)) throw error
    host.log({ type: 'warning', code: error.number, message: `${verb}: ${error.message}` })
    return undefined
  }
}
