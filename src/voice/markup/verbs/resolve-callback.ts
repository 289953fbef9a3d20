import type { MarkupHost } from '../host.js'
import type { Callback } from '../parse/callbacks.js'
import { resolveUrl } from './resolve-url.js'
import { DocumentError } from './verb-run.js'

/** Makes the callback's URL absolute. A wrong URL is a warning: the verb runs without the callback. */
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
