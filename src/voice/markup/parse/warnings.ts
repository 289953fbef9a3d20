import type { ErrorNumber } from '../../errors/error-catalogue.js'

export interface Warning {
  readonly code: ErrorNumber
  readonly message: string
}

/** Notes a part of the document that was ignored or replaced by a default. The document goes on. */
export type Warn = (code: ErrorNumber, message: string) => void

/** The most warnings of one document: many mistakes must not flood the call's event log. */
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
