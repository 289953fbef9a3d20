import type { Sleep } from '../../../platform/async/sleep.js'
import { DomainError } from '../../../platform/errors.js'
import type { ErrorNumber } from '../../errors/error-catalogue.js'
import type { Audience } from '../conference-entry.js'
import {
  DocumentReplacedError,
  type DocumentRequest,
  type DocumentSource,
  type MarkupEnd,
} from '../document.js'
import type { MarkupHost } from '../host.js'

/** The surroundings of a running verb: its call, its document, and the signal that ends both. */
export interface VerbContext {
  readonly host: MarkupHost
  /** Aborts when the call ended or another document took over. Every wait of a verb obeys it. */
  readonly signal: AbortSignal
  /** The base of relative URLs; undefined for an inline document. */
  readonly documentUrl: string | undefined
  readonly sleep: Sleep
  /** Runs markup that is heard in the middle of a verb. */
  readonly runInside: (
    source: DocumentSource,
    inside: Inside,
    signal: AbortSignal,
  ) => Promise<MarkupEnd>
  /**
   * Called by a verb when the caller has heard something, or was heard. Documents that lead on at once
   * without it count towards the loop limit.
   */
  readonly onProgress: () => void
}

/**
 * The limits of markup that is heard in the middle of a verb, and the parameters of its requests.
 */
export interface Inside {
  readonly purpose: Extract<MarkupHost['purpose'], 'waiting' | 'queued'>
  /** The parameters in wire names, read anew for each request. */
  readonly params: () => Readonly<Record<string, string>>
  /** The listeners; undefined when the caller alone hears the markup. */
  readonly audience?: Audience
}

/** The step after a verb. A verb that cannot go on throws a DocumentError instead. */
export type VerbOutcome =
  | { readonly type: 'continue' }
  | { readonly type: 'fetch'; readonly request: DocumentRequest }
  | { readonly type: 'end'; readonly end: MarkupEnd }

export const CONTINUE: VerbOutcome = { type: 'continue' }

/** The document cannot be run further. `number` is the documented reason. */
export class DocumentError extends DomainError {
  override readonly name = 'DocumentError'
  readonly code = 'document-error'
  readonly number: ErrorNumber
  readonly url: string | undefined
  constructor(number: ErrorNumber, message: string, options: ErrorOptions & { url?: string } = {}) {
    super(message, options)
    this.number = number
    this.url = options.url
  }
}

/**
 * True once the call is over or about to end. False while it goes on, also with another document.
 */
export function isCallerGone({ host, signal }: Pick<VerbContext, 'host' | 'signal'>): boolean {
  if (signal.aborted) return !(signal.reason instanceof DocumentReplacedError)
  return host.leg.state === 'ended'
}
