import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { SipStack } from '../../../../../src/lab/sip/model/stack-types.js'
import { createUserAgent } from '../../../../../src/lab/sip/user-agent/user-agent.js'
import type {
  IncomingCall,
  SipCallEnd,
  SipCallEvents,
  UserAgent,
} from '../../../../../src/lab/sip/user-agent/user-agent-types.js'
import { createLogger } from '../../../../../src/platform/log.js'
import {
  openProbe,
  PROBE_SDP,
  ProbeCall,
  SDP_TYPE_LINE,
  type SipProbe,
} from '../../../../support/sip/sip-probe.js'
import { contactOf, eventually, openStack, quiet } from '../../../../support/sip/sip-stacks.js'

const log = createLogger('silent')
const ANSWER = PROBE_SDP.replace('40000', '50000')
const HELD = PROBE_SDP.replace('sendrecv', 'sendonly')

let stack: SipStack
let userAgent: UserAgent
let probe: SipProbe
let call: ProbeCall
let invites: IncomingCall[]
beforeEach(async () => {
  stack = await openStack({ timing: { t1: 20, t2: 160, t4: 200 } })
  userAgent = createUserAgent(stack, { log, name: 'agent', contactUser: 'us', maxCalls: 2 })
  invites = []
  userAgent.onInvite((invite) => invites.push(invite))
  probe = await openProbe('udp', contactOf(stack, 'udp'))
  call = new ProbeCall(probe, contactOf(stack, 'udp'))
})
afterEach(async () => {
  await userAgent[Symbol.asyncDispose]()
  await stack[Symbol.asyncDispose]()
  await probe[Symbol.asyncDispose]()
})

async function clean(): Promise<void> {
  await eventually(() => userAgent.dialogCount() === 0)
}

async function invited(headers: string[] = [], body = PROBE_SDP): Promise<IncomingCall> {
  call.request('INVITE', [...(body === '' ? [] : [SDP_TYPE_LINE]), ...headers], body)
  return eventually(() => invites[0])
}

async function connected(
  events: SipCallEvents = {},
  headers: string[] = [],
): Promise<{ invite: IncomingCall; ended: SipCallEnd[] }> {
  const invite = await invited(headers)
  const ended: SipCallEnd[] = []
  let isConfirmed = false
  invite.setEvents({
    onConfirmed: () => {
      isConfirmed = true
    },
    onEnded: (end) => ended.push(end),
    ...events,
  })
  invite.answer(ANSWER)
  await call.answered('200')
  call.request('ACK')
  await eventually(() => isConfirmed)
  return { invite, ended }
}

describe('answering', () => {
  it('rings, answers, is hung up', async () => {
    const invite = await invited()
    expect(invite.offer).toBe(PROBE_SDP)
    invite.ring(180)
    const ringing = await call.answered('180')
    expect(ringing.header('Contact')).toMatch(/^<sip:us@127\.0\.0\.1:\d+>$/)
    const ended: SipCallEnd[] = []
    invite.setEvents({ onEnded: (end) => ended.push(end) })
    invite.answer(ANSWER, [{ name: 'X-Extra', value: '1' }])
    const ok = await call.answered('200')
    expect(ok.body).toBe(ANSWER)
    expect(ok.header('X-Extra')).toBe('1')
    expect(ok.header('Allow')).toContain('UPDATE')
    expect(ok.header('User-Agent')).toBe('agent')
    call.request('ACK')
    call.request('BYE', ['Reason: Q.850;cause=16'])
    await eventually(() => ended.length > 0)
    expect(ended).toEqual([{ by: 'them', status: 200, reason: 'Q.850;cause=16' }])
    await call.answered('200')
    await clean()
  })

  it('repeats Record-Route, and sends its own requests along it', async () => {
    const invite = await invited([`Record-Route: <sip:127.0.0.1:${String(probe.port)};lr>`])
    invite.answer(ANSWER)
    const ok = await call.answered('200')
    expect(ok.header('Record-Route')).toBe(`<sip:127.0.0.1:${String(probe.port)};lr>`)
    call.request('ACK')
    invite.hangup()
    const bye = await probe.receive('BYE')
    expect(bye.header('Route')).toBe(`<sip:127.0.0.1:${String(probe.port)};lr>`)
    bye.reply('200 OK')
    await clean()
  })

  it('repeats the 200 until the ACK [A6]', async () => {
    const invite = await invited()
    let isConfirmed = false
    invite.setEvents({
      onConfirmed: () => {
        isConfirmed = true
      },
    })
    invite.answer(ANSWER)
    const first = await call.answered('200')
    const second = await call.answered('200')
    expect(second.text).toBe(first.text)
    call.request('ACK')
    await eventually(() => isConfirmed)
    call.request('BYE')
    await clean()
  })

  it('without any ACK sends BYE and ends [A6]', async () => {
    const invite = await invited()
    const ended: SipCallEnd[] = []
    invite.setEvents({ onEnded: (end) => ended.push(end) })
    invite.answer(ANSWER)
    const bye = await probe.receive('BYE')
    expect(ended).toEqual([{ by: 'timeout', status: 200, reason: 'no ACK' }])
    bye.reply('200 OK')
    await clean()
  })

  it('hung up before the ACK waits for it with the BYE', async () => {
    const invite = await invited()
    const ended: SipCallEnd[] = []
    invite.setEvents({ onEnded: (end) => ended.push(end) })
    invite.answer(ANSWER)
    await call.answered('200')
    invite.hangup()
    expect(ended).toEqual([{ by: 'us', status: 200 }])
    expect(probe.inbox.some(({ startLine }) => startLine.startsWith('BYE'))).toBe(false)
    call.request('ACK')
    const bye = await probe.receive('BYE')
    bye.reply('200 OK')
    await clean()
  })

  it('takes a late answer from the ACK', async () => {
    const invite = await invited([], '')
    const answers: string[] = []
    invite.setEvents({ onAnswer: (sdp) => answers.push(sdp) })
    expect(invite.offer).toBeUndefined()
    invite.answer(ANSWER)
    await call.answered('200')
    call.request('ACK', [SDP_TYPE_LINE], PROBE_SDP)
    await eventually(() => answers.length > 0)
    expect(answers).toEqual([PROBE_SDP])
    call.request('BYE')
    await clean()
  })

  it('without the answer it waits for ends the call', async () => {
    const invite = await invited([], '')
    const ended: SipCallEnd[] = []
    invite.setEvents({ onEnded: (end) => ended.push(end) })
    invite.answer(ANSWER)
    await call.answered('200')
    call.request('ACK')
    const bye = await probe.receive('BYE')
    expect(ended).toMatchObject([{ by: 'timeout' }])
    bye.reply('200 OK')
    await clean()
  })
})

describe('not answering', () => {
  it.each(['before 180', 'after 180'])('is cancelled %s', async (when) => {
    const invite = await invited()
    const ended: SipCallEnd[] = []
    invite.setEvents({ onEnded: (end) => ended.push(end) })
    if (when === 'after 180') {
      invite.ring(180)
      await call.answered('180')
    }
    call.request('CANCEL')
    await call.answered('487')
    call.request('ACK')
    expect(ended).toEqual([{ by: 'them', status: 487 }])
    invite.answer(ANSWER)
    await clean()
  })

  it.each<[string, (invite: IncomingCall) => void, string]>([
    [
      'reject',
      (invite) => {
        invite.reject(486, 'Busy', [{ name: 'X-Why', value: 'x' }])
      },
      '486 Busy',
    ],
    [
      'hangup',
      (invite) => {
        invite.hangup()
        invite.hangup()
      },
      '480',
    ],
  ])('refuses by %s, once', async (_title, refuse, status) => {
    const invite = await invited()
    const ended: SipCallEnd[] = []
    invite.setEvents({ onEnded: (end) => ended.push(end) })
    refuse(invite)
    await call.answered(status)
    call.request('ACK')
    expect(ended).toHaveLength(1)
    await clean()
  })

  it.each<[string, string, string[], string]>([
    ['an extension it does not know', 'INVITE', ['Require: gruu'], '420'],
    ['a session interval that is too short', 'INVITE', ['Session-Expires: 30'], '422'],
    ['a method outside of calls', 'MESSAGE', [], '405'],
    ['BYE without a call', 'BYE', [], '481'],
  ])('refuses %s', async (_title, method, headers, status) => {
    call.request(method, headers)
    await call.answered(status)
    if (method === 'INVITE') call.request('ACK')
    expect(invites).toEqual([])
    await clean()
  })

  it('answers OPTIONS', async () => {
    call.request('OPTIONS')
    const ok = await call.answered('200')
    expect(ok.header('Allow')).toContain('INVITE')
    expect(ok.header('Accept')).toBe('application/sdp')
    await clean()
  })

  it('refuses calls over its limit', async () => {
    for (let index = 0; index < 2; index++)
      new ProbeCall(probe, contactOf(stack, 'udp')).request('INVITE', [SDP_TYPE_LINE], PROBE_SDP)
    await eventually(() => invites.length === 2)
    call.request('INVITE', [SDP_TYPE_LINE], PROBE_SDP)
    await call.answered('503')
    call.request('ACK')
    for (const invite of invites) invite.hangup()
  })

  it('answers 481 to a dialog it does not know', async () => {
    call.remoteTag = 'stranger'
    call.request('INFO')
    await call.answered('481')
    await clean()
  })
})

describe('within a call', () => {
  it('answers a new offer', async () => {
    const { invite } = await connected({ onOffer: (sdp) => Promise.resolve(`${sdp}a=x\r\n`) })
    call.request('INVITE', [SDP_TYPE_LINE], HELD)
    const ok = await call.answered('200')
    expect(ok.body).toBe(`${HELD}a=x\r\n`)
    call.request('ACK')
    call.request('UPDATE', [SDP_TYPE_LINE], PROBE_SDP)
    expect((await call.answered('200')).body).toBe(`${PROBE_SDP}a=x\r\n`)
    await hangUp(invite)
  })

  it('refuses a new offer as it is told to', async () => {
    const { invite } = await connected({ onOffer: () => Promise.resolve({ refuse: 488 }) })
    call.request('INVITE', [SDP_TYPE_LINE], HELD)
    await call.answered('488')
    call.request('ACK')
    await hangUp(invite)
  })

  it('offers its own description in a re-INVITE without one', async () => {
    const answers: string[] = []
    const { invite } = await connected({ onAnswer: (sdp) => answers.push(sdp) })
    call.request('INVITE')
    expect((await call.answered('200')).body).toBe(ANSWER)
    call.request('ACK', [SDP_TYPE_LINE], HELD)
    await eventually(() => answers.length > 0)
    expect(answers).toEqual([HELD])
    await hangUp(invite)
  })

  it('offers again, and takes the answer', async () => {
    const answers: string[] = []
    const { invite } = await connected({ onAnswer: (sdp) => answers.push(sdp) })
    invite.reinvite(HELD)
    const reinvite = await probe.receive('INVITE')
    expect(reinvite.body).toBe(HELD)
    reinvite.reply('200 OK', { headers: [SDP_TYPE_LINE], body: PROBE_SDP })
    const ack = await probe.receive('ACK')
    reinvite.reply('200 OK', { headers: [SDP_TYPE_LINE], body: PROBE_SDP })
    expect((await probe.receive('ACK')).header('CSeq')).toBe(ack.header('CSeq'))
    expect(answers).toEqual([PROBE_SDP])
    await hangUp(invite)
  })

  it('tries again after 491 [A8]', async () => {
    const { invite } = await connected()
    invite.reinvite(HELD)
    const first = await probe.receive('INVITE')
    first.reply('491 Request Pending')
    await probe.receive('ACK')
    const second = await probe.receive('INVITE')
    expect(second.body).toBe(HELD)
    second.reply('200 OK', { headers: [SDP_TYPE_LINE], body: PROBE_SDP })
    await probe.receive('ACK')
    await hangUp(invite)
  })

  it('answers 491 while its own offer is open, and 500 while theirs is [A8]', async () => {
    let decide: (sdp: string) => void = () => undefined
    const decided = new Promise<string>((resolve) => {
      decide = resolve
    })
    const { invite } = await connected({ onOffer: () => decided })
    invite.reinvite(HELD)
    const reinvite = await probe.receive('INVITE')
    call.request('INVITE', [SDP_TYPE_LINE], HELD)
    await call.answered('491')
    call.request('ACK')
    reinvite.reply('488 Not Acceptable Here')
    await probe.receive('ACK')
    call.request('INVITE', [SDP_TYPE_LINE], HELD)
    call.request('UPDATE', [SDP_TYPE_LINE], HELD)
    const busy = await call.answered('500')
    expect(Number(busy.header('Retry-After'))).toBeLessThanOrEqual(10)
    decide(ANSWER)
    const ok = await probe.receive('SIP/2.0 200')
    expect(ok.header('CSeq')).toContain('INVITE')
  })

  it('ends when the peer has forgotten it', async () => {
    const { invite, ended } = await connected()
    invite.sendInfo('application/dtmf-relay', 'Signal=1')
    const info = await probe.receive('INFO')
    expect(info.body).toBe('Signal=1')
    info.reply('481 Call/Transaction Does Not Exist')
    const bye = await probe.receive('BYE')
    bye.reply('481 Call/Transaction Does Not Exist')
    expect(ended).toMatchObject([{ by: 'timeout' }])
    await clean()
  })

  it('ends when the peer is gone', async () => {
    const { invite, ended } = await connected()
    invite.hangup()
    expect(ended).toEqual([{ by: 'us', status: 200 }])
    await probe.receive('BYE')
    await clean()
    await quiet(stack)
  })

  it('takes INFO, answers OPTIONS, refuses what it does not know, and old requests', async () => {
    const infos: string[] = []
    const { invite } = await connected({ onInfo: (info) => infos.push(info.body.toString()) })
    call.request('INFO', ['Content-Type: application/dtmf-relay'], 'Signal=5')
    await call.answered('200')
    expect(infos).toEqual(['Signal=5'])
    call.request('OPTIONS')
    expect((await call.answered('200')).header('Allow')).toContain('BYE')
    call.request('PUBLISH')
    await call.answered('405')
    await hangUp(invite)
  })

  it('crosses BYE with BYE [A9]', async () => {
    const { invite, ended } = await connected()
    invite.hangup()
    const bye = await probe.receive('BYE')
    call.request('BYE')
    await call.answered('200')
    bye.reply('200 OK')
    expect(ended).toHaveLength(1)
    await clean()
  })

  it('refreshes nothing but says so when the peer refreshes', async () => {
    const headers = ['Session-Expires: 1800;refresher=uac', 'Supported: timer']
    const invite = await invited(headers)
    invite.answer(ANSWER)
    const ok = await call.answered('200')
    expect(ok.header('Session-Expires')).toBe('1800;refresher=uac')
    expect(ok.header('Require')).toBe('timer')
    call.request('ACK')
    call.request('UPDATE', headers)
    expect((await call.answered('200')).header('Session-Expires')).toBe('1800;refresher=uac')
    await hangUp(invite)
  })

  async function hangUp(invite: IncomingCall): Promise<void> {
    await eventually(() => userAgent.dialogCount() === 1)
    invite.hangup()
    const bye = await probe.receive('BYE')
    bye.reply('200 OK')
    await clean()
  }
})

describe('reliable provisional responses', () => {
  it('come when the INVITE requires them, and hold the 200 back until their PRACK', async () => {
    const invite = await invited(['Require: 100rel'])
    invite.ring(183, ANSWER)
    const progress = await call.answered('183')
    const rseq = progress.header('RSeq')
    expect(progress.header('Require')).toContain('100rel')
    expect(Number(rseq)).toBeGreaterThan(0)
    invite.answer(ANSWER)
    call.request('PRACK', [`RAck: ${String(Number(rseq) + 1)} 1 INVITE`])
    await call.answered('481')
    expect(probe.inbox.some(({ startLine }) => startLine.includes('200'))).toBe(false)
    call.request('PRACK', [`RAck: ${rseq} 1 INVITE`])
    const prackOk = await probe.receive('SIP/2.0 200')
    const inviteOk = await probe.receive('SIP/2.0 200')
    expect([prackOk.header('CSeq'), inviteOk.header('CSeq')].sort()).toEqual([
      '1 INVITE',
      '3 PRACK',
    ])
  })
})

describe('a request whose tags are not those of the dialog', () => {
  it.each(['BYE', 'INFO', 'INVITE'])('%s gets 481, and the call goes on', async (method) => {
    const { ended } = await connected()
    const { remoteTag } = call
    call.localTag = 'forged'
    call.request(method)
    await call.answered('481')
    Object.assign(call, { localTag: 'probe1', remoteTag })
    call.request('OPTIONS')
    await call.answered('200')
    expect(ended).toEqual([])
    call.request('BYE')
    await call.answered('200')
    await clean()
  })
})
