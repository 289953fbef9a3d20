/** What the server does on its own account: losses, time-outs, clients that go away. Times are short. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { type ControlClient, openControl } from '../../../support/sip/control-client.js'
import { type Served, serveLab } from '../../../support/sip/drachtio-served.js'
import {
  openProbe,
  PROBE_SDP,
  ProbeCall,
  type ProbeMessage,
  SDP_TYPE_LINE,
  type SipProbe,
} from '../../../support/sip/sip-probe.js'
import { eventually } from '../../../support/sip/sip-stacks.js'

let served: Served
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

const idle = (): Promise<boolean> => eventually(() => served.isIdle())

async function invited(headers: string[] = []): Promise<string> {
  call.request('INVITE', [SDP_TYPE_LINE, ...headers], PROBE_SDP)
  return (await control.event('INVITE')).transactionId
}

function respond(
  transactionId: string,
  status: string,
  headers: string[] = [],
  body = '',
): Promise<string> {
  return control.ask(
    `sip|${transactionId}|\r\n${[`SIP/2.0 ${status}`, ...headers].join('\r\n')}\r\n\r\n${body}`,
  )
}

async function connected(headers: string[] = [], ownHeaders: string[] = []): Promise<string> {
  const sent = await respond(await invited(headers), '200 OK', ownHeaders, PROBE_SDP)
  await call.answered('200')
  call.request('ACK')
  await control.event('ACK')
  return sent.split('|')[11] ?? ''
}

function inside(
  dialogId: string,
  method: string,
  headers: string[] = [],
  body = '',
): Promise<string> {
  return control.ask(
    `sip||${dialogId}\r\n${[`${method} sip:placeholder SIP/2.0`, ...headers].join('\r\n')}\r\n\r\n${body}`,
  )
}

async function dialled(
  headers: string[] = [],
): Promise<{ invite: ProbeMessage; transactionId: string }> {
  const uri = `sip:bob@127.0.0.1:${String(probe.port)}`
  const sent = await control.ask(
    `sip||\r\n${[`INVITE ${uri} SIP/2.0`, ...headers].join('\r\n')}\r\n\r\n${PROBE_SDP}`,
  )
  return { invite: await probe.receive('INVITE'), transactionId: sent.split('|')[10] ?? '' }
}

const contact = (): string => `Contact: <sip:bob@127.0.0.1:${String(probe.port)}>`
function accept(invite: ProbeMessage, headers: string[] = [], toTag = 'probe'): void {
  invite.reply('200 OK', {
    headers: [contact(), SDP_TYPE_LINE, ...headers],
    body: PROBE_SDP,
    toTag,
  })
}

async function hangUp(dialogId: string): Promise<void> {
  await inside(dialogId, 'BYE')
  const bye = await probe.receive('BYE')
  bye.reply('200 OK')
  await control.event('SIP/2.0 200')
  await idle()
}

/** The client goes, and another one comes. */
async function comeAgain(): Promise<void> {
  await control[Symbol.asyncDispose]()
  control = await openControl(served.controlPort, served.secret)
}

const tagIn = (party: string): string => /;tag=([^;>\s]+)/.exec(party)?.[1] ?? ''

describe('losses', () => {
  it('a lost 200 is sent again until the ACK', async () => {
    const transactionId = await invited()
    await respond(transactionId, '200 OK', [], PROBE_SDP)
    const first = await call.answered('200')
    const second = await call.answered('200')
    expect(second.text).toBe(first.text)
    call.request('ACK')
    const ack = await control.event('ACK')
    await hangUp(ack.dialogId)
  })

  it('without an ACK the call ends with BYE, and the application is told', async () => {
    await respond(await invited(), '200 OK', [], PROBE_SDP)
    const bye = await probe.receive('BYE')
    expect(bye.header('Reason')).toBe('SIP ;cause=200 ;text="ACK timeout"')
    const event = await control.event('BYE')
    expect(event.tokens[2]).toBe('application')
    expect(event.transactionId).toBe('unsolicited')
    expect(event.dialogId).toBe(`${call.callId};from-tag=probe1`)
    bye.reply('200 OK')
    await idle()
  })

  it('a 200 that comes again is acknowledged again', async () => {
    const { invite } = await dialled()
    accept(invite)
    const ok = await control.event('SIP/2.0 200')
    accept(invite)
    await inside(ok.dialogId, 'ACK')
    const first = await probe.receive('ACK')
    accept(invite)
    const second = await probe.receive('ACK')
    expect(second.header('CSeq')).toBe(first.header('CSeq'))
    await hangUp(ok.dialogId)
  })

  it('a second branch that answers is acknowledged and hung up', async () => {
    const { invite } = await dialled()
    accept(invite)
    const ok = await control.event('SIP/2.0 200')
    await inside(ok.dialogId, 'ACK')
    await probe.receive('ACK')
    accept(invite, [], 'second')
    const ack = await probe.receive('ACK')
    expect(ack.header('To')).toContain('tag=second')
    const bye = await probe.receive('BYE')
    expect(bye.header('To')).toContain('tag=second')
    bye.reply('200 OK')
    await hangUp(ok.dialogId)
  })

  it('an INVITE that nobody answers ends as 408', async () => {
    await dialled()
    const event = await control.event('SIP/2.0 408')
    expect(event.tokens.slice(2, 7)).toEqual(['network', '0', 'udp', '', '0'])
    await idle()
  })

  it('a BYE that nobody answers ends as 408, and with it the dialog', async () => {
    const dialogId = await connected()
    await inside(dialogId, 'BYE')
    await control.event('SIP/2.0 408')
    await idle()
  })
})

describe('a client that goes away', () => {
  it('leaves what rings to another client that knows its transaction', async () => {
    const transactionId = await invited()
    await respond(transactionId, '180 Ringing')
    await comeAgain()
    await respond(transactionId, '503 Service Unavailable')
    await call.answered('503')
    call.request('ACK')
    await idle()
  })

  it('leaves what rings refused when the server ends', async () => {
    await invited()
    await control[Symbol.asyncDispose]()
    await served[Symbol.asyncDispose]()
    await call.answered('503')
  })

  it('leaves its dialogs unknown to the network, until they end', async () => {
    await connected()
    await control[Symbol.asyncDispose]()
    call.request('INFO')
    await call.answered('481')
    call.request('BYE')
    await call.answered('481')
    await idle()
  })

  it('leaves its dialogs to another client that knows them', async () => {
    const dialogId = await connected()
    await comeAgain()
    await hangUp(dialogId)
  })

  it('leaves what it dialled to another client that knows its transaction', async () => {
    const { invite, transactionId } = await dialled()
    invite.reply('180 Ringing')
    await control.event('SIP/2.0 180')
    await comeAgain()
    await control.ask(`sip|${transactionId}|\r\nCANCEL sip:placeholder SIP/2.0\r\n\r\n`)
    const cancel = await probe.receive('CANCEL')
    cancel.reply('200 OK')
    invite.reply('487 Request Terminated')
    await probe.receive('ACK')
    await idle()
  })

  it('leaves an answer that crosses its going to another client', async () => {
    const { invite } = await dialled()
    await comeAgain()
    accept(invite)
    const dialogId = `${invite.header('Call-ID')};from-tag=${tagIn(invite.header('From'))}`
    await expect.poll(() => inside(dialogId, 'ACK')).toContain('|OK|')
    await probe.receive('ACK')
    await inside(dialogId, 'BYE')
    const bye = await probe.receive('BYE')
    bye.reply('200 OK')
    await idle()
  })
})

describe('session timers', () => {
  it('repeat the interval of the caller, who refreshes', async () => {
    const transactionId = await invited(['Session-Expires: 1800;refresher=uac', 'Supported: timer'])
    await respond(transactionId, '200 OK', [], PROBE_SDP)
    const ok = await call.answered('200')
    expect(ok.header('Session-Expires')).toBe('1800;refresher=uac')
    expect(ok.header('Require')).toBe('timer')
    call.request('ACK')
    const ack = await control.event('ACK')
    await hangUp(ack.dialogId)
  })

  it('are not begun when the caller leaves open who refreshes', async () => {
    const transactionId = await invited(['Session-Expires: 1800', 'Supported: timer'])
    await respond(transactionId, '200 OK', [], PROBE_SDP)
    const ok = await call.answered('200')
    expect(ok.header('Session-Expires')).toBe('')
    call.request('ACK')
    const ack = await control.event('ACK')
    await hangUp(ack.dialogId)
  })

  it('take the interval of the application', async () => {
    const transactionId = await invited(['Supported: timer'])
    await respond(transactionId, '200 OK', ['Session-Expires: 120;refresher=uas'], PROBE_SDP)
    const ok = await call.answered('200')
    expect(ok.header('Session-Expires')).toBe('120;refresher=uas')
    call.request('ACK')
    const ack = await control.event('ACK')
    await hangUp(ack.dialogId)
  })

  it('refuse a call that wants too little, which may come again with enough', async () => {
    call.request('INVITE', [SDP_TYPE_LINE, 'Session-Expires: 89', 'Supported: timer'], PROBE_SDP)
    const refused = await call.answered('422')
    expect(refused.header('Min-SE')).toBe('90')
    call.remoteTag = ''
    // The application hears of this call alone.
    const dialogId = await connected(['Session-Expires: 90;refresher=uac', 'Supported: timer'])
    await hangUp(dialogId)
  })

  it('refuse a refresh that wants too little', async () => {
    const dialogId = await connected()
    call.request('UPDATE', ['Session-Expires: 30'])
    const refused = await call.answered('422')
    expect(refused.header('Min-SE')).toBe('90')
    await hangUp(dialogId)
  })

  describe('of 120 seconds that the caller has to refresh', () => {
    beforeEach(async () => {
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
      await connected(['Session-Expires: 120;refresher=uac', 'Supported: timer'])
    })
    afterEach(() => {
      vi.useRealTimers()
    })

    /** RFC 4028 §10: the BYE comes 32 seconds before the end. */
    async function expectByeWithin(seconds: number): Promise<void> {
      vi.advanceTimersByTime(seconds * 1_000)
      vi.useRealTimers()
      const bye = await probe.receive('BYE')
      bye.reply('200 OK')
      await idle()
    }

    it('end the call when nobody does', async () => {
      await expectByeWithin(88)
    })

    it.each(['INVITE', 'UPDATE'])('go on after a %s that is refused with 422', async (method) => {
      call.request(method, ['Session-Expires: 30'])
      await call.answered('422')
      await expectByeWithin(88)
    })

    it.each([
      ['without an interval', []],
      ['with another interval', ['Session-Expires: 1800;refresher=uac']],
    ])('go on after a re-INVITE %s that the application refuses', async (_title, headers) => {
      call.request('INVITE', [SDP_TYPE_LINE, ...headers], PROBE_SDP)
      const reinvite = await control.event('INVITE')
      await respond(reinvite.transactionId, '488 Not Acceptable Here')
      await call.answered('488')
      await expectByeWithin(88)
    })

    it('begin anew with an UPDATE that the application takes', async () => {
      call.request('UPDATE', ['Session-Expires: 240;refresher=uac'])
      const update = await control.event('UPDATE')
      await respond(update.transactionId, '200 OK')
      await call.answered('200')
      vi.advanceTimersByTime(200_000)
      expect(served.isIdle()).toBe(false)
      await expectByeWithin(8)
    })
  })
})

describe('reliable provisional responses', () => {
  it('go out when the application requires it, and their PRACK comes in', async () => {
    const transactionId = await invited(['Supported: 100rel'])
    const sent = await respond(
      transactionId,
      '183 Session Progress',
      ['Require: 100rel'],
      PROBE_SDP,
    )
    expect(sent).toMatch(/\r\nRSeq: \d+\r\n/)
    const progress = await call.answered('183')
    const repeated = await call.answered('183')
    expect(repeated.header('RSeq')).toBe(progress.header('RSeq'))
    call.request('PRACK', [`RAck: ${progress.header('RSeq')} 1 INVITE`])
    const prack = await control.event('PRACK')
    expect(prack.dialogId).toBe(`${call.callId};from-tag=probe1`)
    await respond(prack.transactionId, '200 OK')
    await call.answered('200')
    await respond(transactionId, '486 Busy Here')
    await call.answered('486', 1)
    call.request('ACK')
    await idle()
  })

  it.each([
    '486 Busy Here',
    '200 OK',
  ])('of the application make %s before the PRACK an invalid order, of which drachtio dies', async (final) => {
    const transactionId = await invited(['Require: 100rel'])
    await respond(transactionId, '180 Ringing', ['Require: 100rel'])
    expect(await respond(transactionId, final)).toMatch(/\|NOK\|invalid order: /)
  })

  it('are made by the server itself when the caller requires them, with their PRACK', async () => {
    const transactionId = await invited(['Require: 100rel'])
    expect(await respond(transactionId, '180 Ringing')).toMatch(/\r\nRSeq: \d+\r\n/)
    const ringing = await call.answered('180')
    expect(ringing.header('Require')).toBe('100rel')
    call.request('PRACK', [`RAck: ${ringing.header('RSeq')} 1 INVITE`])
    await call.answered('200')
    await respond(transactionId, '486 Busy Here')
    await call.answered('486', 1)
    call.request('ACK')
    await idle()
  })

  it('of the server let a final answer overtake the PRACK of a ringing without SDP', async () => {
    const transactionId = await invited(['Require: 100rel'])
    await respond(transactionId, '180 Ringing')
    await respond(transactionId, '486 Busy Here')
    await call.answered('486')
    call.request('ACK')
    await idle()
  })

  it('of the server with SDP hold a 200 back: drachtio sends it from freed memory', async () => {
    const transactionId = await invited(['Require: 100rel'])
    await respond(transactionId, '183 Session Progress', [], PROBE_SDP)
    expect(await respond(transactionId, '200 OK', [], PROBE_SDP)).toMatch(/\|NOK\|invalid order: /)
  })

  it('are refused when the caller does not know them', async () => {
    const transactionId = await invited()
    const sent = await respond(transactionId, '183 Session Progress', ['Require: 100rel'])
    expect(sent).toMatch(/\|NOK\|Remote endpoint does not support 100rel$/)
    await respond(transactionId, '480 Temporarily Unavailable')
    await call.answered('480')
    call.request('ACK')
    await idle()
  })

  it('come in once each, and their PRACK goes out', async () => {
    const { invite } = await dialled(['Supported: 100rel'])
    const reliable = { headers: [contact(), 'Require: 100rel', 'RSeq: 7'] }
    invite.reply('183 Session Progress', reliable)
    const progress = await control.event('SIP/2.0 183')
    invite.reply('183 Session Progress', reliable)
    const number = /(\d+) INVITE/.exec(invite.header('CSeq'))?.[1] ?? ''
    await inside(progress.dialogId, 'PRACK', [`RAck: 7 ${number} INVITE`])
    const prack = await probe.receive('PRACK')
    expect(prack.header('RAck')).toBe(`7 ${number} INVITE`)
    prack.reply('200 OK')
    await control.event('SIP/2.0 200')
    accept(invite)
    const ok = await control.event('SIP/2.0 200')
    expect(ok.dialogId).toBe(progress.dialogId)
    await inside(ok.dialogId, 'ACK')
    const ack = await probe.receive('ACK')
    expect(ack.header('CSeq')).toBe(`${number} ACK`)
    await hangUp(ok.dialogId)
  })
})

describe('routes of a dialog', () => {
  const record = (): string => `Record-Route: <sip:127.0.0.1:${String(probe.port)};lr>`

  it('are repeated to the caller and followed', async () => {
    const transactionId = await invited([record()])
    await respond(transactionId, '200 OK', [], PROBE_SDP)
    const ok = await call.answered('200')
    expect(ok.header('Record-Route')).toBe(record().slice('Record-Route: '.length))
    call.request('ACK')
    const ack = await control.event('ACK')
    await inside(ack.dialogId, 'INFO', ['Content-Type: text/plain'], 'x')
    const info = await probe.receive('INFO')
    expect(info.header('Route')).toBe(record().slice('Record-Route: '.length))
    info.reply('200 OK')
    await control.event('SIP/2.0 200')
    await hangUp(ack.dialogId)
  })

  it('are learnt from the answer', async () => {
    const { invite } = await dialled()
    accept(invite, [record()])
    const ok = await control.event('SIP/2.0 200')
    await inside(ok.dialogId, 'ACK')
    const ack = await probe.receive('ACK')
    expect(ack.header('Route')).toBe(record().slice('Record-Route: '.length))
    await hangUp(ok.dialogId)
  })

  it('an UPDATE before the answer travels under the INVITE', async () => {
    const transactionId = await invited()
    await respond(transactionId, '180 Ringing')
    await call.answered('180')
    call.request('UPDATE', [SDP_TYPE_LINE], PROBE_SDP)
    const update = await control.event('UPDATE')
    expect(update.transactionId).toBe(transactionId)
    await respond(transactionId, '200 OK', ['cseq: 2 UPDATE'], PROBE_SDP)
    const ok = await call.answered('200')
    expect(ok.header('CSeq')).toBe('2 UPDATE')
    await respond(transactionId, '486 Busy Here', ['cseq: 1 INVITE'])
    await call.answered('486', 1)
    call.request('ACK')
    await idle()
  })
})

describe('several clients', () => {
  it('take calls in turn', async () => {
    const other = await openControl(served.controlPort, served.secret)
    await other.ask('route|invite')
    const refuse = async (client: ControlClient): Promise<void> => {
      const { transactionId } = await client.event('INVITE')
      await client.ask(`sip|${transactionId}|\r\nSIP/2.0 486 Busy Here\r\n\r\n`)
    }
    for (const client of [control, other, control, other]) {
      const next = new ProbeCall(probe, served.contact('udp'))
      next.request('INVITE', [SDP_TYPE_LINE], PROBE_SDP)
      await refuse(client)
      await next.answered('486')
      next.request('ACK')
    }
    await idle()
    await other[Symbol.asyncDispose]()
  })
})
