import type { WebhookMethod } from '../../platform/http/http-method.js'
import type { ErrorNumber } from '../errors/error-catalogue.js'

/** Markup documents: the request, the answer, and the end of a chain of documents. */

export interface DocumentRequest {
  readonly url: string
  readonly method: WebhookMethod
  /** Parameters besides the call's standard ones: `Digits`, `ErrorCode`, … in wire names. */
  readonly params: Readonly<Record<string, string>>
  /** `owed`: the request is completed even when the caller hangs up meanwhile. Its answer is then not run. */
  readonly delivery?: 'owed'
}

export interface FetchedDocument {
  /** The URL after redirects. Relative URLs of the document resolve against it. */
  readonly url: string
  readonly contentType: string
  readonly text: string
}

/** The first document of a chain: a URL, or inline text, in which relative URLs are errors (15004). */
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

/** The end of a chain of documents. The call's actor hangs up after each except `rejected` and `refused`. */
export type MarkupEnd =
  | { readonly type: 'finished' }
  | { readonly type: 'hangup' }
  /** A waiting document left the queue: the caller continues after the Enqueue. */
  | { readonly type: 'left-queue' }
  | { readonly type: 'rejected'; readonly reason: 'rejected' | 'busy' }
  /** The party of a call without markup was not reached; this is the final response to the caller. */
  | { readonly type: 'refused'; readonly status: number; readonly reason: string }
  /** A document could not be fetched or parsed, and there was no (working) fallback. */
  | { readonly type: 'application-error'; readonly code: ErrorNumber; readonly message: string }

/** Aborts a chain because another document runs on the call, which continues. */
export class DocumentReplacedError extends Error {
  override readonly name = 'DocumentReplacedError'
}
