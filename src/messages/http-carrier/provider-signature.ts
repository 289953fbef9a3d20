/**
 * The provider's signature: HMAC-SHA-256 in hex over lines joined by line feeds. The first line is the time;
 * texts that may contain line feeds are hashed. Pure.
 */
import { createHash, createHmac } from 'node:crypto'
import { isSameSecret } from '../../platform/secrets.js'

/** Header with time and signature: `t=1795338000,v1=…`. */
export const PROVIDER_SIGNATURE_HEADER = 'x-message-signature'

/** Maximum age of a signature, seconds; an older request may be a replay. */
const MAX_AGE_SECONDS = 300
const SIGNATURE = /^t=(\d{1,12}),v1=([0-9a-f]{64})$/

export interface ProviderReceipt {
  readonly id: string
  readonly status: string
}

export interface ProviderMessage {
  readonly id: string
  readonly from: string
  readonly to: string
  readonly text: string
  readonly subject: string
  /** The URLs of the media. */
  readonly media: readonly string[]
}

export function receiptLines({ id, status }: ProviderReceipt): readonly string[] {
  return [id, status]
}

export function messageLines(message: ProviderMessage): readonly string[] {
  const { id, from, to, text, subject, media } = message
  return [id, from, to, sha256(text), sha256(subject), ...media]
}

/** Returns the header's value for a time in epoch seconds. */
export function signatureOf(lines: readonly string[], time: number, secret: string): string {
  const signed = [String(time), ...lines].join('\n')
  return `t=${time},v1=${createHmac('sha256', secret).update(signed).digest('hex')}`
}

/** True when the lines have a valid and recent signature. */
export function isSigned(
  lines: readonly string[],
  header: string | undefined,
  secret: string,
  nowMs: number,
): boolean {
  const [whole, time = ''] = SIGNATURE.exec(header ?? '') ?? []
  if (whole === undefined) return false
  const isFresh = Math.abs(nowMs / 1_000 - Number(time)) <= MAX_AGE_SECONDS
  return isSameSecret(whole, signatureOf(lines, Number(time), secret)) && isFresh
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
