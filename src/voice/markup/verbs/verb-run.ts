import type { Sleep } from '../../../platform/async/sleep.js'
import { DomainError } from '../../../platform/errors.js'
import type { ErrorNumber } from '../../errors/error-catalogue.js'
import type { Audience } from '../conference-entry.js'
import type { DocumentRequest, DocumentSource, MarkupEnd } from '../document.js'
import type { MarkupHost } from '../host.js'

/** What a verb runs with: its call, its document, and the signal that ends both. */
export interface VerbContext {
  readonly host: MarkupHost
  /** Aborts when the call ended or another document took over; every wait of a verb obeys it. */
  readonly signal: AbortSignal
  /** Undefined for a document given inline: it has no place that URLs could be relative to. */
  readonly documentUrl: string | undefined
  readonly sleep: Sleep
  /** Runs what somebody hears while it waits. */
  readonly runInside: (
    source: DocumentSource,
    inside: Inside,
    signal: AbortSignal,
  ) => Promise<MarkupEnd>
  /** Said by a verb that took the caller's time, so that documents which only redirect are noticed. */
  readonly onProgress: () => void
}

/** What markup may do that is heard in the middle of a verb, and what its requests say besides. */
export interface Inside {
  readonly purpose: Extract<MarkupHost['purpose'], 'waiting' | 'queued'>
  /** In wire names; asked for at each request. */
  readonly params: () => Readonly<Record<string, string>>
  /** Undefined: the caller alone hears it. */
  readonly audience?: Audience
}

/** What comes after a verb. A verb that cannot go on throws a DocumentError instead. */
export type VerbOutcome =
  | { readonly type: 'continue' }
  | { readonly type: 'fetch'; readonly request: DocumentRequest }
  | { readonly type: 'end'; readonly end: MarkupEnd }

export const CONTINUE: VerbOutcome = { type: 'continue' }

/** The document cannot be carried out further; `number` is the documented reason. */
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
