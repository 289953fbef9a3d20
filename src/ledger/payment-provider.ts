/** Payment providers: the format and authentication of payment notifications. */
import { createHmac } from 'node:crypto'
import { isSameSecret } from '../platform/secrets.js'
import type { PaymentStatus } from './payment-status.js'

/** A payment notification from a provider; `amount` is dollars as a decimal text. */
export interface PaymentNews {
  readonly accountSid: string
  readonly amount: string
  readonly transactionId: string
  readonly status: PaymentStatus
  readonly payerEmail: string
}

/** Interface of a payment provider. */
export interface PaymentProvider {
  /** True when the notification is from the provider and recent. `header` reads the request's headers. */
  isGenuine(news: PaymentNews, header: (name: string) => string | undefined, now: number): boolean
}

/** The header with the time and the signature: `t=1795338000,v1=…`. */
export const SIGNATURE_HEADER = 'x-payment-signature'

/** Maximum age of a signature, seconds; an older request may be a replay. */
const MAX_AGE_SECONDS = 300
const SIGNATURE = /^t=(\d{1,12}),v1=([0-9a-f]{64})$/

/**
 * A provider, or a bridge to one, that signs with a shared secret: hex HMAC-SHA-256 over the time and the
 * fields, one per line.
 */
export function createSignedProvider(secret: string): PaymentProvider {
  return {
    isGenuine: (news, header, now) => {
      const [, time, signature] = SIGNATURE.exec(header(SIGNATURE_HEADER) ?? '') ?? []
      if (time === undefined || signature === undefined) return false
      const isFresh = Math.abs(now / 1_000 - Number(time)) <= MAX_AGE_SECONDS
      return isSameSecret(signature, signatureOf(news, time, secret)) && isFresh
    },
  }
}

/** The signature of a notification at a time in seconds since the epoch. */
export function signatureOf(news: PaymentNews, time: string, secret: string): string {
  const { accountSid, amount, transactionId, status, payerEmail } = news
  const signed = [time, accountSid, amount, transactionId, status, payerEmail].join('\n')
  return createHmac('sha256', secret).update(signed).digest('hex')
}
