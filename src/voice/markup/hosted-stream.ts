/** The media stream that a document starts on its call. */

import { DomainError } from '../../platform/errors.js'
import type { WebhookMethod } from '../../platform/http/http-method.js'
import type { ErrorNumber } from '../errors/error-catalogue.js'
import type { StreamTrack } from './parse/stream.js'

export interface StreamRequest {
  /** The URL, with `ws:` or `wss:`. */
  readonly url: string
  readonly name: string | undefined
  readonly track: StreamTrack
  /** `two-way`: the server's audio is played to the caller, and the server receives the caller's digits. */
  readonly kind: 'one-way' | 'two-way'
  /** The status callback. Its URL is absolute. */
  readonly statusCallback: { readonly url: string; readonly method: WebhookMethod } | undefined
  readonly parameters: Readonly<Record<string, string>>
}

export interface HostedStream {
  readonly sid: string
  /** Resolves when the stream has ended completely. */
  readonly ended: Promise<void>
  stop(): void
}

/** A stream cannot start: 31922: wrong scheme; 31923: wrong URL; 31960: the call already has a stream. */
export class StreamStartError extends DomainError {
  override readonly name = 'StreamStartError'
  readonly code = 'stream-start'
  readonly number: ErrorNumber
  constructor(number: ErrorNumber, message: string, options?: ErrorOptions) {
    super(message, options)
    this.number = number
  }
}
