import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { expectNothingLeft } from '../support/nothing-left.js'
import { type PeerCall, SipPeer } from '../support/sip-peer.js'
import { type RunningTrunkline, startTrunkline, type WireCall } from '../support/trunkline.js'
import { startVoiceApp, type VoiceApp } from '../support/voice-app.js'
import { waitUntil } from '../support/wait-until.js'

const LIMIT_MS = 20_000

let trunkline: RunningTrunkline
let app: VoiceApp

beforeAll(async () => {
  trunkline = await startTrunkline()
  app = await startVoiceApp()
})
afterAll(async () => {
  await app[Symbol.asyncDispose]()
  await trunkline[Symbol.asyncDispose]()
})

interface Party extends AsyncDisposable {
  readonly peer: SipPeer
  readonly call: PeerCall
}

/** Calls a telephone of the test, which answers, and runs these verbs on it. */
async function called(verbs: string): Promise<{ parent: WireCall; caller: Party }> {
  const peer = await SipPeer.open()
  const parent = await trunkline.createCall({
    To: peer.uri('caller'),
    From: '+15551112222',
    Markup: `<Response>${verbs}</Response>`,
    StatusCallback: `${app.url}/status`,
  })
  const call = await peer.nextCall(LIMIT_MS)
  await call.answer()
  return { parent, caller: partyOf(peer, call) }
}

function partyOf(peer: SipPeer, call: PeerCall): Party {
  return {
    peer,
    call,
    [Symbol.asyncDispose]: () => {
      peer.close()
      return Promise.resolve()
    },
  }
}

async function childOf(parent: string): Promise<WireCall> {
  const { body } = await trunkline.api('GET', `/Calls.json?ParentCallSid=${parent}`)
  const [child] = body['calls'] as WireCall[]
  if (child === undefined) throw new Error('the call has no child')
  return child
}

describe('a caller who is connected with a telephone', () => {
  it('hears it and is heard, until it hangs up, and goes on', async () => {
    const callee = await SipPeer.open()
    const { parent, caller } = await called(
      `<Dial><Sip>${callee.uri('callee')}</Sip></Dial><Play>${app.url}/tone.wav</Play>`,
    )
    const call = await callee.nextCall(LIMIT_MS)
    call.ring()
    await waitUntil('the caller hears ringing', () => caller.peer.rtp.hears(480), LIMIT_MS)
    await call.answer()
    caller.peer.rtp.speak(500)
    callee.rtp.speak(900)
    await waitUntil(
      'each hears the other',
      () => caller.peer.rtp.hears(900) && callee.rtp.hears(500),
      LIMIT_MS,
    )
    const child = await childOf(parent.sid)
    expect(child).toMatchObject({
      status: 'in-progress',
      direction: 'outbound-dial',
      parent_call_sid: parent.sid,
      from: '+15551112222',
    })
    call.bye()
    await waitUntil('the next verb runs', () => caller.peer.rtp.hears(440), LIMIT_MS)
    expect(await trunkline.fetchCall(child.sid)).toMatchObject({ status: 'completed' })
    caller.call.bye()
    expect(await app.completed(parent.sid)).toHaveLength(1)
    callee.close()
    caller.peer.close()
    await expectNothingLeft(trunkline)
  })
})
