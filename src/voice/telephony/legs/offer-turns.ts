import { randomInt } from 'node:crypto'
import type { SrfResponse } from 'drachtio-srf'
import type { Logger } from '../../../platform/log.js'

/** The upper bound of Retry-After for an offer that crosses another one (RFC 3261 §14.2). */
const RETRY_WITHIN_SECONDS = 10

/** What a request with an offer is answered through. */
export interface OfferResponse extends Pick<SrfResponse, 'finalResponseSent'> {
  send(status: number, options?: { readonly headers: Readonly<Record<string, string>> }): void
}

/**
 * Makes the turns of a dialog's offers. An offer that comes while another one is being answered gets 500
 * with Retry-After, and so does one whose `answer` fails, without Retry-After. Never rejects.
 */
export function offerTurns(
  log: Logger,
): (res: OfferResponse, answer: () => Promise<void>) => Promise<void> {
  let isAnswering = false
  return async (res, answer) => {
    if (isAnswering) {
      res.send(500, { headers: { 'Retry-After': String(randomInt(RETRY_WITHIN_SECONDS + 1)) } })
      return
    }
    isAnswering = true
    try {
      await answer()
    } catch (err) {
      log.warn({ err }, 'an offer of the peer could not be taken: it is answered 500')
      refuse(res, log)
    } finally {
      isAnswering = false
    }
  }
}

function refuse(res: OfferResponse, log: Logger): void {
  if (res.finalResponseSent) return
  try {
    res.send(500)
  } catch (err) {
    log.warn({ err }, 'the 500 to an offer of the peer was not sent')
  }
}
