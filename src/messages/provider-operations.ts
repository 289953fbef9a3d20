/** Reports of an HTTP message provider on the public listener: receipts and inbound messages. */
import { z } from '@hono/zod-openapi'
import { E164 } from '../destinations/phone-number.js'
import { isShortCode } from '../destinations/short-code.js'
import type { Api } from '../platform/api/api.js'
import { openGate } from '../platform/api/api.js'
import type { Dialect } from '../platform/api/dialect.js'
import { operationsOf } from '../platform/api/operation.js'
import { plainAnswer, plainDialect } from '../platform/api/plain-dialect.js'
import type { Clock } from '../platform/clock.js'
import { DomainError } from '../platform/errors.js'
import type { Logger } from '../platform/log.js'
import type { CarrierListener } from './carrier.js'
import { HTTP_CARRIER } from './http-carrier/http-carrier.js'
import {
  isSigned,
  messageLines,
  PROVIDER_SIGNATURE_HEADER,
  receiptLines,
} from './http-carrier/provider-signature.js'
import { MAX_MEDIA, MAX_MEDIA_URL } from './message-media.js'
import { isSenderName } from './rules/sender-name.js'

/** Path prefix for the reports of an HTTP message provider. */
export const MESSAGE_PROVIDER_PATH = '/message-provider'

export interface ProviderApiDeps {
  readonly listener: CarrierListener
  readonly secret: string
  readonly clock: Pick<Clock, 'now'>
  readonly log: Logger
}

class NotGenuineError extends DomainError {
  override readonly name = 'NotGenuineError'
  readonly code = 'message-provider-not-genuine'
}

const dialect: Dialect = {
  ...plainDialect,
  explain: (error) =>
    error instanceof NotGenuineError ? plainAnswer(401, 'the signature is not valid') : undefined,
}

const line = (max: number, description: string) =>
  z
    .string()
    .min(1)
    .max(max)
    .regex(/^[^\p{Cc}]*$/u)
    .openapi({ description })
const e164 = (description: string) =>
  z.string().regex(E164, 'a number in E.164 is expected').openapi({ description })

const sender = z
  .string()
  .refine(
    (text) => E164.test(text) || isShortCode(text) || isSenderName(text),
    'a number in E.164, a short code or a name is expected',
  )
  .openapi({ description: 'The number, short code or name that it comes from.' })

const receipt = z
  .strictObject({
    id: line(200, 'The id that the provider gave to the message when it took it.'),
    status: line(40, 'The word of the receipt: DELIVRD, UNDELIV, EXPIRED, REJECTD, …'),
  })
  .openapi('ProviderReceipt')

const message = z
  .strictObject({
    id: line(200, 'The name of the message; each is stored once.'),
    from: sender,
    to: e164('The number that it goes to.'),
    text: z
      .string()
      .max(20_000)
      .regex(/^[^\0]*$/u, 'a text without NUL is expected')
      .default('')
      .openapi({ description: 'The text.' }),
    subject: line(256, 'The subject of a message with media.').or(z.literal('')).default(''),
    media: z
      .array(z.url({ protocol: /^https?$/ }).max(MAX_MEDIA_URL))
      .max(MAX_MEDIA)
      .default([])
      .openapi({ description: 'The URLs of its media.' }),
  })
  .openapi('ProviderMessage')

export function messageProviderApi({
  listener,
  secret,
  clock,
  log,
}: ProviderApiDeps): Api<unknown> {
  const check = (lines: readonly string[], header: string | undefined) => {
    if (!isSigned(lines, header, secret, clock.now()))
      throw new NotGenuineError('a request of the message provider with a wrong signature')
  }
  const operation = operationsOf<unknown>()
  const common = { method: 'post', isOpen: true, idempotency: 'none', errors: [400, 401] } as const
  return {
    base: MESSAGE_PROVIDER_PATH,
    tag: 'Message provider',
    dialect,
    gate: openGate,
    operations: [
      operation({
        ...common,
        id: 'receiveProviderReceipt',
        summary: 'Take a delivery receipt from the message provider',
        description: 'Signed in X-Message-Signature. The same receipt twice changes nothing.',
        path: '/receipts',
        body: receipt,
        run: async ({ body, http }) => {
          check(receiptLines(body), http.header(PROVIDER_SIGNATURE_HEADER))
          await listener.receive({ carrier: HTTP_CARRIER, id: body.id, state: body.status })
        },
      }),
      operation({
        ...common,
        id: 'receiveProviderMessage',
        summary: 'Take a message from the message provider',
        description: 'Signed in X-Message-Signature. The same message twice is stored once.',
        path: '/messages',
        body: message,
        run: async ({ body, http }) => {
          check(messageLines(body), http.header(PROVIDER_SIGNATURE_HEADER))
          const { id, from, to, text, subject, media } = body
          await listener.take({
            carrier: HTTP_CARRIER,
            id,
            from,
            to,
            body: text,
            subject: subject === '' ? undefined : subject,
            media: media.map((url) => ({ type: 'url' as const, url })),
          })
        },
      }),
    ],
    params: {},
    errors: [503],
    hidesPaths: false,
    log,
  }
}
