import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { expect, it } from 'vitest'
import { COMMAND, writePdu } from '../../../../src/messages/smpp/codec/pdu.js'
import { SmppLink } from '../../../../src/messages/smpp/smpp-link.js'
import { Disposer } from '../../../../src/platform/disposer.js'

/** A link to a peer that does as the test says. */
async function linked(times: { readonly enquireMs: number; readonly responseMs: number }) {
  const stack = new Disposer()
  const server = createServer().listen(0, '127.0.0.1')
  stack.defer(() => {
    server.close()
  })
  await once(server, 'listening')
  const accepted = once(server, 'connection') as Promise<[Socket]>
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  const [peer] = await accepted
  stack.defer(() => {
    peer.destroy()
  })
  peer.on('error', () => undefined)
  const link = new SmppLink(socket, { ...times, window: 10, deliver: () => Promise.resolve(0) })
  stack.defer(() => {
    link.close(new Error('over'))
  })
  return { link, peer, [Symbol.asyncDispose]: () => stack[Symbol.asyncDispose]() }
}

const enquireLink = (sequence: number) =>
  writePdu({ command: COMMAND.enquireLink, status: 0, sequence, body: Buffer.alloc(0) })

it('asks a peer for a sign of life that sends bytes of a unit without an end', async () => {
  await using t = await linked({ enquireMs: 200, responseMs: 200 })
  t.peer.resume()
  const body = Buffer.alloc(60_000)
  const unit = writePdu({ command: COMMAND.deliverSm, status: 0, sequence: 1, body })
  let sent = 0
  const trickle = setInterval(() => {
    if (sent < unit.length - 1) t.peer.write(unit.subarray(sent, ++sent))
  }, 50)
  try {
    expect((await t.link.ended).message).toBe('the SMSC did not answer in time')
  } finally {
    clearInterval(trickle)
  }
})

it('leaves a peer that asks on and on and reads no answer', async () => {
  await using t = await linked({ enquireMs: 60_000, responseMs: 60_000 })
  t.peer.pause()
  const many = Buffer.concat(Array.from({ length: 4_000 }, (_, index) => enquireLink(index + 1)))
  let isOver = false
  const ended = t.link.ended.then((reason) => {
    isOver = true
    return reason
  })
  const flood = (): void => {
    if (!isOver) t.peer.write(many, flood)
  }
  flood()
  expect((await ended).message).toBe('the SMSC reads nothing of what it is sent')
})
