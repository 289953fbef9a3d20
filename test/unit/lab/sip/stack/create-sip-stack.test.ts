import { describe, expect, it } from 'vitest'
import { getHeader } from '../../../../../src/lab/sip/message/headers.js'
import { makeResponse } from '../../../../../src/lab/sip/message/make-response.js'
import type { SipResponse } from '../../../../../src/lab/sip/message/types.js'
import type { ServerTransaction } from '../../../../../src/lab/sip/model/stack-types.js'
import { SipDestinationError } from '../../../../../src/lab/sip/stack/lookup.js'
import { requestTo } from '../../../../support/sip/sip-messages.js'
import {
  contactOf,
  eventually,
  finalStatus,
  openStack,
  quiet,
  RecordingUser,
  send,
} from '../../../../support/sip/sip-stacks.js'

const answer = (status: number) => (transaction: ServerTransaction) => {
  transaction.respond(makeResponse(status))
}

describe.each(['udp', 'tcp'] as const)('two stacks over %s', (transport) => {
  it('carry a request, its progress and its answer', async () => {
    await using a = await openStack()
    await using b = await openStack()
    const user = new RecordingUser((transaction) => {
      transaction.respond(makeResponse(180))
      transaction.respond(makeResponse(200, { body: Buffer.from('v=0\r\n') }))
    })
    b.setUser(user)
    const invite = await send(a, requestTo(contactOf(b, transport), 'INVITE', { body: 'v=0' }))
    expect(await finalStatus(invite)).toBe(200)
    // The 200 comes again until the ACK.
    const [ringing, ok] = invite.responses.filter((each) => each.status > 100)
    expect([ringing?.status, ok?.status]).toEqual([180, 200])
    expect(ok && getHeader(ok, 'To')).toMatch(/^<sip:bob@example\.net>;tag=.+/)
    expect(ok?.body.toString()).toBe('v=0\r\n')

    const ack = requestTo(contactOf(b, transport), 'ACK', { callId: 'call-INVITE' })
    await a.sendAck(ack)
    await eventually(() => user.acks.length === 1)
    user.requests[0]?.ackReceived()
    await quiet(a)
    await quiet(b)
  })

  it('acknowledge a refusal by themselves', async () => {
    await using a = await openStack()
    await using b = await openStack()
    const user = new RecordingUser(answer(486))
    b.setUser(user)
    const invite = await send(a, requestTo(contactOf(b, transport), 'INVITE'))
    expect(await finalStatus(invite)).toBe(486)
    await quiet(a)
    await quiet(b)
    expect(user.acks).toEqual([])
    expect(user.requests).toHaveLength(1)
  })

  it('cancel once there is a provisional answer', async () => {
    await using a = await openStack()
    await using b = await openStack()
    const user = new RecordingUser()
    b.setUser(user)
    const invite = await send(a, requestTo(contactOf(b, transport), 'INVITE'))
    invite.transaction.cancel([{ name: 'Reason', value: 'SIP;cause=200' }])
    const canceled = await eventually(() => user.cancels[0])
    canceled.respond(makeResponse(487))
    expect(await finalStatus(invite)).toBe(487)
    await quiet(a)
    await quiet(b)
  })
})

describe('a request of more than 1,300 bytes (RFC 3261 §18.1.1)', () => {
  const LARGE = 'x'.repeat(1_400)
  const viaOf = ({ request }: ServerTransaction): string => getHeader(request, 'Via') ?? ''

  it('goes by TCP with its ACK, a smaller one by UDP', async () => {
    await using a = await openStack()
    await using b = await openStack()
    const user = new RecordingUser(answer(486))
    b.setUser(user)
    const to = contactOf(b, 'udp')
    const large = await send(a, requestTo(to, 'INVITE', { body: LARGE, callId: 'large' }))
    expect(await finalStatus(large)).toBe(486)
    const small = await send(a, requestTo(to, 'INVITE', { body: 'x', callId: 'small' }))
    expect(await finalStatus(small)).toBe(486)
    expect(user.requests.map(({ from }) => from.transport)).toEqual(['tcp', 'udp'])
    expect(user.requests.map(viaOf)).toEqual([
      expect.stringMatching(/^SIP\/2\.0\/TCP /),
      expect.stringMatching(/^SIP\/2\.0\/UDP /),
    ])
    await quiet(a)
    await quiet(b)
  })

  it('goes by UDP after all where nobody takes TCP', async () => {
    await using a = await openStack()
    await using b = await openStack({ transports: ['udp'] })
    const user = new RecordingUser(answer(200))
    b.setUser(user)
    const to = contactOf(b, 'udp')
    for (const callId of ['1', '2']) {
      const large = await send(a, requestTo(to, 'MESSAGE', { body: LARGE, callId }))
      expect(await finalStatus(large)).toBe(200)
    }
    expect(user.requests.map(({ from }) => from.transport)).toEqual(['udp', 'udp'])
    expect(user.requests.map(viaOf)).toEqual([
      expect.stringMatching(/^SIP\/2\.0\/UDP /),
      expect.stringMatching(/^SIP\/2\.0\/UDP /),
    ])
    expect(a.stats().tcpConnections).toBe(0)
    await quiet(a)
  })

  it('goes by UDP where both only know that', async () => {
    await using a = await openStack({ transports: ['udp'] })
    await using b = await openStack()
    b.setUser(new RecordingUser(answer(200)))
    const large = await send(a, requestTo(contactOf(b, 'udp'), 'MESSAGE', { body: LARGE }))
    expect(await finalStatus(large)).toBe(200)
  })
})

describe('a stack', () => {
  it.each(['udp', 'tcp'] as const)('speaks IPv6 over %s', async (transport) => {
    await using a = await openStack({ host: '::1' })
    await using b = await openStack({ host: '::1' })
    b.setUser(new RecordingUser(answer(200)))
    const options = await send(a, requestTo(contactOf(b, transport), 'OPTIONS'))
    expect(await finalStatus(options)).toBe(200)
    expect(getHeader(options.transaction.request, 'Via')).toContain(' [::1]:')
  })

  it('has one port for both transports, and gives it back', async () => {
    const first = await openStack()
    const { port } = contactOf(first, 'udp')
    expect(contactOf(first, 'tcp').port).toBe(port)
    await expect(openStack({ port })).rejects.toMatchObject({ code: 'EADDRINUSE' })
    await first[Symbol.asyncDispose]()
    await using second = await openStack({ port })
    expect(contactOf(second, 'tcp').port).toBe(port)
  })

  it('leaves nothing behind when it is closed in the middle of calls', async () => {
    await using b = await openStack({ timing: {} })
    const user = new RecordingUser(answer(200))
    b.setUser(user)
    const a = await openStack({ timing: {} })
    await send(a, requestTo(contactOf(b, 'udp'), 'INVITE'))
    await send(a, requestTo(contactOf(b, 'tcp'), 'OPTIONS'))
    await eventually(() => user.requests.length === 2)
    const late = user.requests[0]
    await a[Symbol.asyncDispose]()
    expect(a.stats()).toMatchObject({ timers: 0, tcpConnections: 0 })
    const failed = await send(a, requestTo(contactOf(b, 'udp'), 'BYE'))
    await eventually(() => failed.failures.length > 0)
    expect(failed.failures).toEqual(['transport'])
    expect(late?.respond(makeResponse(486))).toBeUndefined()
  })

  it('fails to send by a transport that it does not have', async () => {
    await using stack = await openStack({ transports: ['udp'] })
    const to = { transport: 'tcp', address: '127.0.0.1', port: 5060 } as const
    await expect(send(stack, requestTo(to, 'OPTIONS'), to)).rejects.toBeInstanceOf(
      SipDestinationError,
    )
    const bad = { transport: 'udp', address: '127.0.0.1', port: 0 } as const
    const options = await send(stack, requestTo(bad, 'OPTIONS'), bad)
    await eventually(() => options.failures.length > 0)
    await quiet(stack)
  })

  it('fills in what a response lacks, and nothing else (§8.2.6)', async () => {
    await using a = await openStack()
    await using b = await openStack()
    const sent: (SipResponse | undefined)[] = []
    const headers = [
      { name: 'via', value: 'SIP/2.0/UDP forged.example' },
      { name: 'to', value: '<sip:bob@example.net>;tag=own' },
      { name: 'X-Own', value: '1' },
      { name: 'content-length', value: '999' },
    ]
    b.setUser(
      new RecordingUser((transaction) => {
        sent.push(transaction.respond(makeResponse(200, { headers })))
        sent.push(transaction.respond(makeResponse(500)))
      }),
    )
    const options = await send(a, requestTo(contactOf(b, 'udp'), 'OPTIONS'))
    expect(await finalStatus(options)).toBe(200)
    const [first, second] = sent
    expect(second).toBeUndefined()
    expect(first?.headers.map(({ name }) => name)).toEqual([
      'Via',
      'From',
      'To',
      'Call-ID',
      'CSeq',
      'X-Own',
      'Content-Length',
    ])
    expect(options.responses[0]).toMatchObject({ headers: first?.headers })
    expect(first && getHeader(first, 'To')).toBe('<sip:bob@example.net>;tag=own')
  })
})
