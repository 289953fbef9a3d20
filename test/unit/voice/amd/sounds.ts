/** Sounds for the detector, made of numbers only: tones, and speech-like noise with syllables and pitch. */

const RATE = 8000
const FULL_SCALE = 32_768

export type Sound = Int16Array

export function silence(ms: number): Sound {
  return new Int16Array(Math.round((ms * RATE) / 1000))
}

/** Sines of equal level; `dbm0` of all together (full scale is +3.17). */
export function tone(hz: readonly number[], ms: number, dbm0 = -15): Sound {
  const amplitude = (10 ** ((dbm0 - 3.17) / 20) * FULL_SCALE) / Math.sqrt(hz.length)
  return silence(ms).map((_, i) =>
    hz.reduce((sum, one) => sum + amplitude * Math.sin((2 * Math.PI * one * i) / RATE), 0),
  )
}

/**
 * Voiced syllables of 180 ms with 60 ms between them: harmonics of a pitch that falls within each
 * syllable, louder and fainter vowels in turn. `db` is the root mean square, below full scale.
 */
export function speech(ms: number, { db = -20, pitchHz = 120 } = {}): Sound {
  let phase = 0
  const shape = Float64Array.from(silence(ms), (_, i) => {
    const at = ((i * 1000) / RATE) % 240
    const syllable = Math.floor((i * 1000) / RATE / 240)
    const pitch = pitchHz * (1.15 - 0.3 * (at / 180)) * (1 + 0.08 * (syllable % 3))
    phase += (2 * Math.PI * pitch) / RATE
    if (at >= 180) return 0
    const swell = Math.sin((Math.PI * at) / 180) * (syllable % 2 === 0 ? 1 : 0.7)
    const formant = 3 + (syllable % 4)
    let sum = 0
    for (let harmonic = 1; harmonic <= 20; harmonic++) {
      const weight = 1 / (1 + 0.5 * Math.abs(harmonic - formant))
      sum += weight * Math.sin(harmonic * phase)
    }
    return swell * sum
  })
  const power = shape.reduce((sum, one) => sum + one * one, 0) / shape.length
  const gain = (10 ** (db / 20) * FULL_SCALE) / Math.sqrt(power)
  return Int16Array.from(shape, (one) => Math.max(-32_768, Math.min(32_767, gain * one)))
}

/** A vowel that is held at one pitch: harmonics, the strongest of them at `formantHz`. */
export function vowel(ms: number, pitchHz: number, formantHz: number, db = -20): Sound {
  const harmonics = Array.from({ length: Math.floor(3400 / pitchHz) }, (_, i) => {
    const hz = (i + 1) * pitchHz
    return { hz, weight: 0.03 / (i + 1) + 1 / (1 + ((hz - formantHz) / 60) ** 2) }
  })
  const power = harmonics.reduce((sum, { weight }) => sum + weight ** 2 / 2, 0)
  const gain = (10 ** (db / 20) * FULL_SCALE) / Math.sqrt(power)
  return silence(ms).map((_, i, all) => {
    const swell = Math.min(1, i / 400, (all.length - i) / 400)
    const sine = ({ hz, weight }: { hz: number; weight: number }): number =>
      weight * Math.sin((2 * Math.PI * hz * i) / RATE + hz / pitchHz)
    return gain * swell * harmonics.reduce((sum, one) => sum + sine(one), 0)
  })
}

/** A shout, nearly a tone: a pitch that trembles by 1 %, with soft edges and few harmonics. */
export function shout(ms: number, pitchHz: number, db = -20): Sound {
  const amplitude = Math.SQRT2 * 10 ** (db / 20) * FULL_SCALE
  let phase = 0
  return silence(ms).map((_, i, all) => {
    phase += (2 * Math.PI * pitchHz * (1 + 0.01 * Math.sin((2 * Math.PI * 5.5 * i) / RATE))) / RATE
    const swell = Math.min(1, i / 640, (all.length - i) / 640)
    return amplitude * swell * (Math.sin(phase) + 0.2 * Math.sin(2 * phase + 1))
  })
}

/** The flags of a fax: V.21 channel 2 at 300 bit/s, phase-continuous. */
export function flags(ms: number, dbm0 = -15): Sound {
  const amplitude = 10 ** ((dbm0 - 3.17) / 20) * FULL_SCALE
  let phase = 0
  return silence(ms).map((_, i) => {
    const bit = Math.floor((i * 300) / RATE) % 8
    phase += (2 * Math.PI * (bit === 0 || bit === 7 ? 1850 : 1650)) / RATE
    return amplitude * Math.sin(phase)
  })
}

/** A sine whose frequency goes evenly from one to the other. */
export function glide(fromHz: number, toHz: number, ms: number, dbm0 = -15): Sound {
  const amplitude = 10 ** ((dbm0 - 3.17) / 20) * FULL_SCALE
  let phase = 0
  return silence(ms).map((_, i, all) => {
    phase += (2 * Math.PI * (fromHz + ((toHz - fromHz) * i) / all.length)) / RATE
    return amplitude * Math.sin(phase)
  })
}

/** A sound that swells for `riseMs` and then fades by 8.7 dB in each 150 ms. */
export function fade(sound: Sound, riseMs: number): Sound {
  const rise = (riseMs * RATE) / 1000
  const fall = 0.15 * RATE
  return sound.map((one, i) => one * (i < rise ? i / rise : Math.exp((rise - i) / fall)))
}

/** White noise of a seeded generator; `db` root mean square, below full scale. */
export function noise(ms: number, db: number, seed = 1): Sound {
  let state = seed
  const amplitude = 10 ** (db / 20) * FULL_SCALE * Math.sqrt(3)
  return silence(ms).map(() => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return amplitude * (state / 2_147_483_648 - 1)
  })
}

export function join(...parts: readonly Sound[]): Sound {
  const all = new Int16Array(parts.reduce((sum, part) => sum + part.length, 0))
  let at = 0
  for (const part of parts) {
    all.set(part, at)
    at += part.length
  }
  return all
}

export function repeat(sound: Sound, times: number): Sound {
  return join(...Array.from({ length: times }, () => sound))
}

/** `a` with `b` over it, as long as `a`. */
export function mix(a: Sound, b: Sound): Sound {
  return a.map((one, i) => Math.max(-32_768, Math.min(32_767, one + (b[i] ?? 0))))
}
