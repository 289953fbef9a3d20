import type { DocumentRequest, FetchedDocument } from '../markup/document.js'
import type { InternalDocumentName } from '../model/call-plan.js'
import type { CallRecord } from '../model/call-record.js'

/**
 * Base URL of built-in documents (RFC 2606: no such host exists). Their relative action URLs call
 * the document's function, never a web server.
 */
export const INTERNAL_URL = 'http://internal.invalid/'

/** A built-in document. It responds to the first request and to each of its own action URLs. */
export type InternalDocument = (
  call: CallRecord,
  request: DocumentRequest,
) => Promise<FetchedDocument>

export type InternalDocuments = Readonly<Record<InternalDocumentName, InternalDocument>>
