import { z } from '@hono/zod-openapi'
import { callbackUrl, type FieldErrors, httpMethod, optionalText } from './form.js'

const MAX_NAME = 256

export const startStreamForm = z
  .object({
    // Its scheme has a number of its own: what remains is checked where streams begin.
    Url: z.preprocess(
      (value): unknown => (Array.isArray(value) ? value.at(-1) : value),
      z.string().min(1).max(2_048),
    ),
    /** Accepted, kept, and without effect. */
    Track: optionalText(),
    Name: optionalText(undefined, undefined, MAX_NAME),
    StatusCallback: callbackUrl(),
    StatusCallbackMethod: httpMethod(),
  })
  .openapi('StartStream')

export const stopStreamForm = z.object({ Status: z.literal('stopped') }).openapi('StopStream')

export const STREAM_FIELD_ERRORS: FieldErrors = {
  Url: { invalid: 31923, missing: 21205 },
  StatusCallback: { invalid: 21609 },
  StatusCallbackMethod: { invalid: 21209 },
}

export const streamResource = z
  .object({
    sid: z.string(),
    account_sid: z.string(),
    call_sid: z.string(),
    name: z.string().nullable(),
    status: z.enum(['in-progress', 'stopped']),
    date_created: z.string(),
    date_updated: z.string(),
    uri: z.string(),
  })
  .openapi('Stream')

export const streamList = z
  .object({
    streams: z.array(streamResource),
    page: z.number(),
    page_size: z.number(),
    num_pages: z.number(),
    total: z.number(),
    first_page_uri: z.string(),
    next_page_uri: z.string().nullable(),
    previous_page_uri: z.string().nullable(),
    uri: z.string(),
  })
  .openapi('StreamList')
