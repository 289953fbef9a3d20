/** Payment providers: how the news of a payment is read and trusted. */
import { createHmac } from 'node:crypto'
import { isSameSecret } from '../platform/secrets.js'
import type { PaymentStatus } from './payment-status.js'

/** The news of a payment, as a provider sends it; `amount` is a decimal text of dollars. */
export interface PaymentNews {
  readonly accountSid: string
  readonly amount: string
  readonly transactionId: string
  readonly status: PaymentStatus
  readonly payerEmail: string
}

/** One payment provider. Another one is another implementation of this. */
export interface PaymentProvider {
  /** True when the provider has sent this news, and has sent it now. `header` reads the request's. */
  isGenuine(news: PaymentNews, header: (name: string) => string | undefined, now: number): boolean
}

/** The header with the time and the signature: `t=1795338000,v1=…`. */
export const SIGNATURE_HEADER = 'x-payment-signature'

/** Maximum age of a signature, seconds; an older request may be a replay. */
const MAX_AGE_SECONDS = 300
const SIGNATURE = /^t=(\d{1,12}),v1=([0-9a-f]{64})$/

/**
 * Any provider, or a bridge to one, that signs with a shared secret: HMAC-SHA-256 in hex over the time
 * and the fields, a line each.
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

/** The signature of news at a time in seconds of the epoch. */
export function signatureOf(news: PaymentNews, time: string, secret: string): string {
  const { accountSid, amount, transactionId, status, payerEmail } = news
  const signed = [time, accountSid, amount, transactionId, status, payerEmail].join('\n')
  return createHmac('sha256', secret).update(signed).digest('hex')
}
