import { Socket } from 'node:dgram'
import { afterEach, expect, it, vi } from 'vitest'
import { Neighbours } from '../../../../../src/lab/lab-servers.js'
import { makeResponse } from '../../../../../src/lab/sip/message/make-response.js'
import { requestTo } from '../../../../support/sip/sip-messages.js'
import {
  contactOf,
  finalStatus,
  openStack,
  RecordingUser,
  send,
} from '../../../../support/sip/sip-stacks.js'

afterEach(() => {
  vi.restoreAllMocks()
})

it('exchange messages without the system, as from each other’s address', async () => {
  const neighbours = new Neighbours()
  await using one = await openStack({ neighbours })
  await using other = await openStack({ neighbours })
  const sent = vi.spyOn(Socket.prototype, 'send')
  const user = new RecordingUser((transaction) => transaction.respond(makeResponse(200)))
  other.setUser(user)
  const outcome = await send(one, requestTo(contactOf(other, 'udp'), 'OPTIONS'))
  expect(await finalStatus(outcome)).toBe(200)
  expect(user.requests[0]?.from).toEqual(contactOf(one, 'udp'))
  expect(sent).not.toHaveBeenCalled()
})

it('reach everybody else by the system', async () => {
  await using one = await openStack({ neighbours: new Neighbours() })
  await using stranger = await openStack()
  stranger.setUser(new RecordingUser((transaction) => transaction.respond(makeResponse(200))))
  const sent = vi.spyOn(Socket.prototype, 'send')
  const outcome = await send(one, requestTo(contactOf(stranger, 'udp'), 'OPTIONS'))
  expect(await finalStatus(outcome)).toBe(200)
  expect(sent).toHaveBeenCalled()
})

it('lose what was sent to one that closes meanwhile', async () => {
  const neighbours = new Neighbours()
  const heard: string[] = []
  const place = { transport: 'udp', address: '127.0.0.1', port: 5060 } as const
  const leave = neighbours.join(place, (bytes) => heard.push(bytes.toString()))
  expect(neighbours.deliver(Buffer.from('lost'), place, place)).toBe(true)
  leave()
  expect(neighbours.deliver(Buffer.from('not ours'), place, place)).toBe(false)
  neighbours.join(place, (bytes) => heard.push(bytes.toString()))
  leave()
  await new Promise((resolve) => setImmediate(resolve))
  expect(heard).toEqual([])
})
