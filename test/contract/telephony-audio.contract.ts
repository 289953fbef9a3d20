import { randomUUID } from 'node:crypto'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { PlaybackError } from '../../src/voice/telephony/leg-media.js'
import { LegEndedError, UnsafeArgumentError } from '../../src/voice/telephony/port.js'
import type { KeyOptions } from '../support/media/rtp-peer.js'
import type { AnsweredCall, TelephonyRig } from '../support/media/telephony-rig.js'
import type { PeerCall, SdpOptions } from '../support/sip/sip-peer.js'
import { headerOf } from '../support/sip/sip-peer-message.js'
import { toneWav } from '../support/sound/wav-bytes.js'
import { waitUntil } from '../support/time/wait-until.js'

const LONG_TONE = (frequency: number) =>
  ({ type: 'tone', frequencies: [frequency], onMs: 20_000, offMs: 0, repeat: 1 }) as const
const never = () => new AbortController().signal

/** One INFO, and its answer. */
async function inform(call: PeerCall, type: string, body: string): Promise<void> {
  const answers = () =>
    call.log.filter(
      (message) => message.status === 200 && headerOf(message, 'cseq').endsWith('INFO'),
    ).length
  const before = answers()
  call.info(type, body)
  await waitUntil('INFO is answered', () => answers() > before, 15_000)
}

export function describeAudio(rig: () => TelephonyRig): void {
  let folder: string
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'trunkline-audio-'))
  })
  afterAll(() => {
    rmSync(folder, { recursive: true, force: true })
  })

  describe('digits', () => {
    it.each([101, 96])('are heard at payload type %d', async (digitPayloadType) => {
      const { leg, events, peer } = await rig().received((peer, port) => {
        peer.rtp.dtmfPayloadType = digitPayloadType
        return peer.call(port, { sdp: peer.sdp({ digitPayloadType }) })
      })
      for (const digit of '19*#') await peer.rtp.sendDigit(digit)
      await waitUntil(
        'all are heard',
        () => events.digits.length === 4,
        15_000,
        () => events.digits,
      )
      expect(events.pressed).toBe('19*#')
      for (const { durationMs } of events.digits) expect(durationMs).toBeGreaterThan(0)
      await leg.hangup()
    })

    const ways = [
      ['dialled', (sdp: SdpOptions) => rig().dialed({ offered: sdp })],
      [
        'received',
        (sdp: SdpOptions) =>
          rig().received((peer, port) => peer.call(port, { sdp: peer.sdp(sdp) })),
      ],
    ] as const
    const send =
      (options: KeyOptions) =>
      async ({ peer }: AnsweredCall, digits: string) => {
        await peer.rtp.sendDigits(digits, options)
      }
    const forms: readonly (readonly [
      title: string,
      press: (call: AnsweredCall, digits: string) => Promise<void>,
      sdp: SdpOptions,
    ])[] = [
      ['as events of 40 ms', send({ durationMs: 40 }), {}],
      ['as events held for half a second', send({ durationMs: 500 }), {}],
      [
        'as events of whose three ends two are lost',
        async (call, digits) => {
          // FreeSWITCH drops the event with sequence number 0, which may be the one end that comes.
          const { rtp } = call.peer
          await waitUntil('the numbers begin anew', () => rtp.sequence > 0 && rtp.sequence < 60_000)
          await send({ lostEnds: 2 })(call, digits)
        },
        {},
      ],
      [
        'by INFO with their length',
        async ({ call }, digits) => {
          for (const digit of digits)
            await inform(call, 'application/dtmf-relay', `Signal=${digit}\r\nDuration=100\r\n`)
        },
        {},
      ],
      [
        'by INFO alone',
        async ({ call }, digits) => {
          for (const digit of digits) await inform(call, 'application/dtmf', digit)
        },
        {},
      ],
      [
        'in the audio',
        async ({ peer }, digits) => {
          for (const digit of digits) await peer.rtp.pressInBand(digit)
        },
        { digitPayloadType: 'none' },
      ],
    ]

    describe.each(ways)('of a %s leg', (_way, begin) => {
      it.each(forms)('%s are each heard once [E40]', async (_form, press, sdp) => {
        const call = await begin(sdp)
        const { leg, events } = call
        await press(call, '1155*0D#')
        await waitUntil(
          'the last is heard',
          () => events.pressed.endsWith('#'),
          15_000,
          () => events.pressed,
        )
        expect(events.pressed).toBe('1155*0D#')
        await leg.hangup()
      })
    })

    it('are heard on a call that we made', async () => {
      const { leg, events, peer } = await rig().dialed()
      await peer.rtp.sendDigit('5')
      await waitUntil('it is heard', () => events.pressed === '5')
      await leg.hangup()
    })

    it('come by INFO as well', async () => {
      const { leg, events, call } = await rig().received()
      call.info('application/dtmf-relay', 'Signal=8\r\nDuration=160\r\n')
      await call.response(200, 'INFO')
      await waitUntil('it is heard', () => events.digits.length > 0)
      expect(events.digits).toEqual([{ digit: '8', durationMs: 160 }])
      await leg.hangup()
    })

    it('are one each when a phone sends them both ways', async () => {
      const { leg, events, peer, call } = await rig().received()
      for (const digit of '55') {
        call.info('application/dtmf-relay', `Signal=${digit}\r\nDuration=100\r\n`)
        await peer.rtp.sendDigit(digit)
      }
      call.info('application/dtmf', '9')
      await waitUntil('all are heard', () => events.pressed.endsWith('9'), 15_000)
      expect(events.pressed).toBe('559')
      await leg.hangup()
    })

    it('are heard in the audio of a phone that knows no telephone events', async () => {
      const withoutEvents = await rig().received((peer, port) =>
        peer.call(port, { sdp: peer.sdp({ digitPayloadType: 'none' }) }),
      )
      const { leg, events, peer } = withoutEvents
      for (const digit of '159#') await peer.rtp.pressInBand(digit)
      await waitUntil(
        'all are heard',
        () => events.digits.length === 4,
        15_000,
        () => events.digits,
      )
      expect(events.pressed).toBe('159#')
      await leg.hangup()
    })

    it('are not looked for in the audio of one that does', async () => {
      const { leg, events, peer } = await rig().received()
      await peer.rtp.pressInBand('5')
      await peer.rtp.sendDigit('7')
      await waitUntil('the event is heard', () => events.digits.length > 0, 15_000)
      expect(events.pressed).toBe('7')
      await leg.hangup()
    })

    it('are sent in order, with pauses', async () => {
      const { leg, peer } = await rig().dialed()
      await leg.media.sendDigits('12w#A', never())
      await waitUntil(
        'all arrive',
        () => peer.rtp.digits.length === 4,
        15_000,
        () => peer.rtp.digits,
      )
      expect(peer.rtp.digits.join('')).toBe('12#A')
      await leg.hangup()
    })

    it('stop when aborted', async () => {
      const { leg, peer } = await rig().dialed()
      const stop = new AbortController()
      const sending = leg.media.sendDigits(`1${'W'.repeat(60)}2`, stop.signal)
      await waitUntil('the first arrives', () => peer.rtp.digits.length === 1)
      stop.abort(new Error('enough'))
      await expect(sending).rejects.toThrow('enough')
      expect(peer.rtp.digits).toEqual(['1'])
      await leg.hangup()
    })
  })

  describe('playing', () => {
    it('a tone is heard, and the end is told', async () => {
      const { leg, peer } = await rig().dialed()
      const playing = leg.media.play(
        { type: 'tone', frequencies: [440], onMs: 600, offMs: 0, repeat: 1 },
        never(),
      )
      await waitUntil('it is heard', () => peer.rtp.hears(440))
      await playing
      await waitUntil('it is quiet', () => peer.rtp.isQuiet())
      await leg.hangup()
    })

    it('a cadence is heard in all its parts, and stops when aborted', async () => {
      const { leg, peer } = await rig().dialed()
      const stop = new AbortController()
      const parts = [
        { frequencies: [440], onMs: 500, offMs: 100 },
        { frequencies: [880], onMs: 500, offMs: 300 },
      ]
      const playing = leg.media.play({ type: 'cadence', parts, repeat: 50 }, stop.signal)
      for (const frequency of [440, 880, 440])
        await waitUntil('the part is heard', () => peer.rtp.hears(frequency))
      stop.abort(new Error('heard'))
      await expect(playing).rejects.toThrow('heard')
      await waitUntil('it is quiet', () => peer.rtp.isQuiet())
      await leg.hangup()
    })

    it('a file is heard to its end', async () => {
      const path = join(folder, 'tone 1.wav')
      writeFileSync(path, toneWav(620, 0.6))
      const { leg, peer } = await rig().received()
      const playing = leg.media.play({ type: 'file', path }, never())
      await waitUntil('it is heard', () => peer.rtp.hears(620))
      await playing
      await leg.hangup()
    })

    it('one after the other', async () => {
      const { leg, peer } = await rig().dialed()
      for (const frequency of [440, 880]) {
        const playing = leg.media.play(
          { type: 'tone', frequencies: [frequency], onMs: 500, offMs: 0, repeat: 1 },
          never(),
        )
        await waitUntil('it is heard', () => peer.rtp.hears(frequency))
        await playing
      }
      await leg.media.play({ type: 'silence', durationMs: 100 }, never())
      await leg.hangup()
    })

    it('stops when aborted, and the next one is not harmed', async () => {
      const { leg, peer } = await rig().dialed()
      for (const frequency of [440, 880, 620]) {
        const stop = new AbortController()
        const playing = leg.media.play(LONG_TONE(frequency), stop.signal)
        await waitUntil('it is heard', () => peer.rtp.hears(frequency))
        stop.abort(new Error('barge-in'))
        await expect(playing).rejects.toThrow('barge-in')
      }
      await waitUntil('it is quiet', () => peer.rtp.isQuiet())
      await leg.hangup()
    })

    it('fails when there is no such file, and the leg lives on', async () => {
      const { leg, peer } = await rig().dialed()
      const missing = { type: 'file', path: join(folder, 'missing.wav') } as const
      await expect(leg.media.play(missing, never())).rejects.toThrow(PlaybackError)
      const stop = new AbortController()
      const playing = leg.media.play(LONG_TONE(440), stop.signal)
      await waitUntil('a tone is heard', () => peer.rtp.hears(440))
      stop.abort(new Error('heard'))
      await expect(playing).rejects.toThrow('heard')
      await leg.hangup()
    })

    it('fails when the file is not audio', async () => {
      const path = join(folder, 'broken.wav')
      writeFileSync(path, 'this is not audio')
      const { leg } = await rig().dialed()
      await expect(leg.media.play({ type: 'file', path }, never())).rejects.toThrow(PlaybackError)
      await leg.hangup()
    })

    it('ends with the leg', async () => {
      const { leg, call } = await rig().dialed()
      const playing = leg.media.play(LONG_TONE(440), never())
      call.bye()
      await expect(playing).rejects.toThrow(LegEndedError)
      await expect(leg.media.play(LONG_TONE(440), never())).rejects.toThrow(LegEndedError)
    })
  })

  describe('bridging', () => {
    it('lets two legs hear each other, and parts them again', async () => {
      const [a, b] = await Promise.all([rig().dialed(), rig().received()])
      a.peer.rtp.speak(500)
      b.peer.rtp.speak(900)
      const stop = new AbortController()
      const bridged = a.leg.media.bridge(b.leg.media, stop.signal)
      await waitUntil('each hears the other', () => a.peer.rtp.hears(900) && b.peer.rtp.hears(500))
      stop.abort()
      await bridged
      await waitUntil('neither does', () => a.peer.rtp.isQuiet() && b.peer.rtp.isQuiet())
      for (const { leg, peer } of [a, b]) {
        const heard = new AbortController()
        const playing = leg.media.play(LONG_TONE(1_200), heard.signal)
        await waitUntil('it obeys again', () => peer.rtp.hears(1_200))
        heard.abort(new Error('heard'))
        await expect(playing).rejects.toThrow('heard')
        await leg.hangup()
      }
    })

    it('can be parted at once, and both obey at once', async () => {
      const [a, b] = await Promise.all([rig().dialed(), rig().dialed()])
      for (let i = 0; i < 3; i += 1) {
        const stop = new AbortController()
        const bridged = a.leg.media.bridge(b.leg.media, stop.signal)
        stop.abort()
        await bridged
        const silence = { type: 'silence', durationMs: 40 } as const
        await Promise.all([a.leg.media.play(silence, never()), b.leg.media.play(silence, never())])
      }
      await Promise.all([a.leg.hangup(), b.leg.hangup()])
    })

    it('still hears digits', async () => {
      const [a, b] = await Promise.all([rig().dialed(), rig().dialed()])
      const stop = new AbortController()
      const bridged = a.leg.media.bridge(b.leg.media, stop.signal)
      a.peer.rtp.speak(500)
      await waitUntil('they are joined', () => b.peer.rtp.hears(500))
      await a.peer.rtp.sendDigit('4')
      await waitUntil('it is heard', () => a.events.pressed === '4')
      stop.abort()
      await bridged
      await Promise.all([a.leg.hangup(), b.leg.hangup()])
    })

    it.each([
      'first',
      'second',
    ] as const)('ends when the %s leg does, and the other one lives on', async (which) => {
      const [a, b] = await Promise.all([rig().dialed(), rig().dialed()])
      const bridged = a.leg.media.bridge(b.leg.media, never())
      a.peer.rtp.speak(500)
      await waitUntil('they are joined', () => b.peer.rtp.hears(500))
      const [gone, left] = which === 'first' ? [a, b] : [b, a]
      gone.call.bye()
      await bridged
      await gone.events.ended()
      expect(left.events.ends).toEqual([])
      const heard = new AbortController()
      const playing = left.leg.media.play(LONG_TONE(1_200), heard.signal)
      await waitUntil('the other one obeys', () => left.peer.rtp.hears(1_200))
      heard.abort(new Error('heard'))
      await expect(playing).rejects.toThrow('heard')
      await left.leg.hangup()
    })

    it('begins at once after a ringing that was stopped', async () => {
      const [a, b] = await Promise.all([rig().dialed(), rig().dialed()])
      const ringing = new AbortController()
      const playing = a.leg.media.play(LONG_TONE(440), ringing.signal)
      await waitUntil('it rings', () => a.peer.rtp.hears(440))
      ringing.abort(new Error('answered'))
      await expect(playing).rejects.toThrow('answered')
      const stop = new AbortController()
      const bridged = a.leg.media.bridge(b.leg.media, stop.signal)
      b.peer.rtp.speak(900)
      await waitUntil('only the other is heard', () => a.peer.rtp.hears(900))
      stop.abort()
      await bridged
      await Promise.all([a.leg.hangup(), b.leg.hangup()])
    })

    it('both can be hung up while they are joined', async () => {
      const [a, b] = await Promise.all([rig().dialed(), rig().dialed()])
      const bridged = a.leg.media.bridge(b.leg.media, never())
      a.peer.rtp.speak(500)
      await waitUntil('they are joined', () => b.peer.rtp.hears(500))
      await Promise.all([a.leg.hangup(), b.leg.hangup()])
      await bridged
    })
  })

  describe('text that could be a command', () => {
    const canary = () => join(folder, `canary-${randomUUID()}`)

    it.each([
      ['a line break', (file: string) => `x\n\napi system touch ${file}`],
      ['CR LF', (file: string) => `x\r\n\r\napi system touch ${file}`],
      ['an expansion', (file: string) => '$' + `{system touch ${file}}`],
      ['a call in an expansion', (file: string) => '$' + `{system(touch ${file})}`],
      ['quotes', (file: string) => `' ; api system touch ${file} '"`],
      ['delimiters', (file: string) => `a|b!c^^|d;system=touch ${file}`],
    ])('%s stays text, or is refused', async (_title, textFor) => {
      const { leg, peer } = await rig().dialed()
      const file = canary()
      const text = textFor(file)
      const attempts = [
        leg.media.setVariable('note', text),
        leg.media.setVariable(text, 'value'),
        leg.media.play({ type: 'file', path: text }, never()),
        leg.media.play({ type: 'file', path: `/${text}` }, never()),
        leg.media.record(`${folder}/${text}.wav`, { channels: 'mono' }),
        leg.media.sendDigits(text, never()),
      ]
      const results = await Promise.allSettled(attempts)
      for (const result of results.slice(1)) expect(result.status).toBe('rejected')
      expect(() => rig().dial(peer, { variables: { [text]: 'x' } })).toThrow(UnsafeArgumentError)
      // The conversation is still in step: each answer belongs to its command.
      await leg.media.setVariable('note', 'plain')
      const stop = new AbortController()
      const playing = leg.media.play(LONG_TONE(440), stop.signal)
      await waitUntil('a tone is heard', () => peer.rtp.hears(440))
      stop.abort(new Error('heard'))
      await expect(playing).rejects.toThrow('heard')
      expect(existsSync(file)).toBe(false)
      await leg.hangup()
    })
  })
}
