import { z } from '@hono/zod-openapi'
import { type FieldErrors, httpMethod, integer, optionalText } from './form.js'

export const QUEUES = '/2010-04-01/Accounts/{AccountSid}/Queues'

const MAX_NAME = 64
const MAX_SIZE = 5_000
/** Callers come by this name, in markup: as it is there, without space around it. */
const NAME = /^(?=\S)[^\0\r\n\t]*(?<=\S)$/u

const friendlyName = () => optionalText(NAME, 'must be one line without space around it', MAX_NAME)
const maxSize = () => integer(1, MAX_SIZE)

/** POST /Queues */
export const createQueueForm = z
  .object({ FriendlyName: friendlyName(), MaxSize: maxSize() })
  .openapi('CreateQueue', { required: ['FriendlyName'] })

/** POST /Queues/{Sid} */
export const updateQueueForm = z
  .object({ FriendlyName: friendlyName(), MaxSize: maxSize() })
  .openapi('UpdateQueue')

/** POST /Queues/{QueueSid}/Members/{CallSid} */
export const dequeueForm = z
  .object({
    Url: z.preprocess(
      (value): unknown => (Array.isArray(value) ? value.at(-1) : value),
      z
        .string()
        .max(4_000)
        .refine((url) => URL.canParse(url) && /^https?:$/.test(new URL(url).protocol), {
          message: 'must be an absolute http or https URL',
        }),
    ),
    Method: httpMethod(),
  })
  .openapi('DequeueMember')

export const QUEUE_FIELD_ERRORS: FieldErrors = {
  FriendlyName: { invalid: 20002 },
  Url: { invalid: 21205 },
  Method: { invalid: 21209 },
}

export const queueResource = z
  .object({
    sid: z.string(),
    account_sid: z.string(),
    friendly_name: z.string(),
    current_size: z.number().int(),
    max_size: z.number().int(),
    average_wait_time: z.number().int().openapi({ description: 'Seconds, of those who wait now' }),
    date_created: z.string(),
    date_updated: z.string(),
    uri: z.string(),
    subresource_uris: z.record(z.string(), z.string()),
  })
  .openapi('Queue')

export const memberResource = z
  .object({
    call_sid: z.string(),
    queue_sid: z.string(),
    date_enqueued: z.string(),
    position: z.number().int(),
    wait_time: z.number().int().openapi({ description: 'Seconds' }),
    uri: z.string(),
  })
  .openapi('QueueMember')
