import type { ErrorNumber } from '../../errors/error-catalogue.js'

export interface Warning {
  readonly code: ErrorNumber
  readonly message: string
}

/** Records that a part of the document was ignored or replaced by a default. */
export type Warn = (code: ErrorNumber, message: string) => void

/** Maximum number of warnings of one document, so that mistakes do not flood the call's event log. */
const MAX_WARNINGS = 50
const MAX_MESSAGE = 300

export function collectWarnings(): { readonly warn: Warn; readonly warnings: readonly Warning[] } {
  const warnings: Warning[] = []
  const warn = (code: ErrorNumber, message: string): void => {
    if (warnings.length < MAX_WARNINGS)
      warnings.push({ code, message: message.slice(0, MAX_MESSAGE) })
  }
  return { warn, warnings }
}
