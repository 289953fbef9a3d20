import { z } from '@hono/zod-openapi'
import type { PortState } from '../porting/port.js'
import { dateIn } from '../porting/port-dates.js'
import type { PortEvent } from '../porting/port-machine.js'
import type { Porting } from '../porting/porting.js'
import { REJECTIONS } from '../porting/rejections.js'
import { type AdminOperation, operation } from './admin-operation.js'
import {
  detailToWire,
  focBody,
  portParams as params,
  portFilter,
  portOutBody,
  portOutResource,
  portOutToWire,
  portResource,
  portSummary,
  portToWire,
  rejectionBody,
} from './port-schemas.js'
import { AdminError, notFound } from './private-dialect.js'
import { list } from './private-paging.js'

export type PortOperationsDeps = Pick<
  Porting,
  'ports' | 'portOuts' | 'pinOf' | 'clock' | 'turnClock'
>

const PORT = '/ports/{pid}'

/** The operator's side of porting: the queue, each step by hand, and the numbers that leave. */
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

/** The event that moves a port on from a state, where it needs nothing else. */
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
