/**
 * The real client library against the server. With `DRACHTIO_URL` and `DRACHTIO_SIP_PORT` the same list
 * runs against a real server, which must pass it too.
 */
import { once } from 'node:events'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import {
  type ClientDialog,
  type ClientRequest,
  type ClientResponse,
  connectClient,
  type DrachtioClient,
  disconnectClient,
} from '../../../support/sip/drachtio-client.js'
import { type Served, serveDrachtio } from '../../../support/sip/drachtio-served.js'
import {
  openProbe,
  PROBE_SDP,
  ProbeCall,
  SDP_TYPE_LINE,
  type SipProbe,
} from '../../../support/sip/sip-probe.js'
import { eventually } from '../../../support/sip/sip-stacks.js'

let served: Served
let srf: DrachtioClient
beforeAll(async () => {
  served = await serveDrachtio()
})
afterAll(() => served[Symbol.asyncDispose]())
beforeEach(async () => {
  srf = await connectClient(served.controlPort, served.secret)
})
afterEach(() => disconnectClient(srf))

interface Invite {
  req: ClientRequest
  res: ClientResponse
}
const nextInvite = (): Promise<Invite> =>
  new Promise((resolve) => {
    srf.invite((req, res) => {
      resolve({ req, res })
    })
  })

describe.each(['udp', 'tcp'] as const)('over %s', (transport) => {
  let probe: SipProbe
  let call: ProbeCall
  beforeEach(async () => {
    probe = await openProbe(transport, served.contact(transport))
    call = new ProbeCall(probe, served.contact(transport))
  })
  afterEach(async () => {
    await probe[Symbol.asyncDispose]()
  })
  const uri = (port: number): string =>
    `sip:bob@127.0.0.1:${String(port)}${transport === 'tcp' ? ';transport=tcp' : ''}`

  it('takes an inbound call and hangs it up', async () => {
    const invited = nextInvite()
    await routed()
    call.request('INVITE', [SDP_TYPE_LINE, 'X-Name: Jürgen 😀'], PROBE_SDP)
    await probe.receive('SIP/2.0 100')
    const { req, res } = await invited
    expect(req.get('X-Name')).toBe('Jürgen 😀')
    expect(req.source_address).toBe('127.0.0.1')
    const dialog = await srf.createUAS(req, res, { localSdp: PROBE_SDP })
    const ok = await call.answered('200')
    expect(ok.body).toBe(PROBE_SDP)
    expect(ok.header('Content-Type')).toBe('application/sdp')
    const acked = once(dialog, 'ack')
    call.request('ACK')
    await acked
    const destroyed = dialog.destroy({ headers: { 'X-Grund': 'Grüße' } })
    const bye = await probe.receive('BYE')
    expect(bye.header('X-Grund')).toBe('Grüße')
    expect(bye.startLine).toContain(`127.0.0.1:${String(probe.port)}`)
    bye.reply('200 OK')
    await destroyed
    await eventually(() => served.isIdle())
  })

  it('tells of the caller hanging up', async () => {
    const dialog = await answeredCall()
    const destroyed = once(dialog, 'destroy')
    call.request('BYE')
    await destroyed
    await call.answered('200')
    await eventually(() => served.isIdle())
  })

  it('makes an outbound call: 180, 200, BYE from here', async () => {
    const provisional: number[] = []
    const dialling = srf.createUAC(
      uri(probe.port),
      { localSdp: PROBE_SDP, headers: { From: 'sip:+15550001111@localhost', 'X-Test': 'yes' } },
      { cbProvisional: (response) => provisional.push(response.status) },
    )
    const invite = await probe.receive('INVITE')
    expect(invite.header('X-Test')).toBe('yes')
    expect(invite.header('From')).toContain('+15550001111@127.0.0.1')
    invite.reply('180 Ringing')
    invite.reply('200 OK', { headers: [contactLine(), SDP_TYPE_LINE], body: PROBE_SDP })
    const dialog = await dialling
    const ack = await probe.receive('ACK')
    expect(ack.header('CSeq')).toBe(invite.header('CSeq').replace('INVITE', 'ACK'))
    expect(provisional).toEqual([180])
    const destroyed = dialog.destroy()
    const bye = await probe.receive('BYE')
    bye.reply('200 OK')
    await destroyed
    await eventually(() => served.isIdle())
  })

  it('makes an outbound call: BYE from there, non-ASCII SDP', async () => {
    const sdp = PROBE_SDP.replace('s=-', 's=Größe 😀')
    const dialling = srf.createUAC(uri(probe.port), { localSdp: sdp })
    const invite = await probe.receive('INVITE')
    expect(invite.body).toBe(sdp)
    expect(invite.header('Content-Length')).toBe(String(Buffer.byteLength(sdp)))
    invite.reply('200 OK', { headers: [contactLine(), SDP_TYPE_LINE], body: sdp })
    const dialog = await dialling
    expect(dialog.remote.sdp).toBe(sdp)
    await probe.receive('ACK')
    const destroyed = once(dialog, 'destroy')
    probe.send(byeInside(invite))
    await destroyed
    await probe.receive('SIP/2.0 200')
    await eventually(() => served.isIdle())
  })

  it('answers a digest challenge with an INVITE of the same call', async () => {
    const dialling = srf.createUAC(uri(probe.port), {
      localSdp: PROBE_SDP,
      auth: { username: 'me', password: 'secret' },
    })
    const first = await probe.receive('INVITE')
    first.reply('407 Proxy Authentication Required', {
      headers: ['Proxy-Authenticate: Digest realm="x", nonce="n1", algorithm=MD5, qop="auth"'],
    })
    await probe.receive('ACK')
    const second = await probe.receive('INVITE')
    expect(second.header('Call-ID')).toBe(first.header('Call-ID'))
    expect(second.header('From')).toBe(first.header('From'))
    expect(Number.parseInt(second.header('CSeq'))).toBe(Number.parseInt(first.header('CSeq')) + 1)
    expect(second.header('Proxy-Authorization')).toContain('username="me"')
    second.reply('200 OK', { headers: [contactLine(), SDP_TYPE_LINE], body: PROBE_SDP })
    const dialog = await dialling
    await probe.receive('ACK')
    await hangUp(dialog)
  })

  it('makes a call without an offer, its answer in the ACK', async () => {
    const dialling = srf.createUAC(uri(probe.port), {})
    const invite = await probe.receive('INVITE')
    expect(invite.body).toBe('')
    invite.reply('200 OK', { headers: [contactLine(), SDP_TYPE_LINE], body: PROBE_SDP })
    const ack = await probe.receive('ACK')
    expect(ack.header('Content-Type')).toBe('application/sdp')
    expect(ack.body).toContain('m=audio 40000')
    await hangUp(await dialling)
  })

  it.each([
    ['486 Busy Here', 486],
    ['603 Decline', 603],
    ['302 Moved Temporarily', 302],
  ])('reports a refused call: %s', async (line, status) => {
    const dialling = srf.createUAC(uri(probe.port), { localSdp: PROBE_SDP })
    const invite = await probe.receive('INVITE')
    invite.reply(line)
    await expect(dialling).rejects.toMatchObject({ status })
    await probe.receive('ACK')
    await eventually(() => served.isIdle())
  })

  it.each([
    'before any answer',
    'after 100',
    'after 180',
  ])('cancels an outbound call %s', async (when) => {
    const request = new Promise<ClientRequest>((resolve) => {
      srf
        .createUAC(
          uri(probe.port),
          { localSdp: PROBE_SDP },
          {
            cbRequest: (_error, req) => {
              resolve(req)
            },
          },
        )
        .catch(() => undefined)
    })
    const invite = await probe.receive('INVITE')
    if (when === 'after 100') invite.reply('100 Trying', { toTag: '' })
    if (when === 'after 180') invite.reply('180 Ringing')
    const req = await request
    const final = new Promise<ClientResponse>((resolve) => {
      req.on('response', (response: ClientResponse) => {
        if (response.status >= 200) resolve(response)
      })
    })
    const cancelled = new Promise((resolve) => {
      req.cancel(resolve)
    })
    await cancelled
    if (when === 'before any answer') invite.reply('180 Ringing')
    const cancel = await probe.receive('CANCEL')
    cancel.reply('200 OK')
    invite.reply('487 Request Terminated')
    expect((await final).status).toBe(487)
    await probe.receive('ACK')
    await eventually(() => served.isIdle())
  })

  it('ends a call whose 200 crossed the CANCEL with ACK and BYE', async () => {
    let sent: ClientRequest | undefined
    const dialling = srf.createUAC(
      uri(probe.port),
      { localSdp: PROBE_SDP },
      {
        cbRequest: (_error, req) => {
          sent = req
        },
      },
    )
    const invite = await probe.receive('INVITE')
    invite.reply('180 Ringing')
    const req = await eventually(() => sent)
    await new Promise((resolve) => {
      req.cancel(resolve)
    })
    invite.reply('200 OK', { headers: [contactLine(), SDP_TYPE_LINE], body: PROBE_SDP })
    const dialog = await dialling
    const destroyed = once(dialog, 'destroy')
    await probe.receive('ACK')
    const bye = await probe.receive('BYE')
    bye.reply('200 OK')
    await destroyed
    await eventually(() => served.isIdle())
  })

  it.each(['before 180', 'after 180'])('tells of a cancelled inbound call: %s', async (when) => {
    const invited = nextInvite()
    await routed()
    call.request('INVITE', [SDP_TYPE_LINE], PROBE_SDP)
    const { req, res } = await invited
    if (when === 'after 180') {
      res.send(180)
      await probe.receive('SIP/2.0 180')
    }
    const cancelled = new Promise((resolve) => {
      req.on('cancel', resolve)
    })
    call.request('CANCEL')
    await cancelled
    const ok = await probe.receive('SIP/2.0 200')
    expect(ok.header('CSeq')).toContain('CANCEL')
    await call.answered('487')
    call.request('ACK')
    await eventually(() => served.isIdle())
  })

  it('refuses an inbound call with the headers of the application', async () => {
    const invited = nextInvite()
    await routed()
    call.request('INVITE', [SDP_TYPE_LINE], PROBE_SDP)
    const { res } = await invited
    res.send(486, { headers: { 'X-Reason': 'probe' } })
    const busy = await call.answered('486')
    expect(busy.header('X-Reason')).toBe('probe')
    call.request('ACK')
    await eventually(() => served.isIdle())
  })

  it('carries a re-INVITE of the caller to the application and its answer back', async () => {
    const dialog = await answeredCall()
    const modified = new Promise<string>((resolve) => {
      dialog.on('modify', (req: ClientRequest, res: ClientResponse) => {
        resolve(req.body)
        res.send(200, { body: PROBE_SDP.replace('40000', '40002') })
      })
    })
    const held = PROBE_SDP.replace('sendrecv', 'sendonly')
    call.request('INVITE', [SDP_TYPE_LINE], held)
    expect(await modified).toBe(held)
    const ok = await call.answered('200')
    expect(ok.body).toContain('40002')
    const acked = once(dialog, 'ack')
    call.request('ACK')
    await acked
    await hangUp(dialog)
  })

  it('carries a re-INVITE of the application', async () => {
    const dialog = await answeredCall()
    const modifying = dialog.modify(PROBE_SDP.replace('40000', '40004'))
    const invite = await probe.receive('INVITE')
    expect(invite.body).toContain('40004')
    expect(invite.header('Contact')).not.toBe('')
    invite.reply('200 OK', { headers: [contactLine(), SDP_TYPE_LINE], body: PROBE_SDP })
    expect(await modifying).toBe(PROBE_SDP)
    const ack = await probe.receive('ACK')
    expect(ack.header('CSeq')).toBe(invite.header('CSeq').replace('INVITE', 'ACK'))
    await hangUp(dialog)
  })

  it.each([
    'INFO',
    'OPTIONS',
    'MESSAGE',
    'UPDATE',
    'REFER',
    'NOTIFY',
  ] as const)('carries %s both ways inside a dialog', async (method) => {
    const dialog = await answeredCall()
    const heard = new Promise<string>((resolve) => {
      dialog.on(method.toLowerCase(), (req: ClientRequest, res: ClientResponse) => {
        resolve(req.body)
        res.send(method === 'REFER' ? 202 : 200, { headers: { 'X-Heard': 'yes' } })
      })
    })
    const extra = method === 'NOTIFY' ? ['Event: refer', 'Subscription-State: active'] : []
    call.request(method, ['Content-Type: text/plain', 'Refer-To: <sip:x@y>', ...extra], 'hallo')
    expect(await heard).toBe('hallo')
    const response = await call.answered(method === 'REFER' ? '202' : '200')
    expect(response.header('X-Heard')).toBe('yes')

    const asking = dialog.request({
      method,
      body: 'tag auch',
      headers: {
        'Content-Type': 'text/plain',
        'Refer-To': '<sip:x@y>',
        Event: 'refer',
        'Subscription-State': 'active',
      },
    })
    const request = await probe.receive(method)
    expect(request.body).toBe('tag auch')
    request.reply('200 OK', { headers: ['X-Back: yes'] })
    expect((await asking).get('X-Back')).toBe('yes')
    await hangUp(dialog)
  })

  async function routed(): Promise<void> {
    // The route command has no callback; a request of ours is answered only after it was.
    const asking = new Promise((resolve, reject) => {
      srf.request(uri(probe.port), { method: 'OPTIONS' }, (error, req) => {
        if (error) reject(new Error('not sent', { cause: error }))
        else req.once('response', resolve)
      })
    })
    const options = await probe.receive('OPTIONS')
    options.reply('200 OK')
    await asking
  }

  async function answeredCall(): Promise<ClientDialog> {
    const invited = nextInvite()
    await routed()
    call.request('INVITE', [SDP_TYPE_LINE], PROBE_SDP)
    const { req, res } = await invited
    const dialog = await srf.createUAS(req, res, { localSdp: PROBE_SDP })
    await call.answered('200')
    const acked = once(dialog, 'ack')
    call.request('ACK')
    await acked
    return dialog
  }

  async function hangUp(dialog: ClientDialog): Promise<void> {
    const destroyed = dialog.destroy()
    const bye = await probe.receive('BYE')
    bye.reply('200 OK')
    await destroyed
    await eventually(() => served.isIdle())
  }

  function contactLine(): string {
    return `Contact: <sip:bob@127.0.0.1:${String(probe.port)}${transport === 'tcp' ? ';transport=tcp' : ''}>`
  }

  function byeInside(invite: { header(name: string): string }): string {
    const own = served.contact(transport)
    const lines = [
      `BYE sip:${own.address}:${String(own.port)} SIP/2.0`,
      `Via: SIP/2.0/${transport.toUpperCase()} 127.0.0.1:${String(probe.port)};rport;branch=z9hG4bKbye${invite.header('Call-ID').slice(0, 8)}`,
      `From: ${invite.header('To')};tag=probe`,
      `To: ${invite.header('From')}`,
      `Call-ID: ${invite.header('Call-ID')}`,
      'CSeq: 77 BYE',
      'Max-Forwards: 70',
      'Content-Length: 0',
    ]
    return `${lines.join('\r\n')}\r\n\r\n`
  }
})
