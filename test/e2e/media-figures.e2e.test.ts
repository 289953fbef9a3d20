import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { pause } from '../../src/platform/async/sleep.js'
import { accountCommand } from '../support/process/command-line.js'
import { expectNothingLeft } from '../support/process/nothing-left.js'
import { type RunningTrunkline, startTrunkline } from '../support/process/trunkline.js'
import { type PeerCall, SipPeer } from '../support/sip/sip-peer.js'
import { waitUntil } from '../support/time/wait-until.js'

const LIMIT_MS = 20_000
/** A leg's audio is judged after two seconds. */
const TALK_MS = 2_500

let trunkline: RunningTrunkline

beforeAll(async () => {
  trunkline = await startTrunkline()
})
afterAll(() => trunkline[Symbol.asyncDispose]())
afterEach(() => expectNothingLeft(trunkline))

const logs = (...args: string[]) => accountCommand(trunkline, 'logs', ...args)

/** Calls a peer that answers with this SDP; the call plays silence to it. */
async function callTo(peer: SipPeer, sdp = peer.sdp()): Promise<{ sid: string; call: PeerCall }> {
  const { sid } = await trunkline.createCall({
    To: peer.uri(),
    From: '+15551112222',
    Markup: '<Response><Say loop="0">Can you hear me now?</Say></Response>',
  })
  const call = await peer.nextCall(LIMIT_MS)
  await call.answer(sdp)
  return { sid, call }
}

/** Calls a party and connects it to a second one; resolves with the call of the first. */
async function callBetween(
  caller: SipPeer,
  phone: SipPeer,
): Promise<{ sid: string; call: PeerCall }> {
  const { sid } = await trunkline.createCall({
    To: caller.uri('caller'),
    From: '+15551112222',
    Markup: `<Response><Dial><Sip>${phone.uri('phone')}</Sip></Dial></Response>`,
  })
  const call = await caller.nextCall(LIMIT_MS)
  await call.answer()
  const second = await phone.nextCall(LIMIT_MS)
  await second.answer()
  return { sid, call }
}

async function childOf(sid: string): Promise<string> {
  const { body } = await trunkline.api('GET', `/Calls.json?ParentCallSid=${sid}`)
  const [child] = body['calls'] as readonly { readonly sid: string }[]
  return child?.sid ?? ''
}

async function legsOf(sid: string): Promise<readonly Record<string, unknown>[]> {
  const { status, body } = await trunkline.api('GET', `/Calls/${sid}/Legs.json`)
  expect(status).toBe(200)
  return body['legs'] as readonly Record<string, unknown>[]
}

async function hangUp({ sid, call }: { sid: string; call: PeerCall }): Promise<void> {
  call.bye()
  const isOver = async () => (await trunkline.fetchCall(sid)).status === 'completed'
  await waitUntil('the call is over', isOver, LIMIT_MS)
}

it('shows the audio of a leg while it talks, and after its end', async () => {
  using peer = await SipPeer.open()
  const called = await callTo(peer)
  peer.rtp.speak(440)
  const hasSome = async () => {
    const [leg] = await legsOf(called.sid)
    return Number(leg?.['packets_received']) > 100 && Number(leg?.['packets_sent']) > 100
  }
  await waitUntil('the audio is counted', hasSome, LIMIT_MS)
  const [live] = await legsOf(called.sid)
  const place = `127.0.0.1:${String(peer.rtp.port)}`
  const agreed = {
    codec: 'PCMU',
    payload_type: 0,
    secure: false,
    remote_address: place,
    faults: [],
  }
  expect(live).toMatchObject({ ...agreed, status: 'in-progress', date_ended: null })
  await hangUp(called)
  const [ended, ...others] = await legsOf(called.sid)
  expect(others).toEqual([])
  expect(ended).toMatchObject({ ...agreed, status: 'ended', call_sid: called.sid })
  expect(Number(ended?.['packets_sent'])).toBeGreaterThan(100)
  expect(Number(ended?.['mos'])).toBeGreaterThan(4)
  const out = await logs(called.sid)
  expect(out).toMatch(/PCMU · received \d+, sent \d+ packets · lost 0 % · jitter .* MOS 4/)
  expect(out).not.toContain('32014')
})

it('says that nothing came from the other side, and what to compare', async () => {
  using peer = await SipPeer.open()
  peer.rtp.mute()
  const called = await callTo(peer)
  await pause(TALK_MS)
  await hangUp(called)
  const out = await logs(called.sid)
  const place = `127.0.0.1:${String(peer.rtp.port)}`
  expect(out).toContain(`one-way audio: nothing was received from the other side (${place})`)
  expect(out).toContain('32014')
  expect(out).toContain('a peer behind a NAT names a private one')
  expect(await legsOf(called.sid)).toMatchObject([{ packets_received: 0, mos: null }])
})

it('says that the audio came from an address that the SDP does not name', async () => {
  using peer = await SipPeer.open()
  peer.rtp.mute()
  const named = peer.sdp().replaceAll('127.0.0.1', '10.20.30.40')
  const called = await callTo(peer, named)
  peer.rtp.speak(440)
  const isLatched = async () => Number((await legsOf(called.sid))[0]?.['packets_received']) > 100
  await waitUntil('the audio is heard', isLatched, LIMIT_MS)
  await hangUp(called)
  const [from, said] = [
    `127.0.0.1:${String(peer.rtp.port)}`,
    `10.20.30.40:${String(peer.rtp.port)}`,
  ]
  expect(await logs(called.sid)).toContain(
    `the audio came from ${from}, not from ${said} of the SDP`,
  )
})

it('shows both legs of a call that was dialled', async () => {
  using caller = await SipPeer.open()
  using phone = await SipPeer.open()
  const { sid, call: first } = await callBetween(caller, phone)
  caller.rtp.speak(440)
  phone.rtp.speak(550)
  await phone.rtp.waitForTone(440)
  await caller.rtp.waitForTone(550)
  await pause(TALK_MS)
  await hangUp({ sid, call: first })
  for (const leg of [sid, await childOf(sid)]) {
    const [figures] = await legsOf(leg)
    expect(figures).toMatchObject({ call_sid: leg, codec: 'PCMU', faults: [] })
    expect(Number(figures?.['packets_received'])).toBeGreaterThan(100)
    expect(Number(figures?.['packets_sent'])).toBeGreaterThan(100)
  }
})

it('names both legs of a call in which neither side is heard', async () => {
  using caller = await SipPeer.open()
  using phone = await SipPeer.open()
  caller.rtp.mute()
  phone.rtp.mute()
  const { sid, call: first } = await callBetween(caller, phone)
  await pause(TALK_MS)
  await hangUp({ sid, call: first })
  const legs = [
    { leg: sid, port: caller.rtp.port },
    { leg: await childOf(sid), port: phone.rtp.port },
  ]
  for (const { leg, port } of legs)
    expect(await logs(leg)).toMatch(
      new RegExp(
        `32014[^]*nothing was received from the other side \\(127\\.0\\.0\\.1:${String(port)}\\)`,
      ),
    )
})

it('keeps the legs of another account to that account', async () => {
  using peer = await SipPeer.open()
  const called = await callTo(peer)
  await hangUp(called)
  const { body } = await trunkline.adminApi('POST', '/accounts', { friendlyName: 'other' })
  const [sid, token] = [String(body['accountSid']), String(body['authToken'])]
  const url = `${trunkline.http}/2010-04-01/Accounts/${sid}/Calls/${called.sid}/Legs.json`
  const { status } = await fetch(url, {
    headers: { authorization: `Basic ${btoa(`${sid}:${token}`)}` },
  })
  expect(status).toBe(404)
})
