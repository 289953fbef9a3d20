import type { Outbound } from '../../../platform/http/outbound.js'
import { OutboundError, type OutboundErrorKind } from '../../../platform/http/outbound-error.js'
import { refuse } from '../../model/registry-error.js'

const TIMEOUT_MS = 10_000

const CODES: Partial<Readonly<Record<OutboundErrorKind, number>>> = {
  'bad-url': 573,
  'blocked-address': 573,
  'connect-timeout': 574,
  'response-timeout': 574,
  'total-timeout': 574,
  'too-large': 544,
}

/**
 * Fetches the image at a public https URL. RegistryError 544, 573, 574, 575 (redirect), or 566 for
 * any other failure.
 */
export async function fetchAsset(
  outbound: Outbound,
  url: string,
  maxBytes: number,
  signal: AbortSignal,
): Promise<Buffer> {
  try {
    const { status, body } = await outbound.request(
      {
        method: 'GET',
        url,
        allowedSchemes: ['https:'],
        maxRedirects: 0,
        totalTimeoutMs: TIMEOUT_MS,
        responseTimeoutMs: TIMEOUT_MS,
        maxBodyBytes: maxBytes,
      },
      signal,
    )
    if (status >= 300 && status < 400) throw refuse(575, ['assetUrl'], 'the URL redirects')
    if (status !== 200) throw refuse(566, ['assetUrl'], `the URL answers ${status}`)
    return body
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error
    throw refuse(CODES[error.kind] ?? 566, ['assetUrl'], error.message)
  }
}
