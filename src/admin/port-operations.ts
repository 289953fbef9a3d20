import { z } from '@hono/zod-openapi'
import type { Port, PortState } from '../porting/port.js'
import { dateIn } from '../porting/port-dates.js'
import type { PortEvent } from '../porting/port-machine.js'
import type { PortOut } from '../porting/port-outs.js'
import type { Porting } from '../porting/porting.js'
import type { PortDetail } from '../porting/ports.js'
import { REJECTION_CODES, REJECTIONS } from '../porting/rejections.js'
import { type AdminOperation, operation } from './admin-operation.js'
import { AdminError, notFound } from './private-dialect.js'
import { list } from './private-paging.js'

export type PortOperationsDeps = Pick<
  Porting,
  'ports' | 'portOuts' | 'pinOf' | 'clock' | 'turnClock'
>

const PORT = '/ports/{pid}'

const STATES = [
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

const date = z
  .string()
  .regex(/^\d{4}-\d{2}-\d{2}$/, 'a date YYYY-MM-DD')
  .openapi({ description: 'The date, YYYY-MM-DD.' })

const params = {
  pid: text('The pid of the port: five letters and digits.'),
}

const portFilter = z.object({
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

const portSummary = z.object(summary).openapi('PortSummary')

const portResource = z
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

const rejectionBody = z
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

const focBody = z.strictObject({ date }).openapi('PortDate')

const portOutBody = z
  .strictObject({
    number: z
      .string()
      .regex(/^\+[1-9][0-9]{6,14}$/, 'a number in E.164')
      .openapi({ description: 'The number in E.164.' }),
    pin: z.string().max(20).openapi({ description: 'The port-out PIN that the carrier names.' }),
    carrier: z.string().trim().min(1).max(100).openapi({ description: 'The carrier that asks.' }),
  })
  .openapi('WantedPortOut')

const portOutResource = z
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

/** The operator's side of porting: the queue, manual steps, and ports out. */
export function portOperations(porting: PortOperationsDeps): AdminOperation[] {
  return [
    list({
      id: 'listAllPorts',
      summary: 'List the port-ins of all accounts, the newest first',
      path: '/ports',
      name: 'ports',
      record: portSummary,
      query: portFilter,
      run: async ({ query }, page) => {
        const { isSigned, number: e164, ...filter } = query
        const signed = isSigned === undefined ? undefined : isSigned === 'true'
        const found = await porting.ports.list({ ...filter, e164, isSigned: signed }, page)
        return { ...found, items: found.items.map(portToWire) }
      },
    }),
    turning(porting),
    operation({
      id: 'getPortOfAccount',
      summary: 'Fetch a port-in with its data, letters and history',
      method: 'get',
      path: PORT,
      params,
      response: portResource,
      errors: [404],
      run: ({ params: { pid } }) => shown(porting, pid),
    }),
    operation({
      id: 'downloadLetter',
      summary: 'Download a letter of authorisation',
      method: 'get',
      path: `${PORT}/letters/{letterId}`,
      params: { ...params, letterId: z.string().openapi({ description: 'The id of the file.' }) },
      response: 'file',
      errors: [404],
      run: async ({ params: { pid, letterId } }) => {
        const letter = await porting.ports.readLetter({ pid }, letterId)
        if (letter === undefined) throw notFound()
        return { fileName: letter.fileName, mimeType: letter.mimeType, bytes: letter.content }
      },
    }),
    ...stepOperations(porting),
    ...portOutOperations(porting),
  ]
}

/** The event that advances a port from a state, where it needs no further data. */
const NEXT: Readonly<Partial<Record<PortState, PortEvent>>> = {
  submitted: { type: 'review-began' },
  validating: { type: 'review-passed' },
  foc: { type: 'activated' },
}

function stepOperations(porting: PortOperationsDeps): AdminOperation[] {
  const { ports } = porting
  const move = async (pid: string, event: PortEvent) => {
    await ports.move({ pid }, event, 'operator')
    return await shown(porting, pid)
  }
  const common = { params, response: portResource, errors: [404, 409] as number[] }
  return [
    operation({
      ...common,
      id: 'advancePort',
      summary: 'Move a port-in on: to its review, to the losing carrier, or to its end',
      description:
        'From submitted to validating, from validating to pending, from foc to complete: its numbers are then on the account. A pending one moves on with its date.',
      method: 'post',
      path: `${PORT}/advance`,
      run: async ({ params: { pid } }) => {
        const { progress } = await ports.find({ pid })
        const event = NEXT[progress.state]
        if (event === undefined)
          throw new AdminError(400, `a port that is ${progress.state} does not move on by itself`)
        return await move(pid, event)
      },
    }),
    operation({
      ...common,
      id: 'setPortDate',
      summary: 'Set the date that the losing carrier has committed to, or another one',
      method: 'put',
      path: `${PORT}/foc`,
      body: focBody,
      run: ({ params: { pid }, body: { date } }) => {
        if (dateIn(date) === undefined) throw new AdminError(400, 'date: there is no such date')
        return move(pid, { type: 'date-confirmed', foc: date })
      },
    }),
    operation({
      ...common,
      id: 'rejectPort',
      summary: 'Reject a port-in for a reason that its customer can mend',
      method: 'post',
      path: `${PORT}/reject`,
      body: rejectionBody,
      run: ({ params: { pid }, body: { code, reason = '' } }) =>
        move(pid, { type: 'rejected', reason: code === undefined ? reason : REJECTIONS[code] }),
    }),
    operation({
      ...common,
      id: 'cancelPortOfAccount',
      summary: 'Cancel a port-in, however near its date is',
      method: 'post',
      path: `${PORT}/cancel`,
      run: ({ params: { pid } }) => move(pid, { type: 'cancel-requested', isLate: false }),
    }),
  ]
}

function portOutOperations({ portOuts }: PortOperationsDeps): AdminOperation[] {
  const outParams = { sid: z.string().openapi({ description: 'PX and 32 hex digits.' }) }
  return [
    operation({
      id: 'beginPortOut',
      summary: 'Admit that another carrier takes a number, by its port-out PIN',
      description: 'From then on its account can neither remove nor disconnect the number.',
      method: 'post',
      path: '/port-outs',
      body: portOutBody,
      status: 201,
      response: portOutResource,
      errors: [404, 409],
      run: async ({ body: { number: e164, pin, carrier } }) =>
        portOutToWire(await portOuts.begin({ e164, pin, gainingCarrier: carrier })),
    }),
    list({
      id: 'listPortOuts',
      summary: 'List the numbers that leave or have left, the newest first',
      path: '/port-outs',
      name: 'portOuts',
      record: portOutResource,
      run: async (_request, page) => {
        const found = await portOuts.list(page)
        return { ...found, items: found.items.map(portOutToWire) }
      },
    }),
    operation({
      id: 'completePortOut',
      summary: 'A number has left: take it from its account',
      method: 'post',
      path: '/port-outs/{sid}/complete',
      params: outParams,
      response: portOutResource,
      errors: [404, 409],
      run: async ({ params: { sid } }) => portOutToWire(await portOuts.complete(sid)),
    }),
    operation({
      id: 'cancelPortOut',
      summary: 'A number does not leave: it stays on its account',
      method: 'post',
      path: '/port-outs/{sid}/cancel',
      params: outParams,
      response: portOutResource,
      errors: [404, 409],
      run: async ({ params: { sid } }) => portOutToWire(await portOuts.cancel(sid)),
    }),
  ]
}

function turning({ turnClock }: PortOperationsDeps): AdminOperation {
  return operation({
    id: 'turnPortClock',
    summary: "Turn the clock of ports forward, for good; beside the lab's simulated carrier only",
    method: 'post',
    path: '/ports/clock',
    body: z
      .strictObject({
        advanceMs: z
          .number()
          .int()
          .min(0)
          .max(366 * 86_400_000)
          .openapi({ description: 'By how many milliseconds.' }),
      })
      .openapi('TurnPortClock'),
    response: z.object({
      now: z.number().int().openapi({ description: 'The time now: milliseconds since 1970.' }),
    }),
    run: async ({ body: { advanceMs } }) => {
      if (turnClock === undefined) throw new AdminError(400, 'the clock cannot be turned here')
      return { now: await turnClock(advanceMs) }
    },
  })
}

async function shown({ ports, pinOf }: PortOperationsDeps, pid: string) {
  const detail = await ports.detail({ pid })
  return detailToWire(detail, pinOf(detail.port))
}

const isoTime = (at: number): string => new Date(at).toISOString()

function portToWire(port: Port): z.infer<typeof portSummary> {
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

function detailToWire(
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

function portOutToWire(portOut: PortOut): z.infer<typeof portOutResource> {
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
