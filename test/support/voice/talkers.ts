import { expect } from 'vitest'
import { expectNothingLeft } from '../process/nothing-left.js'
import type { RunningTrunkline } from '../process/trunkline.js'
import { type PeerCall, SipPeer } from '../sip/sip-peer.js'
import type { VoiceApp } from './voice-app.js'

export const TALKERS_NUMBER = '+15551112222'
const POLL = { timeout: 30_000, interval: 50 }

/** A caller in a call in progress, who hears an endless tone. */
export interface Talker extends Disposable {
  readonly peer: SipPeer
  readonly call: PeerCall
  readonly sid: string
}

export const isTalking = ({ peer }: Talker) => peer.rtp.hears(440)

/** Places `count` calls; resolves once every caller hears the tone. */
export async function startTalkers(
  trunkline: RunningTrunkline,
  app: VoiceApp,
  count: number,
): Promise<readonly Talker[]> {
  app.page('/voice', `<Play loop="0">${app.url}/tone.wav</Play>`)
  await trunkline.assignNumber(TALKERS_NUMBER, {
    voiceUrl: `${app.url}/voice`,
    statusCallback: `${app.url}/status`,
  })
  const talkers: Talker[] = []
  for (let index = 0; index < count; index += 1) {
    const peer = await SipPeer.open()
    const call = peer.call(trunkline.sipPort, { user: TALKERS_NUMBER })
    await call.response(200, 'INVITE', 20_000)
    const asked = app.sink.requests.filter(({ target }) => target === '/voice')
    const sid = new Map(asked.at(-1)?.params).get('CallSid') ?? ''
    talkers.push({
      peer,
      call,
      sid,
      [Symbol.dispose]: () => {
        peer.close()
      },
    })
  }
  await expect.poll(() => talkers.every(isTalking), POLL).toBe(true)
  for (const { peer } of talkers) peer.rtp.forget()
  return talkers
}

/** Expects one completed callback per call, and no remaining call, leg or dialog. */
export async function expectEndedOnce(
  trunkline: RunningTrunkline,
  app: VoiceApp,
  talkers: readonly Talker[],
): Promise<void> {
  for (const { sid } of talkers) {
    const callbacks = await app.completed(sid)
    expect(callbacks.map((params) => params['CallStatus'])).toEqual(['completed'])
    await expect.poll(async () => (await trunkline.fetchCall(sid)).status, POLL).toBe('completed')
  }
  await expectNothingLeft(trunkline)
}

export async function hangUp({ call }: Talker): Promise<void> {
  call.bye()
  await call.response(200, 'BYE', 10_000)
}

/** Longest silence of any caller, ms: the tone file has no gap, and its repetition takes a moment. */
export const longestGapMs = (talkers: readonly Talker[]) =>
  Math.max(...talkers.map(({ peer }) => peer.rtp.longestGapMs))

/** Every caller hears the tone; it is silent for a moment when the file repeats. */
export async function expectTalking(talkers: readonly Talker[]): Promise<void> {
  await expect.poll(() => talkers.every(isTalking), POLL).toBe(true)
}
