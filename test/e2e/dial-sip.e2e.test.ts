import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { expectNothingLeft } from '../support/process/nothing-left.js'
import { type RunningTrunkline, startTrunkline } from '../support/process/trunkline.js'
import { type PeerCall, SipPeer } from '../support/sip/sip-peer.js'
import { headerOf } from '../support/sip/sip-peer-message.js'
import { startSipp } from '../support/sip/sipp.js'
import { waitUntil } from '../support/time/wait-until.js'
import { startVoiceApp, type VoiceApp } from '../support/voice/voice-app.js'

const LIMIT_MS = 20_000

let trunkline: RunningTrunkline
let app: VoiceApp
let caller: SipPeer
let callee: SipPeer
let second: SipPeer

beforeAll(async () => {
  trunkline = await startTrunkline({ BLOCKED_PREFIXES: '+1900' })
  app = await startVoiceApp()
  ;[caller, callee, second] = await Promise.all([SipPeer.open(), SipPeer.open(), SipPeer.open()])
  app.page('/after', '<Hangup/>')
})
afterAll(async () => {
  for (const peer of [caller, callee, second]) peer.close()
  await app[Symbol.asyncDispose]()
  await trunkline[Symbol.asyncDispose]()
})

/** Calls the caller, who answers, and dials these nouns. */
async function dial(nouns: string, attributes = ''): Promise<{ sid: string; call: PeerCall }> {
  const invited = caller.nextCall(LIMIT_MS)
  const { sid } = await trunkline.createCall({
    To: caller.uri('caller'),
    From: '+15551112222',
    Markup: `<Response><Dial action="${app.url}/after" ${attributes}>${nouns}</Dial></Response>`,
    StatusCallback: `${app.url}/status`,
  })
  const call = await invited
  await call.answer()
  return { sid, call }
}

const result = (sid: string) => app.asked('/after', sid)

async function talk(one: SipPeer, other: SipPeer): Promise<void> {
  // The sound of the call before is not that of this one.
  one.rtp.forget()
  other.rtp.forget()
  one.rtp.speak(500)
  other.rtp.speak(900)
  await waitUntil('the called party is heard', () => one.rtp.hears(900), LIMIT_MS)
  await waitUntil('the caller is heard', () => other.rtp.hears(500), LIMIT_MS)
}

async function codesOf(sid: string): Promise<unknown[]> {
  const { body } = await trunkline.api('GET', `/Calls/${sid}/Events.json?PageSize=200`)
  return (body['events'] as { detail: { code?: unknown } }[]).map(({ detail }) => detail.code)
}

const hash = (...parts: string[]) => createHash('md5').update(parts.join(':')).digest('hex')

describe('a Sip noun', () => {
  it('answers a challenge with its username and password', async () => {
    const invited = callee.nextCall(LIMIT_MS)
    const { sid } = await dial(
      `<Sip username="ann" password="s3cret&amp;">${callee.uri('b')}</Sip>`,
    )
    const child = await invited
    expect(headerOf(child.invite, 'authorization')).toBe('')
    const challenge = 'Digest realm="pbx", nonce="n0nce", qop="auth", algorithm=MD5'
    child.respond(401, 'Unauthorized', { headers: [['WWW-Authenticate', challenge]] })
    const retry = await child.request('INVITE', LIMIT_MS)
    const answer = headerOf(retry, 'authorization')
    const field = (name: string) => new RegExp(`${name}="?([^",]*)`).exec(answer)?.[1] ?? ''
    const secret = hash('ann', 'pbx', 's3cret&')
    const request = hash('INVITE', field('[^c]uri'))
    expect(field('username')).toBe('ann')
    expect(field('response')).toBe(
      hash(secret, 'n0nce', field('nc'), field('cnonce'), 'auth', request),
    )
    await child.answer(callee.sdp(), retry)
    await talk(caller, callee)
    child.bye()
    expect(await result(sid)).toMatchObject({ DialCallStatus: 'completed', DialBridged: 'true' })
    await expectNothingLeft(trunkline)
  })

  it('that is refused with them ends as the refusal says', async () => {
    const invited = callee.nextCall(LIMIT_MS)
    const { sid } = await dial(`<Sip username="ann" password="wrong">${callee.uri('b')}</Sip>`)
    const child = await invited
    const headers = [['WWW-Authenticate', 'Digest realm="pbx", nonce="n0nce"']] as const
    child.respond(401, 'Unauthorized', { headers })
    child.respond(401, 'Unauthorized', { headers, to: await child.request('INVITE', LIMIT_MS) })
    expect(await result(sid)).toMatchObject({
      DialCallStatus: 'failed',
      DialSipResponseCode: '401',
    })
    await expectNothingLeft(trunkline)
  })

  it('with several Uris tries the next while nobody is reached, each with its own password', async () => {
    const invited = callee.nextCall(LIMIT_MS)
    const { sid } = await dial(
      `<Sip username="ann" password="one"><Uri priority="2" username="ben" password="two">${second.uri('b')}</Uri><Uri priority="1">${callee.uri('a')}</Uri><Uri priority="3">sip:c@169.254.169.254</Uri></Sip>`,
    )
    const next = second.nextCall(LIMIT_MS)
    ;(await invited).respond(503, 'Service Unavailable')
    const child = await next
    const headers = [['WWW-Authenticate', 'Digest realm="pbx", nonce="n0nce"']] as const
    child.respond(401, 'Unauthorized', { headers })
    const retry = await child.request('INVITE', LIMIT_MS)
    expect(headerOf(retry, 'authorization')).toContain('username="ben"')
    await child.answer(second.sdp(), retry)
    await talk(caller, second)
    child.bye()
    expect(await result(sid)).toMatchObject({
      DialCallStatus: 'completed',
      DialSipCallId: headerOf(child.invite, 'call-id'),
    })
    await expectNothingLeft(trunkline)
  })

  it('is called by the name of its host, at the address that was checked', async () => {
    const invited = callee.nextCall(LIMIT_MS)
    const { sid } = await dial(`<Sip>sip:callee@localhost:${String(callee.port)}</Sip>`)
    const child = await invited
    expect(child.invite.startLine).toBe(
      `INVITE sip:callee@localhost:${String(callee.port)} SIP/2.0`,
    )
    await child.answer()
    await talk(caller, callee)
    child.bye()
    expect(await result(sid)).toMatchObject({ DialCallStatus: 'completed' })
    await expectNothingLeft(trunkline)
  })

  it('is called over TCP', async () => {
    await using phone = await startSipp({
      scenario: 'uas-answers-and-hangs-up',
      transport: 'tcp',
      rtpPort: callee.rtp.port,
    })
    const { sid } = await dial(
      `<Sip>sip:callee@127.0.0.1:${String(phone.port)};transport=tcp</Sip>`,
    )
    await phone.done
    expect(await result(sid)).toMatchObject({ DialCallStatus: 'completed', DialBridged: 'true' })
    await expectNothingLeft(trunkline)
  })
})

const EARLY_HZ = 620

const hear = (peer: SipPeer, hz: number) =>
  waitUntil(`${hz} Hz are heard`, () => peer.rtp.hears(hz), LIMIT_MS)

const hearRinging = () => waitUntil('ringing is heard', () => caller.rtp.hearsRinging(), LIMIT_MS)

describe('what a called network says before the answer', () => {
  it('is heard by the caller instead of our ringing, and then the party itself', async () => {
    const invited = callee.nextCall(LIMIT_MS)
    const { sid } = await dial(`<Sip>${callee.uri('b')}</Sip>`)
    const child = await invited
    child.ring()
    await hearRinging()
    child.respond(183, 'Session Progress', { sdp: callee.sdp() })
    callee.rtp.speak(EARLY_HZ)
    await hear(caller, EARLY_HZ)
    expect(caller.rtp.hearsRinging()).toBe(false)
    await child.answer()
    await talk(caller, callee)
    child.bye()
    expect(await result(sid)).toMatchObject({ DialCallStatus: 'completed', DialBridged: 'true' })
    await expectNothingLeft(trunkline)
  })

  it('is not heard when the document names a ring tone', async () => {
    const invited = callee.nextCall(LIMIT_MS)
    const { sid } = await dial(`<Sip>${callee.uri('b')}</Sip>`, 'ringTone="us"')
    const child = await invited
    child.respond(183, 'Session Progress', { sdp: callee.sdp() })
    callee.rtp.speak(EARLY_HZ)
    await hearRinging()
    expect(caller.rtp.hears(EARLY_HZ)).toBe(false)
    await child.answer()
    await talk(caller, callee)
    child.bye()
    await result(sid)
    await expectNothingLeft(trunkline)
  })

  it('leaves the caller free when the party then refuses, or the caller hangs up', async () => {
    for (const end of ['refusal', 'hangup']) {
      const invited = callee.nextCall(LIMIT_MS)
      const { sid, call } = await dial(`<Sip>${callee.uri('b')}</Sip>`)
      const child = await invited
      child.respond(183, 'Session Progress', { sdp: callee.sdp() })
      callee.rtp.speak(EARLY_HZ)
      await hear(caller, EARLY_HZ)
      if (end === 'refusal') {
        child.respond(486, 'Busy Here')
        expect(await result(sid)).toMatchObject({ DialCallStatus: 'busy', DialBridged: 'false' })
      } else {
        call.bye()
        await child.request('CANCEL', LIMIT_MS)
      }
      await expectNothingLeft(trunkline)
    }
  })

  it('comes from a real telephone network as well', async () => {
    await using phone = await startSipp({
      scenario: 'uas-early-media',
      rtpPort: callee.rtp.port,
      // A busy machine needs that long to connect the two.
      extra: ['-d', '6000'],
    })
    const { call } = await dial(`<Sip>sip:b@127.0.0.1:${String(phone.port)}</Sip>`)
    const rtpPort = () => Number(/^m=audio (\d+)/m.exec(phone.messages())?.[1] ?? 0)
    await waitUntil('the network is called', () => rtpPort() !== 0, LIMIT_MS)
    callee.rtp.remote = { address: '127.0.0.1', port: rtpPort() }
    callee.rtp.speak(EARLY_HZ)
    await hear(caller, EARLY_HZ)
    expect(phone.messages()).not.toContain('SIP/2.0 200 OK')
    await waitUntil('it answers', () => phone.messages().includes('SIP/2.0 200 OK'), LIMIT_MS)
    await talk(caller, callee)
    call.bye()
    await phone.done
    await expectNothingLeft(trunkline)
  })
})

describe('a party that may not be called', () => {
  it.each([
    ['an address of a cloud’s metadata', '<Sip>sip:x@169.254.169.254</Sip>', 13254],
    ['a blocked prefix', '<Number>+1 900 555 0100</Number>', 13225],
    ['too few digits', '<Number>+12</Number>', 13224],
    ['a host that does not resolve', '<Sip>sip:x@pbx.invalid</Sip>', 13254],
  ])('because of %s is not, and the log of the call that dials says why', async (_what, noun, code) => {
    const { sid } = await dial(noun)
    expect(await result(sid)).toMatchObject({ DialCallStatus: 'failed', DialBridged: 'false' })
    await expectNothingLeft(trunkline)
    expect((await codesOf(sid)).filter((each) => each === code)).toEqual([code])
    const { body } = await trunkline.api('GET', `/Calls.json?ParentCallSid=${sid}`)
    const children = (body['calls'] as { sid: string }[]).map((child) => child.sid)
    for (const child of children) expect(await codesOf(child)).toContain(code)
  })
})
