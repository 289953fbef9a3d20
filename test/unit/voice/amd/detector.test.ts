import { describe, expect, it } from 'vitest'
import {
  createDetector,
  type DetectorEvent,
  type DetectorParams,
} from '../../../../src/voice/amd/amd.js'
import {
  fade,
  flags,
  glide,
  join,
  mix,
  noise,
  repeat,
  type Sound,
  shout,
  silence,
  speech,
  tone,
  vowel,
} from './sounds.js'

const DEFAULTS: DetectorParams = {
  mode: 'enable',
  timeoutMs: 30_000,
  speechThresholdMs: 2400,
  speechEndThresholdMs: 1200,
  silenceTimeoutMs: 5000,
}
const MESSAGE_END: DetectorParams = { ...DEFAULTS, mode: 'detect-message-end' }
const FRAME = 160

function eventsOf(sound: Sound, params: DetectorParams = DEFAULTS): DetectorEvent[] {
  const detector = createDetector(params)
  const events: DetectorEvent[] = []
  for (let at = 0; at < sound.length; at += FRAME)
    events.push(...detector.push(sound.subarray(at, at + FRAME)))
  return events
}

function verdictOf(sound: Sound, params: DetectorParams = DEFAULTS) {
  const last = eventsOf(sound, params).at(-1)
  return last?.type === 'verdict' ? last : undefined
}

const tonesIn = (sound: Sound) =>
  eventsOf(sound, { ...MESSAGE_END, silenceTimeoutMs: 60_000, timeoutMs: 60_000 }).flatMap(
    (event) => (event.type === 'tone-heard' ? [event.tone] : []),
  )

const hello = join(silence(400), speech(700), silence(4000))
const greeting = join(silence(400), speech(6000))
const beep = tone([1000], 400)
const sit = join(tone([950], 330), tone([1400], 330), tone([1800], 330))
const fax = join(silence(800), tone([2100], 3000), silence(1000))

describe('who answered', () => {
  it.each<[string, Sound, string, string]>([
    ['says hello', hello, 'human', 'human'],
    [
      'says hello twice',
      join(silence(300), speech(500), silence(800), speech(500), silence(3000)),
      'human',
      'human',
    ],
    [
      'says hello in a noisy room',
      mix(join(silence(600), speech(700), silence(4000)), noise(5300, -32)),
      'human',
      'human',
    ],
    [
      'says hello while somebody talks in the background',
      mix(join(silence(600), speech(900), silence(5000)), speech(6500, { db: -34, pitchHz: 180 })),
      'human',
      'human',
    ],
    ['speaks at once, from the first frame', join(speech(700), silence(3000)), 'human', 'human'],
    [
      'speaks faintly',
      join(silence(300), speech(700, { db: -36 }), silence(3000)),
      'human',
      'human',
    ],
    ['says nothing', silence(6000), 'unknown', 'unknown'],
    ['says nothing in a noisy room', noise(6000, -38), 'unknown', 'unknown'],
    ['only clicks', join(silence(500), noise(40, -10), silence(6000)), 'unknown', 'unknown'],
    [
      'greets for long and beeps',
      join(greeting, silence(500), beep, silence(1000)),
      'machine_start',
      'machine_end_beep',
    ],
    [
      'greets for long and falls silent',
      join(greeting, silence(3000)),
      'machine_start',
      'machine_end_silence',
    ],
    [
      'greets for long and whispers in the middle',
      join(silence(600), speech(1000), noise(1500, -20), speech(2200), silence(3000)),
      'machine_start',
      'machine_end_silence',
    ],
    ['greets for ever', join(silence(400), speech(32_000)), 'machine_start', 'machine_end_other'],
    [
      'greets for long and is then busy',
      join(greeting, silence(300), repeat(join(tone([480, 620], 500), silence(500)), 4)),
      'machine_start',
      'machine_end_other',
    ],
    [
      'greets briefly and beeps',
      join(silence(400), speech(1500), silence(400), beep, silence(2000)),
      'machine_start',
      'machine_end_beep',
    ],
    ['only beeps', join(silence(900), beep, silence(1000)), 'machine_start', 'machine_end_beep'],
    [
      'only beeps, with an overtone',
      join(silence(900), mix(beep, tone([3000], 400, -24)), silence(2000)),
      'machine_start',
      'machine_end_beep',
    ],
    [
      'is not in service',
      join(silence(300), sit, silence(2000)),
      'machine_start',
      'machine_end_silence',
    ],
    [
      'is not in service, as is announced',
      join(silence(300), sit, silence(200), speech(4000), silence(2000)),
      'machine_start',
      'machine_end_silence',
    ],
    ['is a fax that answers', fax, 'fax', 'fax'],
    ['is a fax that calls', join(silence(700), tone([1100], 500), silence(3000)), 'fax', 'fax'],
    [
      'is a fax that calls, in noise that covers the start of its tone',
      mix(join(silence(400), tone([1100], 380), silence(3000)), noise(4000, -28)),
      'fax',
      'fax',
    ],
    [
      'speaks, and then is a fax',
      join(greeting, silence(300), tone([2100], 1500)),
      'machine_start',
      'fax',
    ],
    ['rings on', repeat(join(tone([440, 480], 2000), silence(4000)), 2), 'unknown', 'unknown'],
    ['rings on abroad', repeat(join(tone([425], 1000), silence(4000)), 2), 'unknown', 'unknown'],
    ['rings on at 400 Hz', repeat(join(tone([400], 1500), silence(3500)), 3), 'unknown', 'unknown'],
    ['rings on at 440 Hz', repeat(join(tone([440], 2000), silence(4000)), 2), 'unknown', 'unknown'],
    ['is busy at 400 Hz', repeat(join(tone([400], 375), silence(375)), 12), 'unknown', 'unknown'],
    ['is busy at 440 Hz', repeat(join(tone([440], 500), silence(500)), 8), 'unknown', 'unknown'],
    ['gives a dial tone', tone([350, 440], 8000), 'unknown', 'unknown'],
    ['coughs', join(silence(600), noise(150, -18), silence(6000)), 'unknown', 'unknown'],
    [
      'is a fax that only sends its flags',
      join(silence(700), flags(1000), silence(3000)),
      'fax',
      'fax',
    ],
    ['is busy', repeat(join(tone([480, 620], 500), silence(500)), 8), 'unknown', 'unknown'],
    [
      'presses keys',
      join(silence(300), repeat(join(tone([770, 1336], 100), silence(100)), 6), silence(6000)),
      'unknown',
      'unknown',
    ],
  ])('%s', (_title, sound, enable, messageEnd) => {
    expect(verdictOf(sound)?.answeredBy).toBe(enable)
    expect(verdictOf(sound, MESSAGE_END)?.answeredBy).toBe(messageEnd)
  })

  it('is the same whatever the pieces in which the audio comes', () => {
    const whole = eventsOf(join(greeting, silence(300), beep, silence(500)), MESSAGE_END)
    const sound = join(greeting, silence(300), beep, silence(500))
    for (const size of [1, 80, 161, 4000]) {
      const detector = createDetector(MESSAGE_END)
      const events: DetectorEvent[] = []
      for (let at = 0; at < sound.length; at += size)
        events.push(...detector.push(sound.subarray(at, at + size)))
      expect(events).toEqual(whole)
    }
  })

  it('is said once, and nothing after it', () => {
    const verdicts = eventsOf(join(hello, hello, fax)).filter((event) => event.type === 'verdict')
    expect(verdicts).toHaveLength(1)
    const detector = createDetector(DEFAULTS)
    detector.push(hello)
    expect(detector.answeredBy).toBe('human')
    expect(detector.push(fax)).toEqual([])
    expect(detector.end()).toEqual([])
  })

  it('when the audio ends early is what is known by then', () => {
    const early = createDetector(MESSAGE_END)
    early.push(silence(1000))
    expect(early.end()).toEqual([{ type: 'verdict', atMs: 1000, answeredBy: 'unknown' }])
    const late = createDetector(MESSAGE_END)
    late.push(greeting)
    expect(late.end()).toMatchObject([{ type: 'verdict', answeredBy: 'machine_end_other' }])
  })
})

describe('a person who may be a machine after all', () => {
  const CORRECTABLE = { ...DEFAULTS, correctionWindowMs: 6000 }
  const hi = join(silence(300), speech(500), silence(1500))
  const conclusionsOf = (sound: Sound, params: DetectorParams) =>
    eventsOf(sound, params).flatMap((event) =>
      'answeredBy' in event ? [`${event.type} ${event.answeredBy}`] : [],
    )

  it.each<[string, Sound, string[]]>([
    ['who talks on is a machine', join(hi, speech(3000)), ['correction machine_start']],
    ['who talks on after two pauses', join(hi, hi, speech(3000)), ['correction machine_start']],
    ['a beep', join(hi, beep, silence(1000)), ['correction machine_start']],
    ['a fax', join(hi, tone([2100], 2000)), ['correction fax']],
    ['who says another word is none', join(hi, speech(900), silence(9000)), []],
    ['who says nothing more is none', join(hi, silence(9000)), []],
    ['who talks on when the window is closed', join(hi, silence(6000), speech(3000)), []],
  ])('%s', (_title, sound, corrections) => {
    expect(conclusionsOf(sound, CORRECTABLE)).toEqual(['verdict human', ...corrections])
    expect(conclusionsOf(sound, DEFAULTS)).toEqual(['verdict human'])
  })

  it('is corrected once, at the time of the call, and the detector is over', () => {
    const detector = createDetector(CORRECTABLE)
    const events = detector.push(join(hi, speech(9000)))
    expect(events.map(({ type }) => type)).toEqual([
      'speech-started',
      'verdict',
      'speech-started',
      'correction',
    ])
    expect(events.at(-2)).toMatchObject({ startedAtMs: expect.closeTo(2300, -2) as unknown })
    expect(events.at(-1)?.atMs).toBeGreaterThan(4600)
    expect(events.at(-1)?.atMs).toBeLessThan(5200)
    expect([detector.isOver, detector.end()]).toEqual([true, []])
  })

  it('is told with the end of the greeting where that was asked for', () => {
    const greets = join(hi, speech(4000), silence(300), beep, silence(1000))
    expect(conclusionsOf(greets, { ...MESSAGE_END, correctionWindowMs: 6000 })).toEqual([
      'verdict human',
      'correction machine_end_beep',
    ])
  })

  it('is final when the window closes, or the audio ends', () => {
    const closed = eventsOf(join(hi, silence(9000)), CORRECTABLE)
    const [verdict, last] = closed.slice(-2)
    expect(last).toEqual({
      type: 'correction-window-closed',
      atMs: (verdict?.atMs ?? Number.NaN) + 6000,
    })
    const detector = createDetector({ ...MESSAGE_END, correctionWindowMs: 6000 })
    detector.push(join(hi, speech(4000)))
    expect(detector.isOver).toBe(false)
    expect(detector.end()).toEqual([{ type: 'correction-window-closed', atMs: 6300 }])
    expect(detector.isOver).toBe(true)
  })
})

it('a long vowel at 450 Hz is no ringback, and ringback after speech is', () => {
  const between = (ms: number) => join(speech(2000), tone([440, 480], ms), speech(2000))
  expect(tonesIn(between(600))).toEqual([])
  expect(tonesIn(between(1400))).toEqual(['ringback'])
})

describe('coughs', () => {
  /** Noise without its highs, as a throat makes it. */
  const dull = (sound: Sound): Sound => {
    let last = 0
    return sound.map((one) => (last += 0.5 * (one - last)))
  }
  const burst = dull(fade(noise(200, -8), 5))
  const coughs = join(silence(600), burst, silence(150), burst)
  const typesOf = (sound: Sound) => eventsOf(sound).map(({ type }) => type)

  it('alone are told as coughs, and nobody answered', () => {
    const sound = join(coughs, silence(6000))
    expect(typesOf(sound)).toEqual(['speech-started', 'cough-heard', 'verdict'])
    expect(verdictOf(sound)).toMatchObject({ answeredBy: 'unknown', atMs: 5000 })
  })

  it('before a word are none of it', () => {
    expect(typesOf(join(coughs, silence(1500), hello)).slice(1)).toEqual([
      'cough-heard',
      'speech-started',
      'verdict',
    ])
    expect(verdictOf(join(coughs, silence(1500), hello))?.answeredBy).toBe('human')
    expect(verdictOf(join(coughs, silence(200), speech(700), silence(3000)))?.answeredBy).toBe(
      'human',
    )
  })
})

it('a click alone is told as a noise', () => {
  const events = eventsOf(join(silence(600), noise(150, -18), silence(6000)))
  const startedAtMs = expect.closeTo(600, -2) as unknown
  expect(events.map(({ type }) => type)).toEqual(['speech-started', 'noise-heard', 'verdict'])
  expect(events[1]).toMatchObject({ type: 'noise-heard', startedAtMs })
})

describe('each parameter', () => {
  const FRAME_MS = 20

  it.each([
    [1000, 800, 'human'],
    [1000, 1700, 'machine_start'],
    [2400, 1700, 'human'],
    // The syllables begin and end too softly to be heard whole.
    [2400, 2400, 'machine_start'],
    [2400, 3100, 'machine_start'],
    [6000, 4800, 'human'],
    [6000, 6800, 'machine_start'],
  ])('SpeechThreshold %d with %d ms of speech', (speechThresholdMs, ms, answeredBy) => {
    const sound = join(silence(300), speech(ms), silence(3000))
    expect(verdictOf(sound, { ...DEFAULTS, speechThresholdMs })?.answeredBy).toBe(answeredBy)
  })

  it.each([500, 1200, 5000])('SpeechEndThreshold %d is the silence before "human"', (ms) => {
    const sound = join(silence(300), speech(660), silence(7000))
    const verdict = verdictOf(sound, { ...DEFAULTS, speechEndThresholdMs: ms })
    expect(verdict?.answeredBy).toBe('human')
    expect(verdict?.atMs).toBeGreaterThanOrEqual(960 + ms - 3 * FRAME_MS)
    expect(verdict?.atMs).toBeLessThanOrEqual(960 + ms + 4 * FRAME_MS)
  })

  it.each([500, 1200, 3000])('MessageEndSilence %d is the silence before the end', (ms) => {
    const verdict = verdictOf(join(silence(300), speech(4740), silence(5000)), {
      ...MESSAGE_END,
      messageEndSilenceMs: ms,
    })
    expect(verdict?.answeredBy).toBe('machine_end_silence')
    expect(Math.abs((verdict?.atMs ?? 0) - (5040 + ms))).toBeLessThanOrEqual(5 * FRAME_MS)
  })

  it('2.2 s of silence end a message unless something else is said', () => {
    const verdict = verdictOf(join(silence(300), speech(4740), silence(5000)), MESSAGE_END)
    expect(verdict?.answeredBy).toBe('machine_end_silence')
    expect(Math.abs((verdict?.atMs ?? 0) - (5040 + 2200))).toBeLessThanOrEqual(5 * FRAME_MS)
  })

  it('a greeting may pause for longer than a person before it goes on to its beep', () => {
    const paused = join(silence(300), speech(3500), silence(1600), speech(2000), silence(1500))
    const verdict = verdictOf(join(paused, beep, silence(3000)), MESSAGE_END)
    expect(verdict?.answeredBy).toBe('machine_end_beep')
  })

  it('a greeting may go on with a vowel that is held like a tone', () => {
    const paused = join(silence(300), speech(4000), silence(1750), vowel(700, 220, 450))
    const end = join(silence(100), speech(2000), silence(500), beep, silence(3000))
    expect(verdictOf(join(paused, end), MESSAGE_END)?.answeredBy).toBe('machine_end_beep')
  })

  it.each([2000, 5000, 10_000])('SilenceTimeout %d', (silenceTimeoutMs) => {
    const verdict = verdictOf(silence(11_000), { ...DEFAULTS, silenceTimeoutMs })
    expect(verdict).toEqual({ type: 'verdict', atMs: silenceTimeoutMs, answeredBy: 'unknown' })
    const late = join(silence(silenceTimeoutMs - 300), speech(700), silence(3000))
    expect(verdictOf(late, { ...DEFAULTS, silenceTimeoutMs })?.answeredBy).toBe('human')
  })

  it.each([3000, 30_000, 60_000])('Timeout %d', (timeoutMs) => {
    const params = { ...DEFAULTS, timeoutMs, silenceTimeoutMs: 100_000 }
    expect(verdictOf(silence(61_000), params)).toEqual({
      type: 'verdict',
      atMs: timeoutMs,
      answeredBy: 'unknown',
    })
    const talking = verdictOf(speech(61_000), { ...params, mode: 'detect-message-end' })
    expect(talking).toEqual({ type: 'verdict', atMs: timeoutMs, answeredBy: 'machine_end_other' })
  })
})

describe('tones', () => {
  it.each([-10, -15, -20, -25, -30])('at %d dBm0 are heard', (dbm0) => {
    expect(tonesIn(join(silence(300), tone([850], 300, dbm0), silence(500)))).toEqual(['beep'])
    expect(tonesIn(join(silence(300), tone([2100], 700, dbm0), silence(500)))).toEqual([
      'fax-answer',
    ])
    expect(tonesIn(join(silence(300), tone([1100], 500, dbm0), silence(500)))).toEqual([
      'fax-calling',
    ])
    const parts = [950, 1400, 1800].map((hz) => tone([hz], 300, dbm0))
    expect(tonesIn(join(silence(300), ...parts, silence(500)))).toEqual(['special-information'])
    expect(tonesIn(join(tone([480, 620], 500, dbm0), silence(500)))).toEqual(['busy'])
    expect(tonesIn(join(tone([440, 480], 2000, dbm0), silence(500)))).toEqual(['ringback'])
  })

  it.each([405, 440, 500, 777, 1000, 1400, 1800, 1995])('a beep may be %d Hz', (hz) => {
    expect(tonesIn(join(silence(300), tone([hz], 250), silence(500)))).toEqual(['beep'])
  })

  it.each([300, 350, 2060, 2250, 3000])('%d Hz is no beep', (hz) => {
    expect(tonesIn(join(silence(300), tone([hz], 300), silence(500)))).toEqual([])
  })

  it.each<[number, string[]]>([
    [60, []],
    [100, []],
    [150, ['beep']],
    [1000, ['beep']],
    [2500, ['beep']],
    [4000, []],
  ])('a tone of %d ms', (ms, names) => {
    expect(tonesIn(join(silence(300), tone([900], ms), silence(500)))).toEqual(names)
  })

  it('a beep after speech may swell, fade, glide, come twice or have two tones', () => {
    const spoken = join(silence(300), speech(3000), silence(300))
    const sounds = [
      fade(tone([1000], 600), 200),
      fade(tone([700], 500, -10), 0),
      fade(tone([700], 800, -20), 0),
      tone([600, 960], 400),
      glide(900, 1120, 400),
      join(tone([1000], 140), silence(100), tone([1000], 140)),
    ]
    for (const sound of sounds) expect(tonesIn(join(spoken, sound, silence(600)))).toEqual(['beep'])
  })

  it.each<[string, Sound, string]>([
    ['a key', tone([770, 1336], 120), 'digit'],
    ['a dial tone', tone([350, 440], 2000), 'dial-tone'],
    ['the flags of a fax', flags(1000), 'fax-preamble'],
    ['ringing at 400 Hz', tone([400], 1500), 'call-progress'],
  ])('%s has its own name', (_title, sound, name) => {
    expect(tonesIn(join(silence(300), sound, silence(800)))).toEqual([name])
  })

  it('1100 Hz of another length is a beep, and so it is after speech', () => {
    expect(tonesIn(join(silence(300), tone([1100], 250), silence(500)))).toEqual(['beep'])
    expect(tonesIn(join(speech(2000), silence(300), tone([1100], 500), silence(500)))).toEqual([
      'beep',
    ])
  })

  it('off their frequency are no fax', () => {
    expect(tonesIn(join(silence(300), tone([2060], 700), silence(500)))).toEqual([])
    expect(tonesIn(join(silence(300), tone([1030], 500), silence(500)))).toEqual(['beep'])
  })

  it('a fax answer survives the reversals of its phase', () => {
    const reversed = tone([2100], 450).map((one) => -one)
    const sound = join(silence(500), tone([2100], 450), reversed, tone([2100], 450), silence(500))
    expect(tonesIn(sound)).toEqual(['fax-answer'])
  })

  it('a melody is no beep, nor is its last note', () => {
    const notes = [523, 659, 784, 659].map((hz) => tone([hz], 250))
    expect(tonesIn(join(repeat(join(...notes), 4), silence(500)))).toEqual([])
  })

  it('a tone with overtones is a note or a vowel, no beep', () => {
    const spoken = join(silence(300), speech(3000), silence(300))
    const note = mix(tone([600], 400, -15), mix(tone([1200], 400, -24), tone([1800], 400, -26)))
    expect(tonesIn(join(spoken, note, silence(600)))).toEqual([])
  })

  it.each([400, 500, 550, 600, 700, 900])('a shout at %d Hz is no beep, nor in noise', (hz) => {
    const said = join(speech(3000), silence(300), shout(900, hz), silence(900))
    for (const db of [-60, -40]) expect(tonesIn(mix(said, noise(5100, db)))).toEqual([])
  })

  it.each<[number, string[]]>([
    [1800, ['beep']],
    [2500, []],
  ])('a tone of %d ms after speech', (ms, names) => {
    expect(tonesIn(join(speech(3000), silence(300), tone([900], ms), silence(600)))).toEqual(names)
  })

  it('a dish that rings off is no beep', () => {
    const spoken = join(silence(300), speech(3000), silence(300))
    const ring = mix(tone([840], 400, -12), tone([1990], 400, -17))
    const clink = ring.map((one, i) => one * 10 ** (-i / 1600))
    expect(tonesIn(join(spoken, clink, silence(600)))).toEqual([])
  })

  it('a beep may sound already when the call is answered', () => {
    expect(tonesIn(join(tone([1000], 400), silence(800)))).toEqual(['beep'])
  })

  it('a beep may lose packets in its middle', () => {
    const lossy = join(speech(3000), silence(300), tone([1300], 500), silence(600))
    lossy.fill(0, 8 * 3540, 8 * 3620)
    expect(tonesIn(lossy)).toEqual(['beep'])
  })

  it('are heard through lost packets and noise', () => {
    const lossy = join(speech(3000), silence(300), tone([1300], 600), silence(500))
    for (let at = 0; at < lossy.length; at += 20 * FRAME) lossy.fill(0, at, at + FRAME)
    expect(tonesIn(lossy)).toEqual(['beep'])
    const clean = join(speech(3000), silence(300), tone([1300], 600, -18), silence(1500))
    expect(tonesIn(mix(clean, noise(5400, -32)))).toEqual(['beep'])
  })

  it.each([1000, 1500])('a beep of %d Hz is heard 8 dB above noise after speech', (hz) => {
    const left = join(speech(3000), silence(500), tone([hz], 400, -18), silence(1500))
    expect(tonesIn(mix(left, noise(5400, -26)))).toEqual(['beep'])
  })

  it('are heard as loud as the noise is that was there from the start', () => {
    const clean = join(silence(200), tone([1240], 900, -5), silence(1500))
    expect(tonesIn(mix(clean, noise(2600, -16)))).toEqual(['beep'])
    const short = join(speech(3000), silence(500), tone([555], 250, -16), silence(1500))
    expect(tonesIn(mix(short, noise(5250, -29)))).toEqual(['beep'])
  })

  it('end a message whose last words are hardly above the noise', () => {
    const faint = speech(1400, { db: -41 })
    const message = join(silence(1500), speech(4000), faint, silence(400), beep, silence(4000))
    const heard = mix(message, noise(11_700, -36))
    expect(verdictOf(heard, MESSAGE_END)?.answeredBy).toBe('machine_end_beep')
  })

  it.each([
    90, 120, 150, 180, 210, 250,
  ])('are not heard in speech at a pitch of %d Hz', (pitchHz) => {
    expect(tonesIn(speech(60_000, { pitchHz }))).toEqual([])
  })
})

it('takes a bounded time for a frame', () => {
  const detector = createDetector({ ...MESSAGE_END, timeoutMs: 60_000, silenceTimeoutMs: 60_000 })
  const sound = speech(20_000)
  const startedAt = performance.now()
  detector.push(sound)
  const micros = ((performance.now() - startedAt) * 1000) / (sound.length / FRAME)
  process.stdout.write(`answering-machine detector: ${micros.toFixed(1)} µs for a frame of 20 ms\n`)
  expect(detector.answeredBy).toBeUndefined()
})
