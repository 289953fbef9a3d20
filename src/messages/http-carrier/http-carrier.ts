/**
 * A carrier behind an HTTP provider or an adapter to one. Each attempt carries the message's sid, by which the
 * provider detects repetitions.
 */

import type { Outbound } from '../../platform/http/outbound.js'
import { createJsonClient, type JsonAnswer } from '../../platform/http/provider-client.js'
import type { MessageCarrier, Submission, SubmitOutcome } from '../carrier.js'
import type { MediaStore } from '../media/media-store.js'

export interface HttpProvider {
  readonly url: string
  /** Sent as Bearer. */
  readonly token: string | undefined
  /** `taken` when the provider accepts messages to short codes. */
  readonly shortCodes: 'taken' | 'refused'
}

export interface HttpCarrierDeps {
  readonly outbound: Pick<Outbound, 'request'>
  readonly provider: HttpProvider
  readonly mediaStore: Pick<MediaStore, 'link'>
  readonly timeoutMs?: number
}

/** Name of the carrier, stored with its message ids. */
export const HTTP_CARRIER = 'http'
/** Time for which a provider can fetch the media of a message, seconds. */
const MEDIA_SECONDS = 86_400
const UNKNOWN_FAILURE = 30008
/** Documented error numbers that a provider may refuse with. */
const REASONS = [12300, 21610, 30003, 30005, 30007, 30008, 30011, 30019]
/** Statuses that refuse the message itself; any other failure is retried. */
const REFUSALS = [400, 402, 406, 409, 410, 413, 415, 422]
const ID = /^[^\p{Cc}]{1,200}$/u

export function createHttpCarrier(deps: HttpCarrierDeps): MessageCarrier {
  const client = createJsonClient(deps.outbound, deps.provider, {
    timeoutMs: deps.timeoutMs,
  })
  return {
    name: HTTP_CARRIER,
    takesMedia: true,
    takesShortCodes: deps.provider.shortCodes === 'taken',
    submit: async (message) =>
      outcomeOf(await client.send('POST', '/messages', bodyOf(message, deps.mediaStore))),
  }
}

function bodyOf(
  { sid, from, to, encoding, segments, subject, media }: Submission,
  mediaStore: Pick<MediaStore, 'link'>,
): object {
  return {
    id: sid,
    from,
    to,
    text: segments.join(''),
    encoding,
    segments: segments.length,
    ...(subject === undefined ? {} : { subject }),
    media: media.map((each) => ({
      url: mediaStore.link(each, MEDIA_SECONDS),
      contentType: each.contentType,
      bytes: each.bytes,
    })),
  }
}

function outcomeOf({ status, body }: JsonAnswer): SubmitOutcome {
  if (status >= 200 && status < 300) {
    const id = memberOf(body, 'id')
    return typeof id === 'string' && ID.test(id)
      ? { type: 'accepted', ids: [id] }
      : { type: 'busy', reason: `the provider answered ${String(status)} without an id` }
  }
  if (!REFUSALS.includes(status))
    return { type: 'busy', reason: `the provider answered ${String(status)}` }
  const reason = memberOf(body, 'errorCode')
  const isKnown = typeof reason === 'number' && REASONS.includes(reason)
  return { type: 'refused', errorCode: isKnown ? reason : UNKNOWN_FAILURE }
}

function memberOf(body: unknown, name: string): unknown {
  return typeof body === 'object' && body !== null ? Reflect.get(body, name) : undefined
}
