import { DocumentReplacedError } from '../document.js'
import type { VerbContext } from './verb-run.js'

/**
 * True once the call is over or about to end. False while it goes on, also with another document.
 */
export function isCallerGone({ host, signal }: Pick<VerbContext, 'host' | 'signal'>): boolean {
  if (signal.aborted) return !(signal.reason instanceof DocumentReplacedError)
  return host.leg.state === 'ended'
}
