/** Responses that belong to no INVITE of ours, from strangers and from peers that we do call. */
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type ControlClient, openControl } from '../../../support/sip/control-client.js'
import { type ServedLab, serveLab } from '../../../support/sip/drachtio-served.js'
import {
  openProbe,
  PROBE_SDP,
  SDP_TYPE_LINE,
  type SipProbe,
} from '../../../support/sip/sip-probe.js'
import { eventually } from '../../../support/sip/sip-stacks.js'
import { openUdpPeer, type UdpPeer } from '../../../support/sip/udp-peer.js'

const SOURCE_RATE = 50

let served: ServedLab
let control: ControlClient
let stranger: UdpPeer
beforeEach(async () => {
  served = await serveLab({ timing: { t1: 20, t2: 160, t4: 200 }, sourceRate: SOURCE_RATE })
  control = await openControl(served.controlPort, served.secret)
  stranger = await openUdpPeer()
})
afterEach(async () => {
  await stranger[Symbol.asyncDispose]()
  await control[Symbol.asyncDispose]()
  await served[Symbol.asyncDispose]()
})

interface Stray {
  readonly branch?: string
  readonly callId?: string
  readonly tags?: { readonly from: string; readonly to: string }
  readonly headers?: readonly string[]
}

function ok(stray: Stray = {}): string {
  const { branch = 'z9hG4bKstray', callId = 'stray@203.0.113.9', tags, headers = [] } = stray
  const { address, port } = served.contact('udp')
  return [
    'SIP/2.0 200 OK',
    `Via: SIP/2.0/UDP ${address}:${String(port)};rport;branch=${branch}`,
    `From: <sip:a@example.org>;tag=${tags?.from ?? 'a'}`,
    `To: <sip:b@example.net>;tag=${tags?.to ?? 'b'}`,
    `Call-ID: ${callId}`,
    'CSeq: 1 INVITE',
    `Contact: <sip:b@127.0.0.1:${String(stranger.port)}>`,
    ...headers,
    'Content-Length: 0',
    '',
    '',
  ].join('\r\n')
}

/** Resolves when everything that was sent before has been processed. */
async function processed(): Promise<void> {
  const { port } = served.contact('udp')
  for (const round of ['1', '2', '3']) {
    await using other = await openUdpPeer()
    other.send(
      [
        `BYE sip:x@127.0.0.1 SIP/2.0`,
        `Via: SIP/2.0/UDP 127.0.0.1:${String(other.port)};branch=z9hG4bKmark${round}${String(other.port)}`,
        'From: <sip:a@example.org>;tag=mark',
        'To: <sip:b@example.net>;tag=nobodys',
        `Call-ID: mark-${round}-${String(other.port)}`,
        'CSeq: 1 BYE',
        'Content-Length: 0',
        '',
        '',
      ].join('\r\n'),
      port,
    )
    await other.take((text) => text.startsWith('SIP/2.0 481'))
  }
}

describe('a 200 to an INVITE that nobody sent', () => {
  it('is answered with nothing, and counted', async () => {
    const before = served.sipStats()
    for (let copy = 0; copy < 5; copy++) stranger.send(ok(), served.contact('udp').port)
    await processed()
    expect(stranger.received.map(String)).toEqual([])
    const after = served.sipStats()
    expect(after.strayResponses - before.strayResponses).toBe(5)
    expect(after.clientTransactions).toBe(0)
  })

  it('opens no connection to where its Record-Route points', async () => {
    const victim = createServer()
    let connections = 0
    victim.on('connection', (socket) => {
      connections++
      socket.destroy()
    })
    victim.listen(0, '127.0.0.1')
    await once(victim, 'listening')
    const { port } = victim.address() as AddressInfo // a listening TCP server has one
    const route = `Record-Route: <sip:127.0.0.1:${String(port)};transport=tcp;lr>`
    stranger.send(ok({ headers: [route] }), served.contact('udp').port)
    await processed()
    expect(connections).toBe(0)
    expect(served.sipStats().tcpConnections).toBe(0)
    victim.close()
    await once(victim, 'close')
  })

  it('counts against its source as a request does', async () => {
    const flood = 5 * SOURCE_RATE
    const before = served.sipStats().requestsLimited
    for (let index = 0; index < flood; index++)
      stranger.send(ok({ callId: `flood-${String(index)}` }), served.contact('udp').port)
    await processed()
    expect(stranger.received).toEqual([])
    expect(served.sipStats().requestsLimited - before).toBeGreaterThan(2 * SOURCE_RATE)
  })
})

describe('of an INVITE that we sent', () => {
  let callee: SipProbe
  beforeEach(async () => {
    callee = await openProbe('udp', served.contact('udp'))
  })
  afterEach(async () => {
    await callee[Symbol.asyncDispose]()
  })

  async function dialled() {
    const uri = `sip:bob@127.0.0.1:${String(callee.port)}`
    await control.ask(`sip||\r\nINVITE ${uri} SIP/2.0\r\n\r\n${PROBE_SDP}`)
    const invite = await callee.receive('INVITE')
    const branch = /branch=([^;\s]+)/.exec(invite.header('Via'))?.[1] ?? ''
    const from = /;tag=([^;\s]+)/.exec(invite.header('From'))?.[1] ?? ''
    return { invite, branch, from, callId: invite.header('Call-ID') }
  }

  it('a 200 with another Call-ID or From tag is answered with nothing', async () => {
    const { invite, branch, from, callId } = await dialled()
    invite.reply('180 Ringing')
    await control.event('SIP/2.0 180')
    const { port } = served.contact('udp')
    stranger.send(ok({ branch, tags: { from, to: 'b' } }), port)
    stranger.send(ok({ branch, callId, tags: { from: 'another', to: 'b' } }), port)
    await processed()
    expect(stranger.received.map(String)).toEqual([])
    expect(served.sipStats().strayResponses).toBe(2)
    invite.reply('486 Busy Here')
    await callee.receive('ACK')
    await control.event('SIP/2.0 486')
  })

  it('another branch that answers is hung up once, however often it answers', async () => {
    const { invite } = await dialled()
    const accept = (toTag: string) => {
      const contact = `Contact: <sip:bob@127.0.0.1:${String(callee.port)}>`
      invite.reply('200 OK', { headers: [contact, SDP_TYPE_LINE], body: PROBE_SDP, toTag })
    }
    accept('first')
    const answered = await control.event('SIP/2.0 200')
    await control.ask(`sip||${answered.dialogId}\r\nACK sip:placeholder SIP/2.0\r\n\r\n`)
    await callee.receive('ACK')
    accept('second')
    const bye = await callee.receive('BYE')
    expect(bye.header('To')).toContain('tag=second')
    bye.reply('200 OK')
    for (let copy = 0; copy < 4; copy++) accept('second')
    // Each 200 wants its ACK (RFC 3261 §13.2.2.4), the dialog one BYE.
    for (let ack = 0; ack < 5; ack++)
      expect((await callee.receive('ACK')).header('To')).toContain('tag=second')
    await processed()
    expect(callee.inbox.filter(({ startLine }) => startLine.startsWith('BYE'))).toEqual([])
  })

  it('branches beyond ten are answered with nothing', async () => {
    const { invite } = await dialled()
    const contact = `Contact: <sip:bob@127.0.0.1:${String(callee.port)}>`
    for (let branch = 0; branch < 30; branch++)
      invite.reply('200 OK', {
        headers: [contact, SDP_TYPE_LINE],
        body: PROBE_SDP,
        toTag: `fork${String(branch)}`,
      })
    const answered = await control.event('SIP/2.0 200')
    await control.ask(`sip||${answered.dialogId}\r\nACK sip:placeholder SIP/2.0\r\n\r\n`)
    const hungUp = () => {
      const byes = callee.inbox.filter(({ startLine }) => startLine.startsWith('BYE'))
      return new Set(byes.map((bye) => bye.header('To'))).size
    }
    await eventually(() => hungUp() >= 10)
    await processed()
    expect(hungUp()).toBe(10)
  })
})
