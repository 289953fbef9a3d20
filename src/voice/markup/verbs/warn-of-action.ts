import { resolveUrl } from './resolve-url.js'
import { DocumentError, type VerbContext } from './verb-run.js'

/**
 * Warns early about an action that cannot be requested. Without an action the document itself is requested
 * again, but an inline document has no URL (15004).
 */
export function warnOfAction(
  verb: 'Gather' | 'Record',
  action: string | undefined,
  { host, documentUrl }: VerbContext,
): void {
  try {
    resolveUrl(action, documentUrl)
  } catch (error) {
    if (!(error instanceof DocumentError)) throw error
    const why =
      (action?.trim() ?? '') === ''
        ? 'it has no action, and an inline document has no URL to ask instead'
        : `action: ${error.message}`
    const message = `${verb}: ${why}; the call ends with this error when there is a result`
    host.log({ type: 'warning', code: error.number, message })
  }
}
