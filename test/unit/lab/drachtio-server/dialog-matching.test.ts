/** Requests reach a dialog by Call-ID and both tags, in the order of their numbers (RFC 3261 §12.2.2). */
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type ControlClient, openControl } from '../../../support/sip/control-client.js'
import { type ServedLab, serveLab } from '../../../support/sip/drachtio-served.js'
import {
  openProbe,
  PROBE_SDP,
  ProbeCall,
  SDP_TYPE_LINE,
  type SipProbe,
  sipText,
} from '../../../support/sip/sip-probe.js'

let served: ServedLab
let control: ControlClient
let probe: SipProbe
let call: ProbeCall
beforeEach(async () => {
  served = await serveLab({ timing: { t1: 20, t2: 160, t4: 200 } })
  control = await openControl(served.controlPort, served.secret)
  await control.ask('route|invite')
  probe = await openProbe('udp', served.contact('udp'))
  call = new ProbeCall(probe, served.contact('udp'))
})
afterEach(async () => {
  await control[Symbol.asyncDispose]()
  await probe[Symbol.asyncDispose]()
  await served[Symbol.asyncDispose]()
})

async function invited(headers: readonly string[] = []): Promise<string> {
  call.request('INVITE', [SDP_TYPE_LINE, ...headers], PROBE_SDP)
  return (await control.event('INVITE')).transactionId
}

function respond(transactionId: string, head: readonly string[], body = ''): Promise<string> {
  return control.ask(`sip|${transactionId}|\r\n${head.join('\r\n')}\r\n\r\n${body}`)
}

async function connected(): Promise<void> {
  await respond(await invited(), ['SIP/2.0 200 OK'], PROBE_SDP)
  await call.answered('200')
  call.request('ACK')
  await control.event('ACK')
}

/** The dialog is as it was: its peer can still use it, and the application hears of nothing else. */
async function expectAlive(): Promise<void> {
  call.request('OPTIONS')
  const options = await control.event('')
  expect(options.frame).toMatch(/^OPTIONS /m)
  await respond(options.transactionId, ['SIP/2.0 200 OK'])
  await call.answered('200')
}

async function hungUp(): Promise<void> {
  call.request('BYE')
  const bye = await control.event('BYE')
  await respond(bye.transactionId, ['SIP/2.0 200 OK'])
  await call.answered('200')
}

describe('with a From tag that is not the peer’s', () => {
  it.each([
    'BYE',
    'INFO',
    'INVITE',
    'UPDATE',
    'NOTIFY',
  ])('%s gets 481, and the dialog and its sequence numbers stay as they were [A10]', async (method) => {
    await connected()
    const { remoteTag, sequence } = call
    call.localTag = 'forged'
    call.sequence = 1_000
    call.request(method, method === 'INVITE' ? [SDP_TYPE_LINE] : [], '')
    expect((await call.answered('481')).header('CSeq')).toBe(`1001 ${method}`)
    Object.assign(call, { localTag: 'probe1', remoteTag, sequence })
    await expectAlive()
    await hungUp()
  })

  it('an ACK does not count: the 200 is sent again', async () => {
    await respond(await invited(), ['SIP/2.0 200 OK'], PROBE_SDP)
    await call.answered('200')
    call.localTag = 'forged'
    call.request('ACK')
    await call.answered('200')
    await call.answered('200')
    call.localTag = 'probe1'
    call.request('ACK')
    await control.event('ACK')
    await hungUp()
  })
})

describe('a request with a number that is not higher than the last one', () => {
  it.each(['INFO', 'BYE', 'INVITE'])('%s gets 500', async (method) => {
    await connected()
    call.sequence = 10
    await expectAlive()
    call.sequence = 7
    call.request(method)
    await call.answered('500')
    call.sequence = 11
    await expectAlive()
    await hungUp()
  })

  it('gets 500 behind a PRACK too', async () => {
    const transactionId = await invited(['Supported: 100rel'])
    const sent = await respond(
      transactionId,
      ['SIP/2.0 183 Session Progress', 'Require: 100rel'],
      PROBE_SDP,
    )
    const progress = await call.answered('183')
    call.sequence = 10
    call.request('PRACK', [`RAck: ${progress.header('RSeq')} 1 INVITE`])
    const prack = await control.event('PRACK')
    await respond(prack.transactionId, ['SIP/2.0 200 OK'])
    await call.answered('200')
    call.sequence = 5
    call.request('INFO')
    await call.answered('500')
    expect(sent).toContain('183')
  })
})

describe('of a forked INVITE', () => {
  it('each branch is a dialog of its own: one hangs up, the other goes on', async () => {
    const uri = `sip:bob@127.0.0.1:${String(probe.port)}`
    await control.ask(`sip||\r\nINVITE ${uri} SIP/2.0\r\n\r\n${PROBE_SDP}`)
    const invite = await probe.receive('INVITE')
    const contact = `Contact: <sip:bob@127.0.0.1:${String(probe.port)}>`
    const accept = (toTag: string) => {
      invite.reply('200 OK', { headers: [contact, SDP_TYPE_LINE], body: PROBE_SDP, toTag })
    }
    accept('first')
    const answered = await control.event('SIP/2.0 200')
    await control.ask(`sip||${answered.dialogId}\r\nACK sip:placeholder SIP/2.0\r\n\r\n`)
    await probe.receive('ACK')
    accept('second')
    await probe.receive('ACK')
    ;(await probe.receive('BYE')).reply('200 OK')

    const bye = (tag: string) => {
      probe.send(
        sipText(`BYE ${uri} SIP/2.0`, [
          `Via: SIP/2.0/UDP 127.0.0.1:${String(probe.port)};rport;branch=z9hG4bKbye${tag}`,
          `From: ${invite.header('To')};tag=${tag}`,
          `To: ${invite.header('From')}`,
          `Call-ID: ${invite.header('Call-ID')}`,
          'CSeq: 1 BYE',
          'Max-Forwards: 70',
        ]),
      )
    }
    bye('second')
    await probe.receive('SIP/2.0 481')
    bye('first')
    const event = await control.event('')
    expect(event.frame).toContain('tag=first')
    await respond(event.transactionId, ['SIP/2.0 200 OK'])
    await probe.receive('SIP/2.0 200')
  })
})
