import type { DocumentRequest, FetchedDocument } from '../markup/document.js'
import type { InternalDocumentName } from '../model/call-plan.js'
import type { CallRecord } from '../model/call-record.js'

/**
 * The base of the URLs of an internal document (RFC 2606: no such host exists). Its relative actions
 * come to the document's function, and never to a web server.
 */
export const INTERNAL_URL = 'http://internal.invalid/'

/** A document of the server's own. It answers the first request, and each of its own actions. */
export type InternalDocument = (
  call: CallRecord,
  request: DocumentRequest,
) => Promise<FetchedDocument>

export type InternalDocuments = Readonly<Record<InternalDocumentName, InternalDocument>>
