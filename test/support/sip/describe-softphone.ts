import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { expectNothingLeft } from '../process/nothing-left.js'
import { type RunningTrunkline, startTrunkline } from '../process/trunkline.js'
import { channelOf, downloadRecording, toneMs } from '../sound/recorded-wav.js'
import { RATE, toneShare } from '../sound/tone.js'
import { waitUntil } from '../time/wait-until.js'
import { startVoiceApp, type VoiceApp } from '../voice/voice-app.js'
import type { Softphone } from './softphone.js'

/** Tone of the application's `/tone.wav`, and the tone that each softphone sends. */
const OURS_HZ = 440
const THEIRS_HZ = 500
const LIMIT_MS = 30_000
const NUMBER = '+15551112222'

/**
 * Calls that every softphone must support with the server: both directions, DTMF, hold and resume, hangup by
 * each side.
 */
export function describeSoftphone(
  name: string,
  start: (options: { readonly toneHz: number }) => Promise<Softphone>,
): void {
  describe(name, () => {
    let trunkline: RunningTrunkline
    let app: VoiceApp
    let phone: Softphone

    beforeEach(async () => {
      phone = await start({ toneHz: THEIRS_HZ })
    })
    afterEach(() => phone[Symbol.asyncDispose]())
    beforeAll(async () => {
      trunkline = await startTrunkline()
      app = await startVoiceApp()
      app.page('/music', `<Play loop="0">${app.url}/tone.wav</Play>`)
      app.page('/bye', '<Hangup/>')
      await trunkline.assignNumber(NUMBER, {
        voiceUrl: `${app.url}/voice`,
        statusCallback: `${app.url}/status`,
      })
    })
    afterAll(async () => {
      await app[Symbol.asyncDispose]()
      await trunkline[Symbol.asyncDispose]()
    })

    const until = (what: string, isTrue: () => boolean) =>
      waitUntil(what, isTrue, LIMIT_MS, () => [phone.printed().slice(-6_000)])

    /** Waits for our tone in the phone's received audio from now on. */
    const hears = async () => {
      const before = phone.heard().length
      await until('the tone is heard', () => {
        const heard = phone.heard()
        const last = heard.subarray(Math.max(before, heard.length - RATE / 2))
        return last.length >= RATE / 4 && toneShare(last, OURS_HZ) > 0.8
      })
    }

    const gather = (action: string) =>
      `<Gather numDigits="2" action="${app.url}${action}" timeout="25"><Play loop="0">${app.url}/tone.wav</Play></Gather>`

    const dialNumber = () => {
      phone.dial(`sip:${NUMBER.slice(1)}@127.0.0.1:${trunkline.sipPort}`)
    }

    const call = () =>
      trunkline.createCall({
        To: phone.uri,
        From: NUMBER,
        Url: `${app.url}/voice`,
        StatusCallback: `${app.url}/status`,
      })

    /** Resolves when the call has ended and was reported completed once. */
    const completed = async (sid: string) => {
      const callbacks = await app.completed(sid)
      expect(callbacks.map((params) => params['CallStatus'])).toEqual(['completed'])
      await expectNothingLeft(trunkline)
    }

    const sidOfLast = (path: string) =>
      new Map(app.sink.requests.filter(({ target }) => target === path).at(-1)?.params).get(
        'CallSid',
      ) ?? ''

    it('calls a number, presses keys, holds, returns and hangs up', async () => {
      app.page('/voice', gather('/music?inbound'))
      dialNumber()
      await hears()
      phone.press('42')
      await until('the keys arrive', () =>
        app.sink.requests.some(
          ({ target, params }) =>
            target === '/music?inbound' && new Map(params).get('Digits') === '42',
        ),
      )
      await hears()
      const printed = phone.printed().length
      phone.hold()
      const answers = () => phone.printed().slice(printed)
      await until('the hold is answered', () => /^a=recvonly/m.test(answers()))
      await until('nothing arrives', () => !phone.receives())
      phone.resume()
      await until('audio arrives again', () => phone.receives())
      phone.hangUp()
      await completed(sidOfLast('/voice'))
    })

    it('calls a number and is hung up', async () => {
      app.page('/voice', gather('/bye'))
      dialNumber()
      await hears()
      phone.press('17')
      await completed(sidOfLast('/voice'))
    })

    it('is called and heard, presses keys and is hung up', async () => {
      app.page('/voice', `<Record maxLength="2" playBeep="false" action="${app.url}/recorded"/>`)
      app.page('/recorded', gather('/bye?keys'))
      const { sid } = await call()
      const { RecordingSid = '' } = await app.asked('/recorded', sid)
      await hears()
      phone.press('09')
      await completed(sid)
      const keys = app.sink.requests.find(({ target }) => target === '/bye?keys')
      expect(new Map(keys?.params).get('Digits')).toBe('09')
      const { bytes } = await downloadRecording(trunkline, `${RecordingSid}.wav`)
      expect(toneMs(channelOf(bytes, 0), THEIRS_HZ)).toBeGreaterThan(1_000)
    })

    it('is called, holds, returns and hangs up', async () => {
      app.page('/voice', `<Play loop="0">${app.url}/tone.wav</Play>`)
      const { sid } = await call()
      await hears()
      const printed = phone.printed().length
      phone.hold()
      await until('the hold is answered', () => /^a=recvonly/m.test(phone.printed().slice(printed)))
      await until('nothing arrives', () => !phone.receives())
      phone.resume()
      await until('audio arrives again', () => phone.receives())
      phone.hangUp()
      await completed(sid)
    })
  })
}
