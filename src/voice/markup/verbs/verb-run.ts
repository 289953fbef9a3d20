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

/** The context of a running verb: its call, its document, and the signal that ends both. */
export interface VerbContext {
  readonly host: MarkupHost
  /**
   * Aborts when the call has ended or another document replaced this one. Every wait of a verb must use it.
   */
  readonly signal: AbortSignal
  /** The base of relative URLs; undefined for an inline document. */
  readonly documentUrl: string | undefined
  readonly sleep: Sleep
  /** Runs nested markup in the middle of a verb. */
  readonly runInside: (
    source: DocumentSource,
    inside: Inside,
    signal: AbortSignal,
  ) => Promise<MarkupEnd>
  /**
   * Must be called when audio was played or received. Consecutive documents without it count towards the loop
   * limit.
   */
  readonly onProgress: () => void
}

/** The limits of nested markup, and the parameters of its requests. */
export interface Inside {
  readonly purpose: Extract<MarkupHost['purpose'], 'waiting' | 'queued'>
  /** Returns the parameters in wire names; called for each request. */
  readonly params: () => Readonly<Record<string, string>>
  /** Plays the markup's audio; undefined: only the caller hears it. */
  readonly audience?: Audience
}

/** The step after a verb. A verb that cannot continue throws a DocumentError instead. */
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
  /** The beginning of the document, for people; undefined for an inline document. */
  readonly answer: string | undefined
  constructor(
    number: ErrorNumber,
    message: string,
    options: ErrorOptions & { url?: string; answer?: string | undefined } = {},
  ) {
    super(message, options)
    this.number = number
    this.url = options.url
    this.answer = options.answer
  }
}

/** True once the call has ended or is about to end. False while it continues, even with another document. */
export function isCallerGone({ host, signal }: Pick<VerbContext, 'host' | 'signal'>): boolean {
  if (signal.aborted) return !(signal.reason instanceof DocumentReplacedError)
  return host.leg.state === 'ended'
}
