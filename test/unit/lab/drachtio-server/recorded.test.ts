/**
 * Frames as a real server was recorded to write them, ids and times left out: `#` stands for a number,
 * `U` for a UUID, `TAG` for a tag, `TIME` for a time of day. A real server passes this too
 * (`DRACHTIO_URL`), but for the few tests that say otherwise.
 */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type ControlClient, openControl } from '../../../support/sip/control-client.js'
import { type Served, serveDrachtio } from '../../../support/sip/drachtio-served.js'
import {
  openProbe,
  PROBE_SDP,
  ProbeCall,
  SDP_TYPE_LINE,
  type SipProbe,
} from '../../../support/sip/sip-probe.js'
import { eventually } from '../../../support/sip/sip-stacks.js'

const isReal = process.env['DRACHTIO_URL'] !== undefined

let served: Served
let control: ControlClient
let probe: SipProbe
let call: ProbeCall
beforeAll(async () => {
  served = await serveDrachtio()
})
afterAll(() => served[Symbol.asyncDispose]())
beforeEach(async () => {
  control = await openControl(served.controlPort, served.secret)
  probe = await openProbe('udp', served.contact('udp'))
  call = new ProbeCall(probe, served.contact('udp'), 'trunk')
})
afterEach(async () => {
  await control[Symbol.asyncDispose]()
  await probe[Symbol.asyncDispose]()
})

/** Lines of a frame without what differs from run to run. */
function lines(frame: string): string[] {
  const own = String(served.contact('udp').port)
  return (
    frame
      .replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'U')
      .replaceAll(/\bm\d+(?=\|)/g, 'M')
      .replaceAll(call.callId, 'CALL')
      .replaceAll(call.callId.replace('@', '-'), 'CALL')
      .replace(/\d\d:\d\d:\d\d\.\d{6}/, 'TIME')
      .replace(/\|(network|application)\|\d+\|/, '|$1|#|')
      .replaceAll(`:${own}`, ':OWN')
      .replaceAll(`|${own}|`, '|OWN|')
      .replaceAll(`:${String(probe.port)}`, ':PROBE')
      .replaceAll(`|${String(probe.port)}|`, '|PROBE|')
      .replaceAll(`=${String(probe.port)}`, '=PROBE')
      // RFC 3581 §4 wants it with rport; the real server leaves it out.
      .replaceAll(';received=127.0.0.1', '')
      .replaceAll(/;tag=(?!probe)[\w-]+/g, ';tag=TAG')
      .replaceAll(/from-tag=(?!probe)[\w-]+/g, 'from-tag=TAG')
      .replaceAll(/branch=z9hG4bK(?!CALL)[\w.-]+/g, 'branch=BRANCH')
      .replaceAll(
        /^(Content-Length: *|CSeq: )\d+/gim,
        (_all, name: string) => `${name.trimEnd()} #`,
      )
      .split('\r\n')
      // The media description is passed on untouched and compared elsewhere.
      .filter((line) => line !== '' && !/^[a-z]=/.test(line))
  )
}

function header(frame: string, name: string): string {
  return new RegExp(`^${name}: (.*)\r$`, 'm').exec(frame)?.[1] ?? ''
}

async function inbound(): Promise<{ transactionId: string; dialogId: string }> {
  await control.ask('route|invite')
  call.request('INVITE', [SDP_TYPE_LINE], PROBE_SDP)
  const invite = await control.event('INVITE')
  const ok = await control.ask(
    `sip|${invite.transactionId}|\r\nSIP/2.0 200 OK\r\nContent-Length: 3\r\n\r\n${PROBE_SDP}`,
  )
  await call.answered('200')
  call.request('ACK')
  await control.event('ACK')
  return { transactionId: invite.transactionId, dialogId: ok.split('|')[11] ?? '' }
}

describe('authentication', () => {
  it('tells addresses and version', async () => {
    const fresh = await openControl(served.controlPort)
    const response = await fresh.ask(`authenticate|${served.secret}|tag1,tag2`)
    expect(lines(response)[0]?.replace(/\|v0\.9\.10[\w.-]*/, '|VERSION')).toBe(
      'U|response|M|OK|tcp/127.0.0.1:OWN,udp/127.0.0.1:OWN|VERSION|tcp/127.0.0.1:OWN,udp/127.0.0.1:OWN',
    )
    await fresh[Symbol.asyncDispose]()
  })

  it('refuses a wrong secret and closes', async () => {
    const fresh = await openControl(served.controlPort)
    expect(lines(await fresh.ask('authenticate|wrong|'))).toEqual([
      'U|response|M|NO|incorrect secret',
    ])
    await fresh.closed()
  })

  it.skipIf(isReal)('comes first (a real server does not ask for it)', async () => {
    const fresh = await openControl(served.controlPort)
    expect(lines(await fresh.ask('route|invite'))).toEqual(['U|response|M|NO|not authenticated'])
    await fresh.closed()
  })
})

describe('commands', () => {
  it('pong', async () => {
    expect(lines(await control.ask('ping'))).toEqual(['U|response|M|OK|pong'])
  })

  it('routes come and go', async () => {
    expect(lines(await control.ask('route|invite'))).toEqual(['U|response|M|OK'])
    expect(lines(await control.ask('remove_route|invite'))).toEqual(['U|response|M|OK'])
    call.request('INVITE', [SDP_TYPE_LINE], PROBE_SDP)
    await call.answered('503')
    call.request('ACK')
  })

  it('what it does not know is refused, and the connection closed', async () => {
    expect(lines(await control.ask('dance|now'))).toEqual(['U|response|M|NO|Unknown message type'])
    await control.closed()
  })

  it.each([
    [
      'a response to nothing',
      'sip|00000000-0000-0000-0000-000000000000|\r\nSIP/2.0 200 OK\r\ncseq: 1 INVITE\r\n\r\n',
      'Response not sent due to unknown transaction',
    ],
    [
      'BYE in an unknown dialog',
      'sip||nobody;from-tag=x\r\nBYE sip:placeholder SIP/2.0\r\n\r\n',
      'Server error: unable to find dialog for dialog id provided',
    ],
    [
      'ACK in an unknown dialog',
      'sip||nobody;from-tag=x\r\nACK sip:x@127.0.0.1 SIP/2.0\r\n\r\n',
      'Server error: ACK for non-success final response is automatically generated by server',
    ],
    [
      'CANCEL of an unknown transaction',
      'sip|gone|\r\nCANCEL sip:x@127.0.0.1 SIP/2.0\r\n\r\n',
      'unable to cancel unknown transaction id: gone',
    ],
    [
      'a body of an unsaid type',
      'sip||\r\nMESSAGE sip:x@127.0.0.1 SIP/2.0\r\n\r\nhello',
      'missing content-type',
    ],
  ])('says why a message was not sent: %s', async (_title, command, reason) => {
    expect(lines(await control.ask(command))).toEqual([`U|response|M|NOK|${reason}`])
  })

  it('sends nothing to itself', async () => {
    const own = `sip:x@127.0.0.1:${String(served.contact('udp').port)}`
    const response = await control.ask(`sip||\r\nOPTIONS ${own} SIP/2.0\r\n\r\n`)
    expect(lines(response)).toEqual(['U|response|M|NOK|can not send request to myself'])
  })
})

describe('an inbound call', () => {
  it('is told as recorded: INVITE, 180, 200, ACK, BYE', async () => {
    await control.ask('route|invite')
    call.request('INVITE', ['Subject: probe', SDP_TYPE_LINE], PROBE_SDP)
    const invite = await control.event('INVITE')
    expect(lines(invite.frame)).toEqual([
      'U|sip|network|#|udp|127.0.0.1|PROBE|TIME|U||127.0.0.1|OWN|',
      'INVITE sip:trunk@127.0.0.1:OWN SIP/2.0',
      'Via: SIP/2.0/UDP 127.0.0.1:PROBE;rport=PROBE;branch=z9hG4bKCALL1INVITE',
      'From: "Probe" <sip:+15551230000@127.0.0.1:PROBE>;tag=probe1',
      'To: <sip:trunk@127.0.0.1:OWN>',
      'Call-ID: CALL',
      'CSeq: # INVITE',
      'Contact: <sip:probe@127.0.0.1:PROBE>',
      'Max-Forwards: 70',
      'Subject: probe',
      'Content-Type: application/sdp',
      'Content-Length: #',
    ])
    const appHeaders =
      `Call-ID: ${call.callId}\r\ncseq: 1 INVITE\r\nfrom: ${header(invite.frame, 'From')}\r\n` +
      `to: ${header(invite.frame, 'To')}`
    const ringing = await control.ask(
      `sip|${invite.transactionId}|\r\nSIP/2.0 180 Ringing\r\n${appHeaders}\r\nContent-Length: 0\r\n\r\n`,
    )
    expect(lines(ringing)).toEqual([
      'U|response|M|OK|application|#|udp|127.0.0.1|PROBE|TIME|U|CALL;from-tag=probe1||Msg sent:|',
      'SIP/2.0 180 Ringing',
      'Via: SIP/2.0/UDP 127.0.0.1:PROBE;rport=PROBE;branch=z9hG4bKCALL1INVITE',
      'From: "Probe" <sip:+15551230000@127.0.0.1:PROBE>;tag=probe1',
      'To: <sip:trunk@127.0.0.1:OWN>;tag=TAG',
      'Call-ID: CALL',
      'CSeq: # INVITE',
      'Content-Length: #',
    ])
    const ok = await control.ask(
      `sip|${invite.transactionId}|\r\nSIP/2.0 200 OK\r\n${appHeaders}\r\nX-Foo: bar\r\n\r\n${PROBE_SDP}`,
    )
    expect(lines(ok)).toEqual([
      'U|response|M|OK|application|#|udp|127.0.0.1|PROBE|TIME|U|CALL;from-tag=probe1||Msg sent:|',
      'SIP/2.0 200 OK',
      'Via: SIP/2.0/UDP 127.0.0.1:PROBE;rport=PROBE;branch=z9hG4bKCALL1INVITE',
      'From: "Probe" <sip:+15551230000@127.0.0.1:PROBE>;tag=probe1',
      'To: <sip:trunk@127.0.0.1:OWN>;tag=TAG',
      'Call-ID: CALL',
      'CSeq: # INVITE',
      'Contact: <sip:127.0.0.1:OWN>',
      'Content-Type: application/sdp',
      'Content-Length: #',
      'X-Foo: bar',
    ])
    await call.answered('200')
    call.request('ACK')
    const ack = await control.event('ACK')
    expect(ack.transactionId).toBe(invite.transactionId)
    expect(lines(ack.frame)[0]).toBe(
      'U|sip|network|#||127.0.0.1|PROBE|TIME|U|CALL;from-tag=probe1|',
    )
    call.request('BYE')
    const bye = await control.event('BYE')
    expect(lines(bye.frame).slice(0, 2)).toEqual([
      'U|sip|network|#|udp|127.0.0.1|PROBE|TIME|U|CALL;from-tag=probe1|',
      'BYE sip:trunk@127.0.0.1:OWN SIP/2.0',
    ])
    const done = await control.ask(`sip|${bye.transactionId}|\r\nSIP/2.0 200 OK\r\n\r\n`)
    expect(lines(done)).toEqual([
      'U|response|M|OK|application|#||127.0.0.1|PROBE|TIME|U|||Msg sent:|',
      'SIP/2.0 200 OK',
      'Via: SIP/2.0/UDP 127.0.0.1:PROBE;rport=PROBE;branch=z9hG4bKCALL2BYE',
      'From: "Probe" <sip:+15551230000@127.0.0.1:PROBE>;tag=probe1',
      'To: <sip:trunk@127.0.0.1:OWN>;tag=TAG',
      'Call-ID: CALL',
      'CSeq: # BYE',
      'Content-Length: #',
    ])
    await eventually(() => served.isIdle())
  })

  it('is cancelled as recorded', async () => {
    await control.ask('route|invite')
    call.request('INVITE', [SDP_TYPE_LINE], PROBE_SDP)
    const invite = await control.event('INVITE')
    await control.ask(`sip|${invite.transactionId}|\r\nSIP/2.0 180 Ringing\r\n\r\n`)
    await probe.receive('SIP/2.0 180')
    call.request('CANCEL')
    const cancel = await control.event('CANCEL')
    expect(cancel.transactionId).toBe(invite.transactionId)
    expect(lines(cancel.frame)[0]).toBe(
      'U|sip|network|#|udp|127.0.0.1|PROBE|TIME|U|CALL;from-tag=probe1|',
    )
    const late = await control.ask(`sip|${invite.transactionId}|\r\nSIP/2.0 200 OK\r\n\r\n`)
    expect(lines(late)).toEqual(['U|response|M|NOK|Response not sent due to unknown transaction'])
    await call.answered('487')
    call.request('ACK')
    await eventually(() => served.isIdle())
  })

  it('is hung up from here as recorded', async () => {
    const { dialogId } = await inbound()
    const sent = await control.ask(`sip||${dialogId}\r\nBYE sip:placeholder SIP/2.0\r\n\r\n`)
    expect(lines(sent)).toEqual([
      'U|response|M|OK|application|#|udp|127.0.0.1|OWN|TIME|U|Msg sent:|',
      'BYE sip:probe@127.0.0.1:PROBE SIP/2.0',
      'Via: SIP/2.0/UDP 127.0.0.1:OWN;rport;branch=BRANCH',
      'Max-Forwards: 70',
      'From: <sip:trunk@127.0.0.1:OWN>;tag=TAG',
      'To: "Probe" <sip:+15551230000@127.0.0.1:PROBE>;tag=probe1',
      'Call-ID: CALL',
      'CSeq: # BYE',
      'Content-Length: #',
    ])
    const bye = await probe.receive('BYE')
    bye.reply('200 OK')
    const ok = await control.event('SIP/2.0 200')
    expect(lines(ok.frame)[0]).toBe(
      'U|sip|network|#|udp|127.0.0.1|PROBE|TIME|U|CALL;from-tag=probe1|',
    )
    await eventually(() => served.isIdle())
  })

  it.skipIf(isReal)(
    'is found by its Call-ID alone (real servers mean to, but do not)',
    async () => {
      await inbound()
      await control.ask(`sip||\r\nBYE sip:placeholder SIP/2.0\r\nCall-ID: ${call.callId}\r\n\r\n`)
      const bye = await probe.receive('BYE')
      bye.reply('200 OK')
      await eventually(() => served.isIdle())
    },
  )

  it.each(['INFO', 'OPTIONS'])('tells of %s inside, and of the answer as sent', async (method) => {
    const { dialogId } = await inbound()
    call.request(method)
    const event = await control.event(method)
    expect(lines(event.frame)[0]).toBe(
      'U|sip|network|#|udp|127.0.0.1|PROBE|TIME|U|CALL;from-tag=probe1|',
    )
    const sent = await control.ask(`sip|${event.transactionId}|\r\nSIP/2.0 200 OK\r\n\r\n`)
    expect(lines(sent)[0]).toBe(
      'U|response|M|OK|application|#||127.0.0.1|PROBE|TIME|U|CALL;from-tag=probe1||Msg sent:|',
    )
    await hangUp(dialogId)
  })

  it('tells of a re-INVITE, the answer as sent, and its ACK', async () => {
    const { dialogId, transactionId } = await inbound()
    call.request('INVITE', [SDP_TYPE_LINE], PROBE_SDP)
    const event = await control.event('INVITE')
    expect(event.transactionId).not.toBe(transactionId)
    expect(lines(event.frame)[0]).toBe(
      'U|sip|network|#|udp|127.0.0.1|PROBE|TIME|U|CALL;from-tag=probe1|',
    )
    const sent = await control.ask(
      `sip|${event.transactionId}|\r\nSIP/2.0 200 OK\r\n\r\n${PROBE_SDP}`,
    )
    expect(lines(sent)[0]).toBe(
      'U|response|M|OK|application|#|udp|127.0.0.1|PROBE|TIME|U|CALL;from-tag=probe1||Msg sent:|',
    )
    await call.answered('200')
    call.request('ACK')
    const ack = await control.event('ACK')
    expect(ack.dialogId).toBe(dialogId)
    await hangUp(dialogId)
  })

  async function hangUp(dialogId: string): Promise<void> {
    await control.ask(`sip||${dialogId}\r\nBYE sip:placeholder SIP/2.0\r\n\r\n`)
    const bye = await probe.receive('BYE')
    bye.reply('200 OK')
    await control.event('SIP/2.0 200')
    await eventually(() => served.isIdle())
  }
})

describe('an outbound request', () => {
  it('INVITE is echoed as recorded, its refusal told, its ACK refused', async () => {
    const sent = await control.ask(
      `sip||\r\nINVITE sip:bob@127.0.0.1:${String(probe.port)} SIP/2.0\r\n` +
        `From: sip:+15550001111@127.0.0.1\r\nX-Test: yes\r\ncontact: sip:+15550001111@localhost\r\n` +
        `User-Agent: me\r\nContent-Length: 1\r\n\r\n${PROBE_SDP}`,
    )
    expect(lines(sent).map((line) => line.replace(/^Call-ID: .*/, 'Call-ID: NEW'))).toEqual([
      'U|response|M|OK|application|#|udp|127.0.0.1|OWN|TIME|U|Msg sent:|',
      'INVITE sip:bob@127.0.0.1:PROBE SIP/2.0',
      'Via: SIP/2.0/UDP 127.0.0.1:OWN;rport;branch=BRANCH',
      'Max-Forwards: 70',
      'From: <sip:+15550001111@127.0.0.1>;tag=TAG',
      'To: <sip:bob@127.0.0.1:PROBE>',
      'Call-ID: NEW',
      'CSeq: # INVITE',
      'Contact: <sip:+15550001111@127.0.0.1:OWN>',
      'User-Agent: me',
      'Content-Type: application/sdp',
      'Content-Length: #',
      'X-Test: yes',
    ])
    const invite = await probe.receive('INVITE')
    invite.reply('486 Busy Here')
    const busy = await control.event('SIP/2.0 486')
    expect(lines(busy.frame)[0]).toBe('U|sip|network|#|udp|127.0.0.1|PROBE|TIME|U|U;from-tag=TAG|')
    const ack = await control.ask(
      `sip||${busy.dialogId}\r\nACK sip:bob@127.0.0.1:${String(probe.port)} SIP/2.0\r\n\r\n`,
    )
    expect(lines(ack)).toEqual([
      'U|response|M|NOK|Server error: ACK for non-success final response is automatically generated by server',
    ])
    await eventually(() => served.isIdle())
  })

  it('INVITE without From and body is filled in as recorded', async () => {
    const sent = await control.ask(
      `sip||\r\nINVITE sip:bob@127.0.0.1:${String(probe.port)} SIP/2.0\r\n\r\n`,
    )
    expect(lines(sent).filter((line) => /^(From|To|Contact|Content)/.test(line))).toEqual([
      'From: <sip:127.0.0.1:OWN>;tag=TAG',
      'To: <sip:bob@127.0.0.1:PROBE>',
      'Contact: <sip:127.0.0.1:OWN>',
      'Content-Length: #',
    ])
    const invite = await probe.receive('INVITE')
    invite.reply('603 Decline')
    await control.event('SIP/2.0 603')
  })

  it('OPTIONS is told without a dialog', async () => {
    await control.ask(`sip||\r\nOPTIONS sip:bob@127.0.0.1:${String(probe.port)} SIP/2.0\r\n\r\n`)
    const options = await probe.receive('OPTIONS')
    options.reply('200 OK')
    const ok = await control.event('SIP/2.0 200')
    expect(lines(ok.frame)[0]).toBe('U|sip|network|#|udp|127.0.0.1|PROBE|TIME|U||')
  })

  it('ACK for a 200 is echoed as recorded', async () => {
    await control.ask(
      `sip||\r\nINVITE sip:bob@127.0.0.1:${String(probe.port)} SIP/2.0\r\n\r\n${PROBE_SDP}`,
    )
    const invite = await probe.receive('INVITE')
    const contact = `Contact: <sip:bob@127.0.0.1:${String(probe.port)};transport=udp>`
    invite.reply('200 OK', { headers: [contact, SDP_TYPE_LINE], body: PROBE_SDP })
    const ok = await control.event('SIP/2.0 200')
    const ack = await control.ask(
      `sip||${ok.dialogId}\r\nACK sip:bob@127.0.0.1:${String(probe.port)} SIP/2.0\r\n\r\n`,
    )
    expect(lines(ack).map((line) => line.replace(/^Call-ID: .*/, 'Call-ID: NEW'))).toEqual([
      'U|response|M|OK|application|#|udp|127.0.0.1|OWN|TIME|U|Msg sent:|',
      'ACK sip:bob@127.0.0.1:PROBE;transport=udp SIP/2.0',
      'Via: SIP/2.0/UDP 127.0.0.1:OWN;rport;branch=BRANCH',
      'Max-Forwards: 70',
      'From: <sip:127.0.0.1:OWN>;tag=TAG',
      'To: <sip:bob@127.0.0.1:PROBE>;tag=probe',
      'Call-ID: NEW',
      'CSeq: # ACK',
      'Content-Length: #',
    ])
    await control.ask(`sip||${ok.dialogId}\r\nBYE sip:placeholder SIP/2.0\r\n\r\n`)
    const bye = await probe.receive('BYE')
    bye.reply('200 OK')
    await control.event('SIP/2.0 200')
    await eventually(() => served.isIdle())
  })

  it('to nobody is answered 503, as recorded', async () => {
    const gone = await openProbe('udp')
    const port = String(gone.port)
    await gone[Symbol.asyncDispose]()
    await control.ask(`sip||\r\nINVITE sip:bob@127.0.0.1:${port} SIP/2.0\r\n\r\n${PROBE_SDP}`)
    const failed = await control.event('SIP/2.0 503')
    expect(failed.frame.split('\r\n')[0]?.replaceAll(/[0-9a-f-]{36}/g, 'U')).toMatch(
      /^U\|sip\|network\|0\|udp\|\|0\|[\d:.]+\|U\|U;from-tag=[\w-]+\|$/,
    )
    await eventually(() => served.isIdle())
  })
})
