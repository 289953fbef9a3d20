import { describe, expect, it } from 'vitest'
import { makeResponse } from '../../../../../src/lab/sip/message/make-response.js'
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
import { openUdpPeer } from '../../../../support/sip/udp-peer.js'

const VIA = 'SIP/2.0/UDP 127.0.0.1;rport;branch=z9hG4bK'
const is = (status: number) => (text: string) => text.startsWith(`SIP/2.0 ${String(status)}`)
const headerOf = (text: string, name: string): string | undefined =>
  new RegExp(`^${name}: (.*)$`, 'm').exec(text)?.[1]?.trim()
/** True once the ACK of a refusal has come: then `confirmed`, and soon after `terminated`. */
const isAcknowledged = ({ requests, timeouts }: RecordingUser): boolean =>
  timeouts === 0 && /confirmed|terminated/.test(requests[0]?.state ?? '')

describe('a server over UDP', () => {
  it('answers at the source and says in the Via where it was (RFC 3581)', async () => {
    await using stack = await openStack()
    await using peer = await openUdpPeer()
    stack.setUser(new RecordingUser((transaction) => transaction.respond(makeResponse(200))))
    peer.send(
      rawRequest('OPTIONS', `${VIA}1, SIP/2.0/TCP far.example`),
      contactOf(stack, 'udp').port,
    )
    const answer = await peer.take(is(200))
    expect(answer.match(/^Via: .*$/gm)).toEqual([
      `Via: SIP/2.0/UDP 127.0.0.1;rport=${String(peer.port)};branch=z9hG4bK1;received=127.0.0.1`,
      'Via: SIP/2.0/TCP far.example',
    ])
  })

  it('sends a lost 200 again until the ACK, and is then quiet [A6]', async () => {
    await using stack = await openStack()
    await using peer = await openUdpPeer()
    const user = new RecordingUser((transaction) => transaction.respond(makeResponse(200)))
    stack.setUser(user)
    const { port } = contactOf(stack, 'udp')
    peer.send(rawRequest('INVITE', `${VIA}2`), port)
    const first = await peer.take(is(200))
    expect(await peer.take(is(200))).toBe(first)
    expect(await peer.take(is(200))).toBe(first)

    const toTag = /tag=(.*)/.exec(headerOf(first, 'To') ?? '')?.[1] ?? ''
    expect(toTag).toBe(user.requests[0]?.toTag)
    peer.send(rawRequest('ACK', `${VIA}3`, { callId: 'call-INVITE', toTag }), port)
    await eventually(() => user.acks.length === 1)
    user.requests[0]?.ackReceived()
    await quiet(stack)
  })

  it('refuses a stranger once, however long no ACK comes, and again for each copy (§26.3.2.4)', async () => {
    await using stack = await openStack({ timing: { t1: 2, t2: 8, t4: 10 } })
    await using peer = await openUdpPeer()
    const user = new RecordingUser((transaction) => transaction.respond(makeResponse(404)))
    stack.setUser(user)
    const { port } = contactOf(stack, 'udp')
    peer.send(rawRequest('INVITE', `${VIA}s1`), port)
    await eventually(() => user.timeouts === 1)
    await quiet(stack)
    expect(peer.received.map((each) => each.toString().slice(8, 11))).toEqual(['404'])
  })

  it('refuses once whoever acknowledges with a tag that is not ours', async () => {
    await using stack = await openStack({ timing: { t1: 2, t2: 8, t4: 10 } })
    await using peer = await openUdpPeer()
    const user = new RecordingUser((transaction) => transaction.respond(makeResponse(404)))
    stack.setUser(user)
    const { port } = contactOf(stack, 'udp')
    for (const call of ['f1', 'f2']) {
      const callId = `call-${call}`
      peer.send(rawRequest('INVITE', `${VIA}${call}`, { callId }), port)
      const refusal = await peer.take(is(404))
      expect(refusal).toContain(callId)
      peer.send(rawRequest('ACK', `${VIA}${call}`, { callId, toTag: 'guess' }), port)
      await quiet(stack)
    }
    expect(peer.received).toEqual([])
  })

  it('repeats a refusal to who has acknowledged one before (§17.2.1)', async () => {
    await using stack = await openStack({ timing: { t1: 2, t2: 8, t4: 10 } })
    await using peer = await openUdpPeer()
    const user = new RecordingUser((transaction) => transaction.respond(makeResponse(404)))
    stack.setUser(user)
    const { port } = contactOf(stack, 'udp')
    peer.send(rawRequest('INVITE', `${VIA}p1`, { callId: 'call-p1' }), port)
    const toTag = /tag=(.*)/.exec(headerOf(await peer.take(is(404)), 'To') ?? '')?.[1] ?? ''
    peer.send(rawRequest('ACK', `${VIA}p1`, { callId: 'call-p1', toTag }), port)
    await quiet(stack)
    peer.send(rawRequest('INVITE', `${VIA}p2`, { callId: 'call-p2' }), port)
    await peer.take(is(100))
    for (let copy = 0; copy < 3; copy++) await peer.take(is(404))
    await quiet(stack)
  })

  it('tells its user when no ACK ever comes', async () => {
    await using stack = await openStack({ timing: { t1: 2, t2: 8, t4: 10 } })
    await using peer = await openUdpPeer()
    const user = new RecordingUser((transaction) => transaction.respond(makeResponse(200)))
    stack.setUser(user)
    peer.send(rawRequest('INVITE', `${VIA}4`), contactOf(stack, 'udp').port)
    await eventually(() => user.timeouts > 0)
    await quiet(stack)
    expect(user.timeouts).toBe(1)
    // How often is a matter of the machine alone, and of its own test: a busy process sends fewer.
    const copies = () => peer.received.filter((each) => is(200)(each.toString())).length
    await eventually(() => copies() >= 2)
  })

  it('shows its user a request once, however often it comes [A5]', async () => {
    await using stack = await openStack()
    await using peer = await openUdpPeer()
    const user = new RecordingUser((transaction) => transaction.respond(makeResponse(486)))
    stack.setUser(user)
    for (let copy = 0; copy < 7; copy++)
      peer.send(rawRequest('INVITE', `${VIA}5`), contactOf(stack, 'udp').port)
    for (let copy = 0; copy < 7; copy++) await peer.take(is(486))
    expect(user.requests).toHaveLength(1)
    peer.send(rawRequest('ACK', `${VIA}5`, { callId: 'call-INVITE' }), contactOf(stack, 'udp').port)
    await eventually(() => isAcknowledged(user))
    expect(user.acks).toEqual([])
  })

  it('refuses a copy that came by another path with 482 (§8.2.2.2) [A5]', async () => {
    await using stack = await openStack()
    await using peer = await openUdpPeer()
    const user = new RecordingUser()
    stack.setUser(user)
    const { port } = contactOf(stack, 'udp')
    peer.send(rawRequest('INVITE', `${VIA}6a`), port)
    await peer.take(is(100))
    peer.send(rawRequest('INVITE', `${VIA}6b`), port)
    const refusal = await peer.take(is(482))
    const toTag = /tag=(.*)/.exec(headerOf(refusal, 'To') ?? '')?.[1] ?? ''
    peer.send(rawRequest('ACK', `${VIA}6b`, { callId: 'call-INVITE', toTag }), port)
    peer.send(rawRequest('INVITE', `${VIA}6c`, { cseq: 2 }), port)
    await eventually(() => user.requests.length === 2)
    // The ACK of the refusal is nobody's.
    expect(user.acks).toEqual([])
  })

  it('answers a CANCEL with the tag of its INVITE, and 481 when there is none', async () => {
    await using stack = await openStack()
    await using peer = await openUdpPeer()
    const user = new RecordingUser((transaction) => transaction.respond(makeResponse(180)))
    stack.setUser(user)
    const { port } = contactOf(stack, 'udp')
    peer.send(rawRequest('INVITE', `${VIA}7`), port)
    const ringing = await peer.take(is(180))
    peer.send(rawRequest('CANCEL', `${VIA}7`, { callId: 'call-INVITE' }), port)
    const ok = await peer.take(is(200))
    expect(headerOf(ok, 'To')).toBe(headerOf(ringing, 'To'))
    expect(user.cancels).toEqual([user.requests[0]])
    peer.send(rawRequest('CANCEL', `${VIA}7`, { callId: 'call-INVITE' }), port)
    await peer.take(is(200))
    expect(user.cancels).toHaveLength(1)
    peer.send(rawRequest('CANCEL', `${VIA}8`), port)
    await peer.take(is(481))
  })

  it('takes a second CANCEL-ed request for what it is: answered already', async () => {
    await using stack = await openStack()
    await using peer = await openUdpPeer()
    const user = new RecordingUser((transaction) => transaction.respond(makeResponse(200)))
    stack.setUser(user)
    const { port } = contactOf(stack, 'udp')
    peer.send(rawRequest('INVITE', `${VIA}9`), port)
    await peer.take(is(200))
    peer.send(rawRequest('CANCEL', `${VIA}9`, { callId: 'call-INVITE' }), port)
    await peer.take((text) => is(200)(text) && text.includes('CANCEL'))
    expect(user.cancels).toEqual([])
  })

  it('finds transactions of RFC 2543 peers by the whole request', async () => {
    await using stack = await openStack()
    await using peer = await openUdpPeer()
    const user = new RecordingUser((transaction) => transaction.respond(makeResponse(404)))
    stack.setUser(user)
    const { port } = contactOf(stack, 'udp')
    const via = `SIP/2.0/UDP 127.0.0.1:${String(peer.port)}`
    peer.send(rawRequest('INVITE', via), port)
    const refusal = await peer.take(is(404))
    const toTag = /tag=(.*)/.exec(headerOf(refusal, 'To') ?? '')?.[1] ?? ''
    peer.send(rawRequest('INVITE', via), port)
    peer.send(rawRequest('ACK', via, { callId: 'call-INVITE', toTag }), port)
    await eventually(() => isAcknowledged(user))
    expect([user.requests.length, user.acks.length]).toEqual([1, 0])
  })

  it('refuses with 503 what it has no room for, and says when to come back', async () => {
    await using stack = await openStack({ limits: { serverTransactions: 2 } })
    await using peer = await openUdpPeer()
    const user = new RecordingUser()
    stack.setUser(user)
    for (const id of ['a', 'b', 'c'])
      peer.send(rawRequest('OPTIONS', VIA + id, { callId: id }), contactOf(stack, 'udp').port)
    expect(headerOf(await peer.take(is(503)), 'Retry-After')).toBe('2')
    expect(user.requests).toHaveLength(2)
  })

  it('refuses a source that asks too often, then answers it nothing, and hears its dialogs [B13]', async () => {
    await using stack = await openStack({ sourceRate: 1 })
    await using peer = await openUdpPeer()
    const user = new RecordingUser((transaction) => transaction.respond(makeResponse(200)))
    stack.setUser(user)
    const { port } = contactOf(stack, 'udp')
    const calls = 20
    for (let call = 0; call < calls; call++)
      peer.send(rawRequest('OPTIONS', VIA + String(call), { callId: String(call) }), port)
    await eventually(() => stack.stats().messagesReceived === calls)
    // Two at once, ten refusals; a slow machine may have let time for a few more.
    const admitted = user.requests.length
    expect(admitted).toBeGreaterThanOrEqual(2)
    expect(stack.stats().requestsLimited).toBe(calls - admitted)
    peer.send(rawRequest('BYE', `${VIA}bye`, { callId: 'bye', toTag: 'ours' }), port)
    await eventually(() => user.requests.length === admitted + 1)
    const answers = () => peer.received.map((bytes) => bytes.toString())
    await eventually(() => answers().filter(is(200)).length === admitted + 1)
    const refused = answers().filter(is(503))
    expect(refused.length).toBe(Math.min(10, calls - admitted))
    expect(headerOf(refused[0] ?? '', 'Retry-After')).toBe('2')
  })

  it('answers a source that sends malformed requests no more often [B13]', async () => {
    await using stack = await openStack({ sourceRate: 1 })
    await using peer = await openUdpPeer()
    const { port } = contactOf(stack, 'udp')
    const sent = 40
    for (let i = 0; i < sent; i++)
      peer.send(`OPTIONS sip:a@b SIP/2.0\r\nv:${VIA}${String(i)}\r\n\r\n`, port)
    await eventually(() => stack.stats().messagesReceived === sent)
    const { requestsLimited: limited } = stack.stats()
    expect(limited).toBeGreaterThan(20)
    await eventually(() => peer.received.length === sent - limited + 10)
    expect(peer.received.map(String).filter(is(400))).toHaveLength(peer.received.length)
  })

  it('answers copies of a request no more often than requests of its dialogs [B13]', async () => {
    await using stack = await openStack({ sourceRate: 1, timing: { t1: 500 } })
    await using peer = await openUdpPeer()
    stack.setUser(new RecordingUser((transaction) => transaction.respond(makeResponse(200))))
    const { port } = contactOf(stack, 'udp')
    const sent = 100
    for (let i = 0; i < sent; i++)
      peer.send(rawRequest('OPTIONS', `${VIA}a`, { callId: 'a' }), port)
    await eventually(() => stack.stats().messagesReceived === sent)
    const { requestsLimited: limited } = stack.stats()
    expect(limited).toBeGreaterThan(70)
    await eventually(() => peer.received.length === sent - limited)
  })

  it('lets a source that calls too often take its calls back', async () => {
    await using stack = await openStack({ sourceRate: 1 })
    await using peer = await openUdpPeer()
    const user = new RecordingUser((transaction) => transaction.respond(makeResponse(180)))
    stack.setUser(user)
    const { port } = contactOf(stack, 'udp')
    for (const id of ['a', 'b', 'c', 'd', 'e'])
      peer.send(rawRequest('INVITE', VIA + id, { callId: id }), port)
    await peer.take(is(503))
    peer.send(rawRequest('CANCEL', `${VIA}a`, { callId: 'a' }), port)
    await eventually(() => user.cancels.length === 1)
  })

  it('lives on when its user fails, and refuses while it has none', async () => {
    await using stack = await openStack()
    await using peer = await openUdpPeer()
    const { port } = contactOf(stack, 'udp')
    peer.send(rawRequest('OPTIONS', `${VIA}a`, { callId: 'a' }), port)
    await peer.take(is(503))
    stack.setUser(
      new RecordingUser((transaction) => {
        transaction.respond(makeResponse(200))
        throw new Error('a user that fails')
      }),
    )
    peer.send(rawRequest('OPTIONS', `${VIA}b`, { callId: 'b' }), port)
    await peer.take(is(200))
  })

  it('takes keep-alives for nothing at all', async () => {
    await using stack = await openStack()
    await using peer = await openUdpPeer()
    stack.setUser(new RecordingUser((transaction) => transaction.respond(makeResponse(200))))
    const { port } = contactOf(stack, 'udp')
    for (const bytes of ['\r\n\r\n', '\r\n', '\0', '']) peer.send(bytes, port)
    peer.send(rawRequest('OPTIONS', `${VIA}k`), port)
    await peer.take(is(200))
    expect(stack.stats()).toMatchObject({ messagesReceived: 1, messagesDropped: 0 })
  })
})

describe('a client over UDP', () => {
  it('repeats a request that nobody answers, and fails after 64×T1', async () => {
    await using stack = await openStack({ timing: { t1: 2, t2: 8, t4: 10 } })
    await using peer = await openUdpPeer()
    const to = { transport: 'udp', address: '127.0.0.1', port: peer.port } as const
    const invite = await send(stack, requestTo(to, 'INVITE'))
    const options = await send(stack, requestTo(to, 'OPTIONS'))
    await eventually(() => invite.failures.length > 0 && options.failures.length > 0)
    expect([invite.failures, options.failures]).toEqual([['timeout'], ['timeout']])
    const count = (method: string) =>
      peer.received.filter((bytes) => bytes.toString().startsWith(method)).length
    await eventually(() => count('INVITE') >= 2 && count('OPTIONS') >= 2)
    await quiet(stack)
  })

  it('sends requests that a server can answer, and drops answers to none of them', async () => {
    await using stack = await openStack()
    await using peer = await openUdpPeer()
    const to = { transport: 'udp', address: '127.0.0.1', port: peer.port } as const
    const options = await send(stack, requestTo(to, 'OPTIONS'))
    const request = await peer.take()
    expect(headerOf(request, 'Max-Forwards')).toBe('70')
    expect(headerOf(request, 'Via')).toBe(
      `SIP/2.0/UDP 127.0.0.1:${String(contactOf(stack, 'udp').port)};rport;branch=${
        /branch=(.*)/.exec(request)?.[1] ?? ''
      }`,
    )
    const answer = request.replace(/^OPTIONS .*/, 'SIP/2.0 200 OK')
    peer.send(answer.replace('branch=z9hG4bK', 'branch=z9hG4bKx'), contactOf(stack, 'udp').port)
    peer.send(answer.replace('CSeq: 1 OPTIONS', 'CSeq: 1 BYE'), contactOf(stack, 'udp').port)
    await eventually(() => stack.stats().messagesDropped === 2)
    expect(options.responses).toEqual([])
    peer.send(answer, contactOf(stack, 'udp').port)
    expect(await finalStatus(options)).toBe(200)
  })

  it('drops and counts a 2xx that comes after its transaction ended (RFC 6026 §7.2)', async () => {
    await using stack = await openStack({ timing: { t1: 1, t2: 4, t4: 5 } })
    await using peer = await openUdpPeer()
    stack.setUser(new RecordingUser())
    const to = { transport: 'udp', address: '127.0.0.1', port: peer.port } as const
    const invite = await send(stack, requestTo(to, 'INVITE'))
    const ok = (await peer.take()).replace(/^INVITE .*/, 'SIP/2.0 200 OK')
    await eventually(() => invite.failures.length > 0)
    peer.send(ok, contactOf(stack, 'udp').port)
    await eventually(() => stack.stats().strayResponses === 1)
    expect(invite.responses).toEqual([])
  })

  it('is not answered from another address than it went to', async () => {
    await using stack = await openStack()
    await using peer = await openUdpPeer()
    await using other = await openUdpPeer('127.0.0.7')
    const to = { transport: 'udp', address: '127.0.0.1', port: peer.port } as const
    const invite = await send(stack, requestTo(to, 'INVITE'))
    const ok = (await peer.take()).replace(/^INVITE .*/, 'SIP/2.0 200 OK')
    other.send(ok, contactOf(stack, 'udp').port)
    await eventually(() => stack.stats().strayResponses === 1)
    expect(invite.responses).toEqual([])
    peer.send(ok, contactOf(stack, 'udp').port)
    expect(await finalStatus(invite)).toBe(200)
  })

  it('goes where the first loose route says', async () => {
    await using stack = await openStack()
    await using proxy = await openUdpPeer()
    const to = { transport: 'udp', address: '192.0.2.1', port: 9 } as const
    const route = {
      name: 'Route',
      value: `<sip:127.0.0.1:${String(proxy.port)};lr>, <sip:b.example;lr>`,
    }
    await send(stack, requestTo(to, 'OPTIONS', { headers: [route] }))
    expect(await proxy.take()).toMatch(/^OPTIONS sip:bob@192\.0\.2\.1:9/)
  })
})
