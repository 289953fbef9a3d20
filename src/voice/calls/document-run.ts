/** The interface between a call's actor and the host that runs documents on it. */
import type { CookieJar } from '../../platform/webhooks/cookie-jar.js'
import type { MarkupEnd } from '../markup/document.js'
import type { MarkupHost } from '../markup/host.js'
import type { CallDocument } from '../model/call-plan.js'
import type { CallRecord } from '../model/call-record.js'
import type { Recordings } from '../recordings/recordings.js'
import type { Leg } from '../telephony/port.js'

export interface DocumentStart {
  readonly call: () => CallRecord
  readonly leg: Leg
  readonly document: CallDocument
  readonly onEnd: (end: MarkupEnd) => void
}

/** A chain of documents on one leg, until its last document ends or it is stopped. */
export interface DocumentRun {
  /** Stops at once, for a call that ends; nothing more is reported. */
  abort(): void
  /** Stops before another document starts. Resolves when the leg is silent, or after the limit. */
  stop(limitMs: number): Promise<void>
}

/** The services that all documents of one call share. */
export interface DocumentSurroundings {
  /** The application's cookies, sent with every request of the call. */
  readonly cookieJar: CookieJar
  readonly placeCall: MarkupHost['placeCall']
  readonly judgeReferral: MarkupHost['judgeReferral']
  readonly callApplication: MarkupHost['callApplication']
  readonly callAddressTest: MarkupHost['callAddressTest']
  readonly tell: MarkupHost['tell']
  readonly letTalk: MarkupHost['letTalk']
  readonly recordings: Recordings
  /** Set for a child call: resolves when its leg no longer plays early media to the parent. */
  readonly whenFree?: () => Promise<void>
  /** Set for a child call: connects its leg with its parent's; resolves when they are disconnected. */
  readonly connect?: (leg: Leg, signal: AbortSignal) => Promise<void>
}

/** Starts a document on an answered or ringing leg. */
export type RunDocument = (start: DocumentStart, surroundings: DocumentSurroundings) => DocumentRun
