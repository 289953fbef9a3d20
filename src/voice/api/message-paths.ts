import { z } from '@hono/zod-openapi'

export const MESSAGES = '/Accounts/{AccountSid}/Messages'

/** The sid of a message: a text, or one with media. */
export const messageSid = z
  .string()
  .regex(/^(SM|MM)[0-9a-f]{32}$/)
  .openapi({ description: 'The sid of the message: SM or MM and 32 hex digits.' })
