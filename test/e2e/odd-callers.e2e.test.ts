import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { freePort } from '../support/process/free-port.js'
import { expectNothingLeft } from '../support/process/nothing-left.js'
import { errorsIn } from '../support/process/process-memory.js'
import { IS_LAB } from '../support/process/real-servers.js'
import { type RunningTrunkline, startTrunkline } from '../support/process/trunkline.js'
import { reportRow } from '../support/rows/rows.js'
import { ABUSIVE_SDP } from '../support/sip/abusive-sdp.js'
import { type PeerCall, SipPeer } from '../support/sip/sip-peer.js'
import { headerOf, type PeerMessage, writeMessage } from '../support/sip/sip-peer-message.js'
import { waitUntil } from '../support/time/wait-until.js'
import { startVoiceApp, type VoiceApp } from '../support/voice/voice-app.js'

/** Callers that repeat, cross, take back and mistake: each call still has one end, told once. */
const SERVICE = '15551112222'
const LIMIT_MS = 15_000
/** The answers in which drachtio differs from RFC 3261, and from the lab: docs/real-servers.md. */
const MERGED_STATUS = IS_LAB ? 482 : 491
const LATE_CANCEL_STATUS = IS_LAB ? 200 : 481
/** RFC 3261 §15.1.2 allows 487 too for what a BYE overtakes; drachtio drops it with 500. */
const OVERTAKEN = [200, 481, 487, ...(IS_LAB ? [] : [500])]

let trunkline: RunningTrunkline
let app: VoiceApp
let peer: SipPeer

beforeAll(async () => {
  trunkline = await startTrunkline()
  app = await startVoiceApp()
  await trunkline.assignNumber(`+${SERVICE}`, {
    voiceUrl: `${app.url}/voice`,
    statusCallback: `${app.url}/status`,
  })
})
afterAll(async () => {
  await app[Symbol.asyncDispose]()
  await trunkline[Symbol.asyncDispose]()
})
beforeEach(async () => {
  peer = await SipPeer.open()
  app.page('/voice', '<Say>Hello.</Say><Pause length="60"/>')
})
afterEach(async () => {
  await expectNothingLeft(trunkline)
  peer.close()
})

const ring = (options: Parameters<SipPeer['call']>[1] = {}): PeerCall =>
  peer.call(trunkline.sipPort, { user: SERVICE, ...options })

/** An application that answers only when it is let. */
function slowPage(verbs: string): { readonly answer: () => void } {
  let answer: () => void = () => undefined
  app.page('/voice', verbs, {
    after: new Promise<void>((resolve) => {
      answer = resolve
    }),
  })
  return {
    answer: () => {
      answer()
    },
  }
}

const asked = (page: string) => app.sink.requests.filter(({ target }) => target === page)
const newestSid = () => new Map(asked('/voice').at(-1)?.params).get('CallSid') ?? ''
const rows = async () => (await trunkline.api('GET', '/Calls.json')).body['calls'] as unknown[]

/** Statuses of all callbacks of the newest call, once it has ended and nothing more can come. */
async function statuses(): Promise<readonly (string | undefined)[]> {
  const sid = newestSid()
  await app.completed(sid, LIMIT_MS)
  await expectNothingLeft(trunkline)
  return app.callbacks(sid).map((params) => params['CallStatus'])
}

function again(call: PeerCall, changes: Readonly<Record<string, string>> = {}, by = peer): void {
  const { startLine, headers, body } = call.invite
  const changed = headers
    .filter(([name]) => name !== 'content-length') // the writer adds its own
    .map(([name, value]) => [name, changes[name] ?? value] as const)
  by.send(writeMessage(startLine, changed, body), trunkline.sipPort)
}

/** Both know that the call is up. */
async function talking(options: Parameters<SipPeer['call']>[1] = {}): Promise<PeerCall> {
  const call = ring(options)
  await call.response(200, 'INVITE', LIMIT_MS)
  const isUp = async () => (await trunkline.fetchCall(newestSid())).status === 'in-progress'
  await waitUntil('the call is in progress', isUp, LIMIT_MS)
  return call
}

const finalTo = (call: PeerCall, method: string, number?: number) => (message: PeerMessage) =>
  (message.status ?? 0) >= 200 &&
  headerOf(message, 'cseq').endsWith(method) &&
  (number === undefined || headerOf(message, 'cseq') === `${String(number)} ${method}`) &&
  call.log.includes(message)

async function final(call: PeerCall, method: string, number?: number): Promise<number> {
  const isFinal = finalTo(call, method, number)
  await waitUntil(
    `an answer to ${method}`,
    () => call.log.some(isFinal),
    LIMIT_MS,
    () => peer.seen(),
  )
  return call.log.find(isFinal)?.status ?? 0
}

describe('the same INVITE again', () => {
  it('seven times is one call and one webhook; by another branch it is refused [A5]', async ({
    task,
  }) => {
    const before = { rows: (await rows()).length, webhooks: asked('/voice').length }
    const call = ring()
    for (let copy = 0; copy < 7; copy++) again(call)
    await call.response(200, 'INVITE', LIMIT_MS)
    const via = headerOf(call.invite, 'via').replace('branch=z9hG4bK', 'branch=z9hG4bKother')
    const fork = await SipPeer.open()
    again(call, { via }, fork)
    const isMerged = () => fork.log.some(({ status }) => status === MERGED_STATUS)
    await waitUntil(String(MERGED_STATUS), isMerged, LIMIT_MS, () => fork.seen())
    fork.close()
    const seen = {
      calls: (await rows()).length - before.rows,
      webhooks: asked('/voice').length - before.webhooks,
    }
    expect(seen).toEqual({ calls: 1, webhooks: 1 })
    call.bye()
    expect(await statuses()).toEqual(['completed'])
    reportRow(task, 'A5', { ...seen, 'completed callbacks': 1 })
  })
})

describe('a live call that is ended', () => {
  it('between our 200 and its ACK waits for that, and is completed: it was answered', async () => {
    const rangAt = performance.now()
    const call = ring({ isSilentAfterAnswer: true })
    await call.response(200, 'INVITE', LIMIT_MS)
    const sid = newestSid()
    // The end waits for the ACK for longer than the answer to the update does, which tells what is so.
    const end = await trunkline.api('POST', `/Calls/${sid}.json`, { Status: 'completed' })
    expect(end).toMatchObject({ status: 200, body: { status: 'ringing' } })
    expect(call.log.filter(({ method }) => method === 'BYE')).toEqual([])
    call.ack()
    await call.request('BYE', LIMIT_MS)
    expect(await statuses()).toEqual(['completed'])
    const { status, duration } = await trunkline.fetchCall(sid)
    expect(status).toBe('completed')
    expect(Number(duration)).toBeLessThanOrEqual((performance.now() - rangAt) / 1_000)
  })
})

describe('a caller who hangs up', () => {
  it('while keys are played to it leaves no error in the log', async () => {
    app.page('/voice', `<Play digits="${'1'.repeat(60)}"/>`)
    const errors = errorsIn(trunkline).length
    const call = await talking()
    await waitUntil('keys are played', () => peer.rtp.digits.length > 2, LIMIT_MS)
    call.bye()
    expect(await final(call, 'BYE')).toBe(200)
    expect(await statuses()).toEqual(['completed'])
    expect(errorsIn(trunkline).slice(errors)).toEqual([])
  })
})

describe('CANCEL', () => {
  it('right behind the INVITE: 200 and 487, one canceled at most [A7]', async () => {
    const page = slowPage('<Say>Too late.</Say>')
    const before = asked('/voice').length
    const call = ring()
    call.cancel()
    expect(await final(call, 'CANCEL')).toBe(200)
    expect(await final(call, 'INVITE')).toBe(487)
    page.answer()
    await expectNothingLeft(trunkline)
    // It may have been taken back before anybody was asked.
    if (asked('/voice').length > before) expect(await statuses()).toEqual(['canceled'])
  })

  it('while it rings: 200 and 487, one canceled [A7]', async () => {
    const page = slowPage('<Say>Too late.</Say>')
    const before = asked('/voice').length
    const call = ring()
    await call.response(180, 'INVITE', LIMIT_MS)
    await waitUntil('the application is asked', () => asked('/voice').length > before, LIMIT_MS)
    call.cancel()
    expect(await final(call, 'CANCEL')).toBe(200)
    expect(await final(call, 'INVITE')).toBe(487)
    page.answer()
    expect(await statuses()).toEqual(['canceled'])
  })

  it('crossing the 200 changes nothing: the call is up, and BYE ends it [A7]', async () => {
    const call = ring({ isSilentAfterAnswer: true })
    await call.response(200, 'INVITE', LIMIT_MS)
    call.cancel()
    expect(await final(call, 'CANCEL')).toBe(LATE_CANCEL_STATUS)
    call.ack()
    call.bye()
    expect(await final(call, 'BYE')).toBe(200)
    expect(await statuses()).toEqual(['completed'])
  })
})

describe('both sides at once', () => {
  it('hang up: 200 or 481, one completed [A9]', async ({ task }) => {
    const answers: number[] = []
    for (let round = 0; round < 5; round++) {
      const call = await talking()
      const ended = trunkline.api('POST', `/Calls/${newestSid()}.json`, { Status: 'completed' })
      // Each round the BYE is somewhere else on its way when ours is sent.
      for (let turn = 0; turn < round; turn++) await new Promise((resolve) => setImmediate(resolve))
      call.bye()
      answers.push(await final(call, 'BYE'))
      await ended
      expect(await statuses()).toEqual(['completed'])
    }
    expect(answers.filter((status) => status !== 200 && status !== 481)).toEqual([])
    reportRow(task, 'A9', { 'answers to BYE': answers.join(' ') })
  })

  it('one hangs up, one offers anew: the call ends once [A9]', async ({ task }) => {
    const answers: number[] = []
    for (let round = 0; round < 5; round++) {
      const call = await talking()
      const ended = trunkline.api('POST', `/Calls/${newestSid()}.json`, { Status: 'completed' })
      for (let turn = 0; turn < round; turn++) await new Promise((resolve) => setImmediate(resolve))
      call.reinvite(peer.sdp({ version: 2 }))
      answers.push(await final(call, 'INVITE', 2))
      await call.request('BYE', LIMIT_MS)
      await ended
      expect(await statuses()).toEqual(['completed'])
    }
    expect(answers.filter((status) => !OVERTAKEN.includes(status))).toEqual([])
    reportRow(task, 'A9', { 'answers to re-INVITE': answers.join(' ') })
  })

  it('our BYE is on its way when another offer comes: 481, the session is over [A9]', async () => {
    const call = await talking()
    call.isPolite = false
    const ended = trunkline.api('POST', `/Calls/${newestSid()}.json`, { Status: 'completed' })
    const bye = await call.request('BYE', LIMIT_MS)
    call.reinvite(peer.sdp({ version: 2 }))
    expect(await final(call, 'INVITE', 2)).toBe(481)
    call.respond(200, 'OK', { to: bye })
    await ended
    call.reinvite(peer.sdp({ version: 3 }))
    expect(await final(call, 'INVITE', 3)).toBe(481)
    expect(await statuses()).toEqual(['completed'])
  })

  it('our BYE goes unanswered, and what comes once the call is over gets 481 [A10]', async () => {
    const call = await talking()
    call.isPolite = false
    const sid = newestSid()
    await trunkline.api('POST', `/Calls/${sid}.json`, { Status: 'completed' })
    const bye = await call.request('BYE', LIMIT_MS)
    await app.completed(sid, LIMIT_MS)
    call.info('application/dtmf-relay', 'Signal=5\r\nDuration=160\r\n')
    expect(await final(call, 'INFO')).toBe(481)
    call.options()
    expect(await final(call, 'OPTIONS')).toBe(481)
    call.bye()
    // RFC 3261 §15.1.2
    expect(await final(call, 'BYE')).toBe(481)
    call.respond(200, 'OK', { to: bye })
    expect(await statuses()).toEqual(['completed'])
  })

  it('two offers at once: the second is refused, the audio goes on [A8]', async ({ task }) => {
    app.page('/voice', `<Play loop="5">${app.url}/tone.wav</Play>`)
    const call = ring()
    await call.response(200, 'INVITE', LIMIT_MS)
    await waitUntil('the tone is heard', () => peer.rtp.hears(440), LIMIT_MS)
    call.reinvite(peer.sdp({ version: 2, codecs: ['PCMA'] }))
    call.reinvite(peer.sdp({ version: 3, codecs: ['PCMA', 'PCMU'] }))
    const first = await final(call, 'INVITE', 2)
    const second = await final(call, 'INVITE', 3)
    // RFC 3261 §14.2: the second comes while the first is being answered, or just after it.
    expect(first).toBe(200)
    expect([200, 491, 500]).toContain(second)
    peer.rtp.forget()
    await waitUntil('the tone is still heard', () => peer.rtp.hears(440), LIMIT_MS)
    call.bye()
    expect(await statuses()).toEqual(['completed'])
    reportRow(task, 'A8', { 'answers to two re-INVITEs': `${first} ${second}` })
  })
})

describe('a request of somebody else in a dialog of ours', () => {
  it.each([
    'BYE',
    'INFO',
    'INVITE',
    'UPDATE',
    'REFER',
  ])('%s with the right To tag and a wrong From tag: 481, and the call lives [A10]', async (method) => {
    const call = await talking()
    const sid = newestSid()
    const forger = await SipPeer.open()
    forger.send(
      writeMessage(
        `${method} sip:${SERVICE}@127.0.0.1:${String(trunkline.sipPort)} SIP/2.0`,
        [
          ['Via', `SIP/2.0/UDP 127.0.0.1:${String(forger.port)};branch=z9hG4bKforged;rport`],
          ['Max-Forwards', '70'],
          ['From', `<${peer.uri()}>;tag=forged`],
          ['To', `<sip:${SERVICE}@127.0.0.1>;tag=${call.remoteTag ?? ''}`],
          ['Call-ID', call.callId],
          ['CSeq', `7777 ${method}`],
          ['Contact', `<${forger.uri()}>`],
          ...(method === 'REFER' ? [['Refer-To', `<${forger.uri()}>`] as const] : []),
        ],
        method === 'INVITE' ? forger.sdp() : '',
      ),
      trunkline.sipPort,
    )
    const answer = () => forger.log.find(({ status }) => (status ?? 0) >= 200)
    await waitUntil('an answer', () => answer() !== undefined, LIMIT_MS)
    expect(answer()?.status).toBe(481)
    forger.close()
    // Its number does not count either: the peer's own next request is in order.
    call.options()
    expect(await final(call, 'OPTIONS')).toBe(200)
    expect((await trunkline.fetchCall(sid)).status).toBe('in-progress')
    expect(app.callbacks(sid)).toEqual([])
    call.bye()
    expect(await final(call, 'BYE')).toBe(200)
    expect(await statuses()).toEqual(['completed'])
  })
})

describe('a request outside a dialog', () => {
  it.each([
    ['OPTIONS', 200],
    ['REGISTER', 405],
    ['MESSAGE', 405],
    ['SUBSCRIBE', 405],
    ['PUBLISH', 405],
    ['REFER', 405],
    ['INFO', 481],
    ['NOTIFY', 481],
  ])('%s gets %i [A10]', async (method, status) => {
    const index = peer.log.length
    sendOutside(method, index, { to: SERVICE, headers: [] })
    const answer = () => peer.log.find((each) => (each.status ?? 0) >= 200)
    await waitUntil('an answer', () => answer() !== undefined, LIMIT_MS)
    const headers = new Map(answer()?.headers)
    expect(answer()?.status).toBe(status)
    if (status !== 481) expect(headers.get('allow')?.split(', ')).toContain('INVITE')
    if (method === 'OPTIONS') {
      expect(headers.get('accept')).toBe('application/sdp')
      expect(headers.has('supported')).toBe(true)
    }
  })
})

describe('a request of no dialog', () => {
  it.each([
    ['BYE with another tag', 'BYE', 481],
    ['INFO', 'INFO', 481],
    ['PRACK', 'PRACK', 481],
    ['UPDATE', 'UPDATE', 481],
    ['an unknown method', 'FROB', 405],
  ])('%s: refused, and the call beside it lives [A10]', async (_title, method, status) => {
    const call = await talking()
    const sid = newestSid()
    const isOfCall = method === 'BYE'
    const callId = isOfCall ? call.callId : `stray-${method}`
    const tag = method === 'FROB' ? '' : ';tag=nobodys'
    const before = peer.log.length
    const stray = writeMessage(
      `${method} sip:${SERVICE}@127.0.0.1:${String(trunkline.sipPort)} SIP/2.0`,
      [
        ['Via', `SIP/2.0/UDP 127.0.0.1:${String(peer.port)};branch=z9hG4bKstray${method};rport`],
        ['Max-Forwards', '70'],
        ['From', `<${peer.uri()}>;tag=stray`],
        ['To', `<sip:${SERVICE}@127.0.0.1>${tag}`],
        ['Call-ID', callId],
        ['CSeq', `77 ${method}`],
        ...(method === 'PRACK' ? [['RAck', '1 1 INVITE'] as const] : []),
      ],
      '',
    )
    peer.send(stray, trunkline.sipPort)
    const answerOf = () =>
      peer.log.slice(before).find((each) => headerOf(each, 'cseq') === `77 ${method}`)
    await waitUntil('an answer', () => answerOf() !== undefined, LIMIT_MS)
    expect(answerOf()?.status).toBe(status)
    call.options()
    expect(await final(call, 'OPTIONS')).toBe(200)
    expect((await trunkline.fetchCall(sid)).status).toBe('in-progress')
    expect(app.callbacks(sid)).toEqual([])
    call.bye()
    expect(await statuses()).toEqual(['completed'])
  })
})

describe('a caller that requires reliable ringing and sends no PRACK in time', () => {
  const reliably = () => ring({ headers: [['Require', '100rel']] })
  const callee = '<Number>+15005550005</Number>'

  it.each([
    ['Reject', '<Reject/>', 603],
    ['a Dial that is refused', `<Dial answerOnBridge="true">${callee}</Dial>`, 603],
    ['a plain answer', '<Say>Hello.</Say><Pause length="60"/>', 200],
  ])('%s: gets its final answer, and the server lives', async (_title, verbs, owed) => {
    app.page('/voice', verbs)
    const call = reliably()
    const ringing = await call.response(180, 'INVITE', LIMIT_MS)
    expect(headerOf(ringing, 'require')).toContain('100rel')
    expect(ringing.body).toBe('')
    expect(await final(call, 'INVITE')).toBe(owed)
    if (owed === 200) {
      call.prack(ringing)
      expect(await final(call, 'PRACK')).toBe(200)
      call.bye()
      expect(await final(call, 'BYE')).toBe(200)
    }
    await statuses()
    app.page('/voice', '<Say>Hello.</Say><Pause length="60"/>')
    const next = await talking()
    next.bye()
    expect(await statuses()).toEqual(['completed'])
  })

  it('is taken back: 487, and the server lives', async () => {
    const page = slowPage('<Hangup/>')
    const call = reliably()
    await call.response(180, 'INVITE', LIMIT_MS)
    call.cancel()
    expect(await final(call, 'INVITE')).toBe(487)
    page.answer()
    app.page('/voice', '<Say>Hello.</Say><Pause length="60"/>')
    const next = await talking()
    next.bye()
    expect(await statuses()).toEqual(['completed'])
  })
})

describe('a caller whose name is', () => {
  const named = (chars: number) => `"${'n'.repeat(chars)}" <${peer.uri('15559990000')}>;tag=named`

  it('20 KB long is refused, and nobody is asked', async () => {
    const before = asked('/voice').length
    const call = ring({ from: named(20_000) })
    expect(await final(call, 'INVITE')).toBe(400)
    await expectNothingLeft(trunkline)
    expect(asked('/voice')).toHaveLength(before)
  })

  it('1 KB long is called by its first 256 characters', async () => {
    const call = ring({ from: named(1_024) })
    await call.response(200, 'INVITE', LIMIT_MS)
    const params = new Map(asked('/voice').at(-1)?.params)
    expect(params.get('CallerName')).toBe('n'.repeat(256))
    call.bye()
    expect(await statuses()).toEqual(['completed'])
  })
})

describe('a description with', () => {
  it.each(ABUSIVE_SDP)('%s gets a valid answer or 488 [A11]', async (_title, sdp, owed) => {
    const before = asked('/voice').length
    const call = ring({ sdp })
    expect(await final(call, 'INVITE')).toBe(owed)
    if (owed === 488) {
      await expectNothingLeft(trunkline)
      // No application is asked about a call that cannot be.
      expect(asked('/voice')).toHaveLength(before)
      return
    }
    const answer = call.log.find(finalTo(call, 'INVITE'))?.body ?? ''
    // RFC 3264 §6: as many media lines as were offered, in the same order.
    expect(answer.match(/^m=/gm)?.length).toBe(sdp.match(/^m=/gm)?.length)
    expect(answer).toMatch(/^m=audio [1-9]\d* RTP\/AVP [08 ]+/m)
    call.bye()
    expect(await final(call, 'BYE')).toBe(200)
  })
})

describe('without a free RTP port', () => {
  it('a call is refused as for a fault of ours, and the next one is taken when a port is free', async () => {
    const port = await freePort(4)
    const first = port + (port % 2)
    // Room for one pair.
    await using small = await startTrunkline({ RTP_PORTS: `${first}-${first + 2}` })
    await small.assignNumber(`+${SERVICE}`, {
      voiceUrl: `${app.url}/voice`,
      statusCallback: `${app.url}/status`,
    })
    const call = () => peer.call(small.sipPort, { user: SERVICE })
    const talking = call()
    await talking.response(200, 'INVITE', LIMIT_MS)
    expect(await final(call(), 'INVITE')).toBe(503)
    expect((await app.completed(newestSid(), LIMIT_MS)).at(-1)).toMatchObject({
      CallStatus: 'failed',
    })
    talking.bye()
    await expectNothingLeft(small)
    const later = call()
    await later.response(200, 'INVITE', LIMIT_MS)
    later.bye()
    await expectNothingLeft(small)
  })
})

describe('a scanner', () => {
  const KINDS = ['friendly-scanner', 'sipvicious', 'sipcli/v1.8', 'sip-scan', 'VaxSIPUserAgent/3.1']
  const METHODS = ['OPTIONS', 'INVITE', 'REGISTER']
  it('hears nothing, is counted, and calls nobody [B12]', async ({ task }) => {
    const before = {
      metrics: await trunkline.metrics(),
      calls: (await rows()).length,
      // The callback of a call before may still come.
      webhooks: asked('/voice').length,
    }
    const probes = METHODS.flatMap((method) => [
      ...KINDS.map((agent) => ({ method, agent, to: SERVICE })),
      // What a sweep with another User-Agent still shows.
      { method, agent: 'softphone', to: 'sipvicious' },
    ])
    for (const [index, { method, agent, to }] of probes.entries())
      sendOutside(method, index, { to, headers: [['User-Agent', agent]] })
    // In order: this answer comes after all of the above were read.
    sendOutside('OPTIONS', probes.length, { to: SERVICE, headers: [] })
    const isAnswer = () => peer.log.some(({ status }) => (status ?? 0) >= 200)
    await waitUntil('an answer to the last', isAnswer, LIMIT_MS)
    const after = await trunkline.metrics()
    const ignored =
      (after['lab_scanners_ignored'] ?? 0) - (before.metrics['lab_scanners_ignored'] ?? 0)
    expect(ignored).toBe(probes.length)
    const isOfLast = (message: PeerMessage) =>
      headerOf(message, 'call-id') === `outside-${probes.length}`
    expect(peer.log.filter((message) => !isOfLast(message))).toEqual([])
    expect((await rows()).length).toBe(before.calls)
    expect(asked('/voice')).toHaveLength(before.webhooks)
    reportRow(task, 'B12', { probes: probes.length, ignored, 'bytes answered': 0 })
  })
})

interface OutsideParts {
  readonly to: string
  readonly headers: readonly (readonly [string, string])[]
}

/** A request outside any dialog, with a transaction of its own. */
function sendOutside(method: string, index: number, { to, headers }: OutsideParts): void {
  const { port } = peer
  const text = writeMessage(
    `${method} sip:${to}@127.0.0.1:${trunkline.sipPort} SIP/2.0`,
    [
      ['Via', `SIP/2.0/UDP 127.0.0.1:${port};branch=z9hG4bK${port}-${index};rport`],
      ['Max-Forwards', '70'],
      ['From', `<${peer.uri()}>;tag=outside`],
      ['To', `<sip:${to}@127.0.0.1>`],
      ['Call-ID', `outside-${index}`],
      ['CSeq', `1 ${method}`],
      ['Contact', `<${peer.uri()}>`],
      ...headers,
    ],
    '',
  )
  peer.send(text, trunkline.sipPort)
}
