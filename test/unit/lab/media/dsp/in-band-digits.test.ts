import { describe, expect, it } from 'vitest'
import { PCMA, PCMU } from '../../../../../src/lab/media/codecs/g711.js'
import { InBandDigits } from '../../../../../src/lab/media/dsp/in-band-digits.js'
import { reportRow } from '../../../../support/rows/rows.js'
import { join, noise, type Sound, silence, speech, tone } from '../../../voice/amd/sounds.js'

const KEYS: Readonly<Record<string, readonly [low: number, high: number]>> = Object.fromEntries(
  ['123A', '456B', '789C', '*0#D'].flatMap((row, i) =>
    Array.from(row, (key, j) => [
      key,
      [[697, 770, 852, 941][i] ?? 0, [1209, 1336, 1477, 1633][j] ?? 0] as const,
    ]),
  ),
)

interface Press {
  readonly ms?: number
  /** Of the fainter tone. */
  readonly dbm0?: number
  /** How much louder the high tone is. */
  readonly twistDb?: number
  /** Off frequency, in per cent. */
  readonly offPercent?: number
  /** Samples of silence before it. */
  readonly lead?: number
}

function press(
  key: string,
  { ms = 100, dbm0 = -15, twistDb = 0, offPercent = 0, lead = 0 }: Press = {},
): Sound {
  const [low, high] = (KEYS[key] ?? [0, 0]).map((hz) => hz * (1 + offPercent / 100))
  const lowTone = tone([low ?? 0], ms, dbm0 + Math.max(0, -twistDb))
  const highTone = tone([high ?? 0], ms, dbm0 + Math.max(0, twistDb))
  return join(
    new Int16Array(lead),
    lowTone.map((one, i) => one + (highTone[i] ?? 0)),
    silence(60),
  )
}

function heard(sound: Sound): { digit: string; durationMs: number }[] {
  const digits: { digit: string; durationMs: number }[] = []
  const detector = new InBandDigits((digit, durationMs) => digits.push({ digit, durationMs }))
  for (let at = 0; at < sound.length; at += 160) detector.push(sound.subarray(at, at + 160))
  detector.end()
  return digits
}

const textOf = (sound: Sound) =>
  heard(sound)
    .map(({ digit }) => digit)
    .join('')

describe('keys in the audio', () => {
  const hiss = noise(200, -38)

  it('are all known, one after another', () => {
    const all = Object.keys(KEYS)
    expect(textOf(join(...all.map((key) => press(key))))).toBe(all.join(''))
  })

  it('[E40] are known at −10 to −30 dBm, with 6 dB of twist, for 40 to 2000 ms, wherever they begin', ({
    task,
  }) => {
    let total = 0
    let found = 0
    for (const codec of [PCMU, PCMA])
      for (const key of Object.keys(KEYS))
        for (const dbm0 of [-10, -20, -30])
          for (const twistDb of [-6, 0, 6])
            for (const ms of [40, 70, 2_000])
              for (const lead of [0, 37, 71]) {
                const sound = press(key, { dbm0: dbm0 - (dbm0 === -10 ? 6 : 0), twistDb, ms, lead })
                total++
                if (
                  textOf(
                    sound.map((one) => codec.toLinear[codec.fromLinear[one & 0xffff] ?? 0] ?? 0),
                  ) === key
                )
                  found++
              }
    reportRow(task, 'E40', { 'in-band keys found': `${found} of ${total}` })
    expect(found / total).toBeGreaterThanOrEqual(0.99)
  })

  it('last as long as they are held', () => {
    for (const ms of [60, 200, 2_000]) {
      const [digit] = heard(press('7', { ms }))
      expect(Math.abs((digit?.durationMs ?? 0) - ms)).toBeLessThanOrEqual(26)
    }
  })

  it('are one though they break for ten milliseconds', () => {
    const sound = press('5', { ms: 300 })
    sound.fill(0, 1_030, 1_110)
    expect(textOf(sound)).toBe('5')
  })

  it('pressed twice are two', () => {
    expect(textOf(join(press('5', { ms: 50 }), press('5', { ms: 50 })))).toBe('55')
  })

  it.each([1.5, -1.5])('are known %s percent off', (offPercent) => {
    for (const key of Object.keys(KEYS))
      expect(textOf(press(key, { offPercent, ms: 60 }))).toBe(key)
  })

  it('are known in noise 20 dB below', () => {
    const sound = press('9', { dbm0: -15 })
    const mixed = sound.map((one, i) => one + (hiss[i] ?? 0))
    expect(textOf(mixed)).toBe('9')
  })
})

describe('what is no key', () => {
  it.each([
    ['a tone alone', tone([770], 500)],
    ['a dial tone', tone([350, 440], 2_000)],
    ['ringback', tone([440, 480], 2_000)],
    ['two tones of one group', tone([697, 852], 500)],
    ['ten milliseconds of a key', press('5', { ms: 10 })],
    ['a key fainter than any', press('5', { dbm0: -50 })],
    ['noise', noise(5_000, -15)],
    ['twelve decibels of twist', press('5', { twistDb: 12 })],
  ])('%s is none', (_what, sound) => {
    expect(textOf(sound)).toBe('')
  })

  it('[E40] speech is none, at any pitch', ({ task }) => {
    let minutes = 0
    let digits = ''
    for (let pitchHz = 80; pitchHz <= 300; pitchHz += 11) {
      digits += textOf(speech(6_000, { pitchHz }))
      minutes += 0.1
    }
    reportRow(task, 'E40', {
      'keys heard in speech-like sound': `${digits.length} in ${minutes.toFixed(1)} min`,
    })
    expect(digits).toBe('')
  })
})
