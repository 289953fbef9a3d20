import { describe, expect, it } from 'vitest'
import { makeResponse } from '../../../../../src/lab/sip/message/make-response.js'
import type { SipStack, SipStackOptions } from '../../../../../src/lab/sip/model/stack-types.js'
import { rawRequest, requestTo } from '../../../../support/sip/sip-messages.js'
import {
  contactOf,
  eventually,
  finalStatus,
  openStack,
  quiet,
  RecordingUser,
  send,
} from '../../../../support/sip/sip-stacks.js'
import { openTcpPeer } from '../../../../support/sip/tcp-peer.js'

const VIA = 'SIP/2.0/TCP 127.0.0.1;branch=z9hG4bK'
const statuses = (text: string): number[] =>
  [...text.matchAll(/^SIP\/2\.0 (\d+)/gm)].map((found) => Number(found[1]))

async function openServer(options: Partial<SipStackOptions> = {}): Promise<SipStack> {
  const stack = await openStack(options)
  stack.setUser(new RecordingUser((transaction) => transaction.respond(makeResponse(200))))
  return stack
}

describe('a server over TCP', () => {
  it('reads a message that comes byte by byte, and several that come at once [A3]', async () => {
    await using stack = await openServer()
    await using peer = await openTcpPeer(contactOf(stack, 'tcp').port)
    for (const byte of rawRequest('OPTIONS', `${VIA}1`, { callId: '1' })) await peer.write(byte)
    const rest = ['2', '3', '4'].map((id) =>
      rawRequest('MESSAGE', VIA + id, { callId: id, body: 'with a body\r\n\r\nof two' }),
    )
    await peer.write(rest.join('\r\n'))
    await eventually(() => statuses(peer.text).length === 4)
    expect(statuses(peer.text)).toEqual([200, 200, 200, 200])
    await quiet(stack)
  })

  it('answers a ping with a pong (RFC 5626 §3.5.1)', async () => {
    await using stack = await openServer()
    await using peer = await openTcpPeer(contactOf(stack, 'tcp').port)
    await peer.write('\r\n\r')
    await peer.write('\n')
    await eventually(() => peer.text === '\r\n')
    await peer.write(rawRequest('OPTIONS', `${VIA}1`))
    await eventually(() => statuses(peer.text).length === 1)
  })

  it.each<[string, (text: string) => string, number]>([
    ['no length', (text) => text.replace(/Content-Length: 0\r\n/, ''), 400],
    ['a negative length', (text) => text.replace('Length: 0', 'Length: -1'), 400],
    ['two lengths', (text) => text.replace('Max-', 'Content-Length: 0\r\nMax-'), 400],
    ['an immense length', (text) => text.replace('Length: 0', 'Length: 4294967296'), 513],
    ['a lone LF in its head', (text) => text.replace('Max-', 'X: y\nMax-'), 400],
    ['a lone CR in its head', (text) => text.replace('Max-', 'X: y\rMax-'), 400],
    ['a header of 64 KB', (text) => text.replace('Max-', `X: ${'y'.repeat(65_536)}\r\nMax-`), 513],
    ['a thousand headers', (text) => text.replace('Max-', `${'X: y\r\n'.repeat(1_000)}Max-`), 513],
  ])('answers a message with %s and closes [A3]', async (_title, change, status) => {
    await using stack = await openServer()
    await using peer = await openTcpPeer(contactOf(stack, 'tcp').port)
    const smuggled = rawRequest('OPTIONS', `${VIA}smuggled`, { callId: 'smuggled' })
    await peer.write(change(rawRequest('OPTIONS', `${VIA}1`)) + smuggled)
    await peer.closed()
    expect(statuses(peer.text)).toEqual([status])
    await eventually(() => stack.stats().tcpConnections === 0)
  })

  it('lets nobody keep it from closing', async () => {
    await using stack = await openServer({ limits: { tcpIdleMs: 500 } })
    await using peer = await openTcpPeer(contactOf(stack, 'tcp').port, { allowHalfOpen: true })
    await peer.write(rawRequest('OPTIONS', `${VIA}1`).replace('Length: 0', 'Length: x'))
    await eventually(() => statuses(peer.text).length === 1)
    await eventually(() => stack.stats().tcpConnections === 0)
    await quiet(stack)
  })

  it('closes on what is no SIP at all', async () => {
    await using stack = await openServer()
    await using peer = await openTcpPeer(contactOf(stack, 'tcp').port)
    await peer.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n')
    await peer.closed()
    expect(peer.text).toBe('')
  })

  it('closes on half a message that is never finished, however slowly it grows [A4]', async () => {
    await using stack = await openServer({ limits: { tcpIdleMs: 800 } })
    const message = rawRequest('OPTIONS', `${VIA}1`)
    const endless = message.replace('Max-', `X-Long: ${'x'.repeat(7_000)}\r\nMax-`)
    await using silent = await openTcpPeer(contactOf(stack, 'tcp').port)
    await using slow = await openTcpPeer(contactOf(stack, 'tcp').port)
    await using late = await openTcpPeer(contactOf(stack, 'tcp').port)
    await late.write(message)
    await eventually(() => statuses(late.text).length === 1)
    await late.write(message.slice(0, 40))
    for (let at = 0; at < endless.length - 1 && !slow.isClosed; at++) {
      await slow.write(endless.charAt(at))
      // The pace of a slow sender, not a wait for anything.
      await new Promise((resolve) => setTimeout(resolve, 2))
    }
    await Promise.all([silent.closed(), slow.closed(), late.closed()])
    expect(statuses(slow.text)).toEqual([])
    await eventually(() => stack.stats().tcpConnections === 0)
    await quiet(stack)
  })

  it('serves others while a crowd of half messages waits [A4]', async () => {
    await using stack = await openServer({ limits: { tcpConnections: 40, tcpIdleMs: 800 } })
    const { port } = contactOf(stack, 'tcp')
    const crowd = await Promise.all(Array.from({ length: 39 }, () => openTcpPeer(port)))
    for (const each of crowd) await each.write('INVITE sip:')
    await using client = await openStack()
    expect(
      await finalStatus(await send(client, requestTo(contactOf(stack, 'tcp'), 'OPTIONS'))),
    ).toBe(200)
    await using newest = await openTcpPeer(port)
    await crowd[0]?.closed()
    await newest.closed()
    await Promise.all(crowd.map((each) => each.closed()))
    // The client's own connection is alone now, and stays.
    await eventually(() => stack.stats().tcpConnections === 1)
  })
})

describe('one address with many connections', () => {
  it('leaves the rest to others, and gets its own back as they close [A4]', async () => {
    await using stack = await openServer({
      limits: { tcpConnections: 10, tcpConnectionsPerSource: 4 },
    })
    const { port } = contactOf(stack, 'tcp')
    const greedy = await Promise.all(Array.from({ length: 4 }, () => openTcpPeer(port)))
    await eventually(() => stack.stats().tcpConnections === 4)
    await using tooMany = await openTcpPeer(port)
    await tooMany.closed()
    await using other = await openTcpPeer(port, { localAddress: '127.0.0.2' })
    await other.write(rawRequest('OPTIONS', `${VIA}other`))
    await eventually(() => statuses(other.text).length === 1)
    expect(greedy.map((each) => each.isClosed)).toEqual([false, false, false, false])

    await greedy[0]?.[Symbol.asyncDispose]()
    await eventually(() => stack.stats().tcpConnections === 4) // three and the other's
    await using next = await openTcpPeer(port)
    await next.write(rawRequest('OPTIONS', `${VIA}next`))
    await eventually(() => statuses(next.text).length === 1)
    for (const each of greedy) await each[Symbol.asyncDispose]()
  })
})

describe('strangers over TCP', () => {
  const limits = { tcpConnections: 12, tcpStrangers: 8, tcpStrangersPerSource: 3 }
  const from = (host: number) => ({ localAddress: `127.0.0.${String(host)}` })

  /** Refuses everybody but 127.0.0.200. */
  async function openGuarded(tcpStrangerMs = 60_000): Promise<SipStack> {
    const stack = await openStack({ limits: { ...limits, tcpStrangerMs } })
    const user = new RecordingUser((transaction) => {
      const isLetIn = transaction.from.address === '127.0.0.200'
      const { method } = transaction.request
      transaction.respond(makeResponse(isLetIn || method === 'OPTIONS' ? 200 : 403))
    })
    stack.setUser(user)
    return stack
  }

  /** Opens a connection that sends a whole message, and waits for its answer. */
  async function openAsked(port: number, host: number, method: string) {
    const peer = await openTcpPeer(port, from(host))
    const branch = `${VIA}${method}${String(host)}`
    await peer.write(rawRequest(method, branch, { callId: `${method}${String(host)}` }))
    await eventually(() => statuses(peer.text).length === 1)
    return peer
  }

  it('whose requests are refused leave room for those that were let in', async () => {
    await using stack = await openGuarded()
    const { port } = contactOf(stack, 'tcp')
    await using phone = await openAsked(port, 200, 'REGISTER')
    const crowd = []
    for (let host = 10; host < 30; host++) crowd.push(await openAsked(port, host, 'REGISTER'))
    await Promise.all(crowd.slice(0, 12).map((each) => each.closed()))
    expect(stack.stats().tcpConnections).toBe(9)
    expect([phone.isClosed, crowd.at(-1)?.isClosed]).toEqual([false, false])
    const others = []
    for (let id = 1; id <= 4; id++) others.push(await openTcpPeer(port, from(200)))
    await using last = await openTcpPeer(port, from(200))
    await last.write(rawRequest('OPTIONS', `${VIA}last`, { callId: 'last' }))
    await eventually(() => statuses(last.text).length === 1)
    for (const each of [...crowd, ...others]) await each[Symbol.asyncDispose]()
  })

  it('have few connections of one address, and none for long', async () => {
    await using stack = await openGuarded(300)
    const { port } = contactOf(stack, 'tcp')
    const crowd = []
    for (let id = 1; id <= 3; id++) crowd.push(await openTcpPeer(port, from(7)))
    await using tooMany = await openTcpPeer(port, from(7))
    await tooMany.closed()
    await using asked = await openAsked(port, 8, 'OPTIONS')
    await using phone = await openAsked(port, 200, 'REGISTER')
    await Promise.all([asked.closed(), ...crowd.map((each) => each.closed())])
    await eventually(() => stack.stats().tcpConnections === 1)
    expect(phone.isClosed).toBe(false)
  })
})

describe('a client over TCP', () => {
  it('uses one connection for one peer, in both directions', async () => {
    await using a = await openServer()
    await using b = await openServer()
    const first = await send(a, requestTo(contactOf(b, 'tcp'), 'OPTIONS', { callId: '1' }))
    const second = await send(a, requestTo(contactOf(b, 'tcp'), 'OPTIONS', { callId: '2' }))
    expect([await finalStatus(first), await finalStatus(second)]).toEqual([200, 200])
    expect([a.stats().tcpConnections, b.stats().tcpConnections]).toEqual([1, 1])
  })

  it('says at once when nobody listens there', async () => {
    await using a = await openStack()
    const gone = await openStack()
    const to = contactOf(gone, 'tcp')
    await gone[Symbol.asyncDispose]()
    const options = await send(a, requestTo(to, 'OPTIONS'))
    await eventually(() => options.failures.length > 0)
    expect(options.failures).toEqual(['transport'])
    await quiet(a)
  })

  it('gets its answer on a new connection when its own is gone (§18.2.2)', async () => {
    await using server = await openStack()
    const user = new RecordingUser()
    server.setUser(user)
    await using client = await openStack()
    const { port } = contactOf(client, 'tcp')
    const peer = await openTcpPeer(contactOf(server, 'tcp').port)
    await peer.write(rawRequest('OPTIONS', `SIP/2.0/TCP 127.0.0.1:${String(port)};branch=z9hG4bK1`))
    await eventually(() => user.requests.length === 1)
    await peer[Symbol.asyncDispose]()
    await eventually(() => server.stats().tcpConnections === 0)
    user.requests[0]?.respond(makeResponse(200))
    await eventually(() => client.stats().messagesReceived === 1)
  })
})
