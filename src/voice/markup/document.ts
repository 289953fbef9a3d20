import type { WebhookMethod } from '../../platform/http/http-method.js'
import type { ErrorNumber } from '../errors/error-catalogue.js'

/** Documents of markup: the request, the answer, and the end of a chain of documents. */

export interface DocumentRequest {
  readonly url: string
  readonly method: WebhookMethod
  /** Parameters beside the standard ones of the call: `Digits`, `ErrorCode`, … in wire names. */
  readonly params: Readonly<Record<string, string>>
  /**
   * `owed`: the request is sent to its end even when the caller hangs up meanwhile. Its answer is
   * then not run.
   */
  readonly delivery?: 'owed'
}

export interface FetchedDocument {
  /** The URL after redirects. Relative URLs of the document resolve against it. */
  readonly url: string
  readonly contentType: string
  readonly text: string
}

/**
 * The first document of a chain: a URL, or inline text, in which relative URLs are errors (15004).
 */
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

/** The end of a chain of documents. The call's actor hangs up after each but `rejected` and `refused`. */
export type MarkupEnd =
  | { readonly type: 'finished' }
  | { readonly type: 'hangup' }
  /** A waiting document left the queue: the caller goes on after the Enqueue. */
  | { readonly type: 'left-queue' }
  | { readonly type: 'rejected'; readonly reason: 'rejected' | 'busy' }
  /** The party of a call without markup was not reached: the final response to the caller. */
  | { readonly type: 'refused'; readonly status: number; readonly reason: string }
  /** The application could not be fetched or understood and had no (working) fallback. */
  | { readonly type: 'application-error'; readonly code: ErrorNumber; readonly message: string }

/** Aborts a chain because another document runs on the call, which goes on. */
export class DocumentReplacedError extends Error {
  override readonly name = 'DocumentReplacedError'
}
