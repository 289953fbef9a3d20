import type { WebhookMethod } from '../../platform/http/http-method.js'
import type { ErrorNumber } from '../errors/error-catalogue.js'

/** Documents of markup: how one is asked for, what comes, and how a chain of them ends. */

export interface DocumentRequest {
  readonly url: string
  readonly method: WebhookMethod
  /** On top of the standard parameters of the call: `Digits`, `ErrorCode`, … in wire names. */
  readonly params: Readonly<Record<string, string>>
  /**
   * `owed`: a caller that goes meanwhile does not take it back, for what it tells is worth knowing all
   * the same. The answer is not run then.
   */
  readonly delivery?: 'owed'
}

export interface FetchedDocument {
  /** After redirects: relative URLs of the document resolve against it. */
  readonly url: string
  readonly contentType: string
  readonly text: string
}

/** How a document's first text came: by URL, or given inline (then relative URLs are errors, 15004). */
export type DocumentSource =
  | {
      readonly type: 'url'
      readonly request: DocumentRequest
      readonly fallback?: { readonly url: string; readonly method: WebhookMethod }
    }
  | {
      readonly type: 'inline'
      readonly text: string
      readonly fallback?: { readonly url: string; readonly method: WebhookMethod }
    }

/** Why the document chain ended. The actor hangs up after each of them but `rejected`. */
export type MarkupEnd =
  | { readonly type: 'finished' }
  | { readonly type: 'hangup' }
  /** Of what is heard in a queue: the caller goes on after the Enqueue. */
  | { readonly type: 'left-queue' }
  | { readonly type: 'rejected'; readonly reason: 'rejected' | 'busy' }
  /** The application could not be fetched or understood and had no (working) fallback. */
  | { readonly type: 'application-error'; readonly code: ErrorNumber; readonly message: string }

/** Why a chain was aborted: another document runs on the call now, which goes on. */
export class DocumentReplacedError extends Error {
  override readonly name = 'DocumentReplacedError'
}
