import { z } from '@hono/zod-openapi'
import type { Account } from '../../accounts/accounts.js'
import { operationsOf } from '../../platform/api/operation.js'
import type { Upload } from '../../platform/uploads/read-upload.js'
import type { Porting } from '../../porting/porting.js'
import type { PortName } from '../../porting/ports.js'
import { ApiFailure } from '../dialect/api-failure.js'
import { type AccountOperation, rest } from '../dialect/rest-operation.js'
import { shownText } from '../fields.js'
import { pageFields, pageRequest, shownNext, shownPlace } from '../list-pages.js'
import { correctionBody, correctionOf, newPortOf, orderBody } from './port-body.js'
import { nanpNumber, tenDigits } from './port-fields.js'
import { detailToWire, portToWire, shownDetail, shownLetter, shownPort } from './port-wire.js'

/** Maximum number of ports in one list. */
export const MAX_PORTS = 1_000

const id = z
  .string()
  .regex(/^[A-Za-z0-9]{5}$/)
  .openapi({ description: 'The pid of the port: five letters and digits.' })
const params = { id }
const port = z.object({ port: shownDetail })

export type PortingDeps = Pick<Porting, 'ports' | 'portability' | 'links' | 'clock'>

export function portOperations(porting: PortingDeps): AccountOperation[] {
  const { ports } = porting
  return [
    portabilityOperation(porting),
    submitOperation(porting),
    rest({
      id: 'listPorts',
      summary: 'List the port-ins, the newest first',
      method: 'get',
      path: '/ports',
      row: 'List port-ins',
      query: z.object(pageFields(MAX_PORTS)),
      data: z.object({
        ports: z.array(shownPort).openapi({ description: 'The newest first.' }),
        next: shownNext,
      }),
      run: async ({ caller, query }) => {
        const found = await ports.list({ accountSid: caller.sid }, pageRequest(query))
        return { ports: found.items.map(portToWire), next: shownPlace(found.nextAfter) }
      },
    }),
    rest({
      id: 'getPort',
      summary: 'Fetch a port-in with its history',
      method: 'get',
      path: '/ports/{id}',
      params,
      row: 'Port-in detail',
      data: port,
      errors: [404],
      run: ({ caller, params: { id: pid } }) => shown(porting, caller, pid),
    }),
    ...changeOperations(porting),
  ]
}

function submitOperation({ ports, links, clock }: PortingDeps): AccountOperation {
  return rest({
    id: 'submitPort',
    summary: 'Order that numbers are ported in from another carrier',
    description:
      'Each number was found portable within the last hour, else the answer is 412. The fee is 6 dollars for each number. Toll-free numbers get a port of their own, with the same ticket. Then upload the letter of authorisation.',
    method: 'post',
    path: '/account/port',
    aliases: ['/ports'],
    row: 'Submit port-in (customer route)',
    body: orderBody,
    status: 201,
    data: z.object({
      pid: shownText('The pid of the first port.'),
      message: shownText('What to do now, for a person.'),
      ticket: z.number().int().openapi({ description: 'The number of the support ticket.' }),
      portUrl: shownText('The page that shows the port.'),
      loaUrl: shownText('The page that takes the letter of authorisation.'),
      ports: z
        .array(shownPort.extend({ loaUrl: shownText('Its page for the letter.') }))
        .openapi({ description: 'Every port of the submission.' }),
    }),
    errors: [402, 409, 412],
    run: async ({ caller, body }) => {
      const order = newPortOf(body, clock.now())
      const { ticket, ports: made } = await ports.submit(caller.sid, [order], false)
      const pid = made[0]?.pid ?? ''
      return {
        pid,
        message: submittedMessage(made.length),
        ticket,
        portUrl: links.urlOf('port', pid),
        loaUrl: links.urlOf('loa', pid),
        ports: made.map((each) => ({
          ...portToWire(each),
          loaUrl: links.urlOf('loa', each.pid),
        })),
      }
    },
  })
}

function submittedMessage(count: number): string {
  const what = count === 1 ? 'The order is there.' : `The order is there, as ${count} ports.`
  const letter = count === 1 ? 'letter of authorisation' : 'letter of authorisation of each port'
  return `${what} Upload the signed ${letter} to begin.`
}

function portabilityOperation({ portability }: PortingDeps): AccountOperation {
  return rest({
    id: 'checkPortability',
    summary: 'Say whether a number can be ported in',
    description: 'What the carrier of the number says is kept for an hour.',
    method: 'get',
    path: '/ports/availability/{number}',
    params: {
      number: z.string().openapi({ description: 'A North American number: ten digits, or E.164.' }),
    },
    row: 'Portability check',
    data: z.object({
      number: shownText('The number, ten digits.'),
      portable: z.boolean().openapi({ description: 'Whether it can be ported.' }),
      reason: z.string().nullable().openapi({ description: 'Why not; null for a portable one.' }),
      losingCarrier: shownText('The carrier that has the number.'),
      localRoutingNumber: z
        .string()
        .nullable()
        .openapi({ description: 'The routing number of its switch; null when there is none.' }),
      rateCenterTier: z
        .string()
        .nullable()
        .openapi({ description: 'The tier of its rate center; null when there is none.' }),
    }),
    errors: [502],
    run: async ({ caller, params: { number }, http }) => {
      const e164 = nanpNumber(number)
      if (e164 === undefined)
        throw new ApiFailure(400, 'number: ten digits of a North American number')
      const checked = await portability.check(caller.sid, e164, http.signal)
      return {
        number: tenDigits(e164),
        portable: checked.isPortable,
        reason: checked.reason ?? null,
        losingCarrier: checked.losingCarrier,
        localRoutingNumber: checked.localRoutingNumber ?? null,
        rateCenterTier: checked.rateCenterTier ?? null,
      }
    },
  })
}

/** Changes that a customer may make to a port; extensions of the specification. */
function changeOperations(porting: PortingDeps): AccountOperation[] {
  const { ports, clock } = porting
  return [
    rest({
      id: 'correctPort',
      summary: 'Correct the data of a port',
      description:
        'While it is Submitted or has an Exception. The features may change until it is complete.',
      method: 'patch',
      path: '/ports/{id}',
      params,
      body: correctionBody,
      data: port,
      errors: [404, 409],
      run: async ({ caller, params: { id: pid }, body }) => {
        await ports.correct(nameOf(caller, pid), correctionOf(body, clock.now()))
        return await shown(porting, caller, pid)
      },
    }),
    rest({
      id: 'resubmitPort',
      summary: 'Resubmit a port with an Exception, corrected, without a second fee',
      method: 'post',
      path: '/ports/{id}/resubmit',
      params,
      body: correctionBody,
      data: port,
      errors: [404, 409],
      run: async ({ caller, params: { id: pid }, body }) => {
        await ports.resubmit(nameOf(caller, pid), correctionOf(body, clock.now()))
        return await shown(porting, caller, pid)
      },
    }),
    rest({
      id: 'cancelPort',
      summary: 'Cancel a port, until 48 hours before its date',
      method: 'post',
      path: '/ports/{id}/cancel',
      params,
      data: port,
      errors: [404, 409],
      run: async ({ caller, params: { id: pid } }) => {
        await ports.cancel(nameOf(caller, pid))
        return await shown(porting, caller, pid)
      },
    }),
    uploadOperation(porting),
  ]
}

const operation = operationsOf<Account, Upload>()

function uploadOperation({ ports }: PortingDeps): AccountOperation {
  return operation({
    id: 'uploadLetter',
    summary: 'Upload the signed letter of authorisation of a port',
    description: 'A PDF or a picture (JPEG, PNG, TIFF) of 10 MiB at most, as the part `file`.',
    method: 'post',
    path: '/ports/{id}/loa',
    params,
    body: 'multipart',
    status: 201,
    response: z.object({
      status: z.literal('success').openapi({ description: 'Always the same.' }),
      data: z
        .object({ letter: shownLetter, port: shownPort })
        .openapi({ description: 'The letter, and its port.' }),
    }),
    errors: [404, 409, 413],
    beforeBody: ({ caller, params: { id: pid } }) => ports.find(nameOf(caller, pid)),
    run: async ({ caller, params: { id: pid }, body }) => {
      const { letter, port: changed } = await ports.addLetter(nameOf(caller, pid), body)
      return {
        status: 'success',
        data: {
          letter: {
            id: letter.uuid,
            fileName: letter.fileName,
            mimeType: letter.mimeType,
            bytes: letter.bytes,
            receivedAt: new Date(letter.createdAt).toISOString(),
          },
          port: portToWire(changed),
        },
      }
    },
  })
}

const nameOf = ({ sid }: Account, pid: string): PortName => ({ pid, accountSid: sid })

async function shown({ ports, links }: PortingDeps, caller: Account, pid: string) {
  return { port: detailToWire(await ports.detail(nameOf(caller, pid)), caller, links) }
}
