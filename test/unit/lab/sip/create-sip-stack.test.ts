import { describe, expect, it } from 'vitest'
import { getHeader } from '../../../../src/lab/sip/message/headers.js'
import { makeResponse } from '../../../../src/lab/sip/message/make-response.js'
import type { ServerTransaction } from '../../../../src/lab/sip/stack-types.js'
import { requestTo } from '../../../support/sip-messages.js'
import {
  contactOf,
  eventually,
  finalStatus,
  openStack,
  quiet,
  RecordingUser,
  send,
} from '../../../support/sip-stacks.js'

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
    const statuses = invite.responses.map((each) => each.status)
    expect(statuses.slice(0, 3)).toEqual([100, 180, 200])
    const ok = invite.responses[2]
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
