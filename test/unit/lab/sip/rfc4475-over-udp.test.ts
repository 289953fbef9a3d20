import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeResponse } from '../../../../src/lab/sip/message/make-response.js'
import type { SipStack } from '../../../../src/lab/sip/model/stack-types.js'
import { INVALID } from '../../../fixtures/rfc4475/invalid.js'
import { SEMANTICS } from '../../../fixtures/rfc4475/semantics.js'
import type { TortureMessage } from '../../../fixtures/rfc4475/torture-message.js'
import { VALID } from '../../../fixtures/rfc4475/valid.js'
import { requestTo } from '../../../support/sip/sip-messages.js'
import {
  contactOf,
  eventually,
  finalStatus,
  openStack,
  RecordingUser,
  send,
} from '../../../support/sip/sip-stacks.js'
import { openUdpPeer } from '../../../support/sip/udp-peer.js'

const statusOf = (text: string): number => Number(text.slice(8, 11))

describe('RFC 4475 over UDP [A1]', () => {
  let stack: SipStack
  let probe: SipStack
  let probes = 0
  const user = new RecordingUser((transaction) => {
    transaction.respond(makeResponse(200))
    transaction.ackReceived()
  })

  beforeAll(async () => {
    stack = await openStack({ timing: {} })
    probe = await openStack({ timing: {} })
    stack.setUser(user)
  })
  afterAll(async () => {
    await probe[Symbol.asyncDispose]()
    await stack[Symbol.asyncDispose]()
  })

  it.each(
    [...VALID, ...INVALID, ...SEMANTICS].map((each): [string, string, TortureMessage] => [
      each.section,
      each.title,
      each,
    ]),
  )('%s %s, and then a normal request', async (_section, _title, { owed, bytes }) => {
    await using peer = await openUdpPeer()
    const { messagesReceived, messagesDropped } = stack.stats()
    const heard = user.requests.length
    const message = bytes(peer.port)
    const isResponse = message.toString().startsWith('SIP/')
    peer.send(message, contactOf(stack, 'udp').port)
    await eventually(() => stack.stats().messagesReceived > messagesReceived)

    if (owed.outcome === 'refuse')
      expect(statusOf(await peer.take((text) => text.startsWith('SIP/2.0')))).toBe(owed.status)
    else if (owed.outcome === 'accept' && !isResponse) {
      expect(user.requests.length).toBe(heard + 1)
      expect(statusOf(await peer.take((text) => !text.startsWith('SIP/2.0 100')))).toBe(200)
    }
    if (owed.outcome === 'drop') expect(stack.stats().messagesDropped).toBe(messagesDropped + 1)
    if (owed.outcome !== 'accept') expect(user.requests.length).toBe(heard)

    const options = requestTo(contactOf(stack, 'udp'), 'OPTIONS', {
      callId: `p${String(probes++)}`,
    })
    expect(await finalStatus(await send(probe, options))).toBe(200)
  })
})
