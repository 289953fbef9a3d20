import { z } from '@hono/zod-openapi'
import { type Operation, operationsOf } from '../platform/api/operation.js'
import { isRange } from '../platform/cidr.js'
import { isWebUrl } from '../platform/http/web-url.js'
import { ONE_LINE } from '../platform/text.js'

export type AdminOperation = Operation<unknown>

/** Declares an operation of the private listener; its only caller is the operator. */
export const operation = operationsOf<unknown>()

export const url = z.url({ protocol: /^https?$/ }).refine(isWebUrl, 'nothing listens at port 0')

/** A text in one line, since it goes into mails and onto terminals. */
export const oneLine = (max: number) =>
  z.string().min(1).max(max).regex(ONE_LINE, 'one line of text is expected')

export const cidr = z.string().refine(isRange, 'an address or CIDR')
