import type { ErrorNumber } from '../../errors/error-catalogue.js'
import { resolveUrl } from './resolve-url.js'
import { DocumentError, type VerbContext } from './verb-run.js'

/**
 * Makes a waitUrl absolute; an empty one stays empty. A wrong one is a warning, with `code` when that is
 * given, and undefined: the caller hears the usual music.
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
