/** The schemas of ports on the private listener. */
import { z } from '@hono/zod-openapi'
import type { Port } from '../porting/port.js'
import type { PortOut } from '../porting/port-outs.js'
import type { PortDetail } from '../porting/ports.js'
import { REJECTION_CODES } from '../porting/rejections.js'

export const STATES = [
  'submitted',
  'validating',
  'pending',
  'foc',
  'exception',
  'complete',
  'cancelled',
] as const

const text = (description: string) => z.string().openapi({ description })
const time = (description: string) => z.iso.datetime().openapi({ description })
const isoTime = (at: number): string => new Date(at).toISOString()
const date = z
  .string()
  .regex(/^\d{4}-\d{2}-\d{2}$/, 'a date YYYY-MM-DD')
  .openapi({ description: 'The date, YYYY-MM-DD.' })

export const portParams = {
  pid: text('The pid of the port: five letters and digits.'),
}

export const portFilter = z.object({
  state: z.enum(STATES).optional().openapi({ description: 'Lists the ports in this state.' }),
  accountSid: text('Lists the ports of this account.').optional(),
  kind: z
    .enum(['local', 'toll-free'])
    .optional()
    .openapi({ description: 'Lists the ports of this kind.' }),
  isSigned: z
    .enum(['true', 'false'])
    .optional()
    .openapi({ description: 'Whether the letter of authorisation has come.' }),
  number: z
    .string()
    .regex(/^\+[1-9][0-9]{6,14}$/, 'a number in E.164')
    .optional()
    .openapi({ description: 'Lists the ports of this number, in E.164.' }),
})

const summary = {
  pid: text('Five letters and digits.'),
  sid: text('PO and 32 hex digits.'),
  accountSid: text('The account that gets the numbers.'),
  ticket: z.number().int().openapi({ description: 'The number of the support ticket.' }),
  kind: z.enum(['local', 'toll-free']).openapi({ description: 'The kind of the numbers.' }),
  state: z.enum(STATES).openapi({ description: 'Where the port is.' }),
  isSigned: z.boolean().openapi({ description: 'Whether the letter has come, or is not needed.' }),
  foc: z.string().nullable().openapi({ description: 'The committed date; null without one.' }),
  message: text('What happens now, as the customer sees it.'),
  losingCarrier: text('The carrier that the numbers leave.'),
  numbers: z.array(z.string()).openapi({ description: 'The numbers in E.164.' }),
  desiredDueDate: text('The wished date; empty: standard processing.'),
  createdAt: time('When it was submitted (ISO 8601).'),
  updatedAt: time('When it was changed last (ISO 8601).'),
}

export const portSummary = z.object(summary).openapi('PortSummary')

export const portResource = z
  .object({
    ...summary,
    subscriber: z
      .record(z.string(), z.string())
      .openapi({ description: 'The subscriber, by the names of the account API.' }),
    pin: z.string().nullable().openapi({ description: 'The PIN for the losing carrier.' }),
    features: z
      .record(z.string(), z.unknown())
      .openapi({ description: 'What is set on each number at the end, by number.' }),
    letters: z
      .array(
        z
          .object({
            id: text('The id of the file.'),
            fileName: text('The name of the file.'),
            mimeType: text('The type of the file.'),
            bytes: z.number().int().openapi({ description: 'The size of the file.' }),
            createdAt: time('When it came (ISO 8601).'),
          })
          .openapi('LetterOfPort'),
      )
      .openapi({ description: 'The letters of authorisation, the oldest first.' }),
    history: z
      .array(
        z
          .object({
            change: z.number().int().openapi({ description: 'The number of the change.' }),
            state: z.enum(STATES).openapi({ description: 'The state that it led to.' }),
            actor: text('customer, operator or carrier.'),
            message: text('What happened.'),
            foc: z.string().nullable().openapi({ description: 'The committed date.' }),
            at: time('When (ISO 8601).'),
          })
          .openapi('ChangeOfPort'),
      )
      .openapi({ description: 'Every change, the oldest first.' }),
  })
  .openapi('OperatedPort')

export const rejectionBody = z
  .strictObject({
    code: z
      .enum(REJECTION_CODES)
      .optional()
      .openapi({ description: 'One of the common reasons; each has its words.' }),
    reason: z
      .string()
      .trim()
      .min(10)
      .max(1_000)
      .optional()
      .openapi({ description: 'The reason in words that the customer can act on.' }),
  })
  .refine(({ code, reason }) => (code === undefined) !== (reason === undefined), {
    message: 'either code or reason',
  })
  .openapi('PortRejection')

export const focBody = z.strictObject({ date }).openapi('PortDate')

export const portOutBody = z
  .strictObject({
    number: z
      .string()
      .regex(/^\+[1-9][0-9]{6,14}$/, 'a number in E.164')
      .openapi({ description: 'The number in E.164.' }),
    pin: z.string().max(20).openapi({ description: 'The port-out PIN that the carrier names.' }),
    carrier: z.string().trim().min(1).max(100).openapi({ description: 'The carrier that asks.' }),
  })
  .openapi('WantedPortOut')

export const portOutResource = z
  .object({
    sid: text('PX and 32 hex digits.'),
    accountSid: text('The account that the number leaves.'),
    number: text('The number in E.164.'),
    carrier: text('The carrier that takes it.'),
    state: z
      .enum(['pending', 'complete', 'cancelled'])
      .openapi({ description: 'Whether the number has left, or stays.' }),
    createdAt: time('When it was asked for (ISO 8601).'),
    updatedAt: time('When it was changed last (ISO 8601).'),
  })
  .openapi('PortOut')

export function portToWire(port: Port): z.infer<typeof portSummary> {
  return {
    pid: port.pid,
    sid: port.sid,
    accountSid: port.accountSid,
    ticket: port.ticket,
    kind: port.kind,
    state: port.progress.state,
    isSigned: port.isSigned,
    foc: port.foc ?? null,
    message: port.message,
    losingCarrier: port.losingCarrier,
    numbers: port.numbers.map(({ e164 }) => e164),
    desiredDueDate: port.subscriber.desiredDueDate,
    createdAt: isoTime(port.createdAt),
    updatedAt: isoTime(port.updatedAt),
  }
}

export function detailToWire(
  { port, history, letters }: PortDetail,
  pin: string | undefined,
): z.infer<typeof portResource> {
  return {
    ...portToWire(port),
    subscriber: { ...port.subscriber },
    pin: pin ?? null,
    features: Object.fromEntries(port.numbers.map(({ e164, features }) => [e164, features])),
    letters: letters.map((letter) => ({
      id: letter.uuid,
      fileName: letter.fileName,
      mimeType: letter.mimeType,
      bytes: letter.bytes,
      createdAt: isoTime(letter.createdAt),
    })),
    history: history.map((each) => ({
      ...each,
      foc: each.foc ?? null,
      at: isoTime(each.at),
    })),
  }
}

export function portOutToWire(portOut: PortOut): z.infer<typeof portOutResource> {
  return {
    sid: portOut.sid,
    accountSid: portOut.accountSid,
    number: portOut.e164,
    carrier: portOut.gainingCarrier,
    state: portOut.state,
    createdAt: isoTime(portOut.createdAt),
    updatedAt: isoTime(portOut.updatedAt),
  }
}
