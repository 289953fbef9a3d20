/**
 * Vowels that are held: sung, hummed or shouted. The harmonics of a pitch, which trembles, go through
 * three resonances of a mouth. Recorded speech has few of them, and they are what is most like a beep.
 */
import type { Random } from './random.js'
import { RATE } from './signals.js'
import type { Samples } from './speech.js'

const TURN = 2 * Math.PI
/** The pitches of singers: 200 Hz and up to so many octaves above, 985 Hz. */
const PITCH = { lowHz: 200, octaves: 2.3 }
const HIGHEST_HZ = 3600
/** The pitch and the loudness tremble in steps of so many samples. */
const TREMOR_SAMPLES = 20

/** What a mouth lets through about a frequency. */
interface Formant {
  readonly hz: number
  readonly width: number
}

/** A vowel of 0.2 to 1.5 s, at any level. */
export function heldVowel(random: Random): Samples {
  const ms = random.between(200, 1500)
  const pitch = PITCH.lowHz * 2 ** random.between(0, PITCH.octaves)
  const gains = harmonicsOf(pitch, random)
  const hzAt = trembling(pitch, random)
  const levelAt = wavering((ms * RATE) / 1000, random)
  const breath = 10 ** (random.between(-45, -18) / 20)
  const samples = new Float64Array((ms * RATE) / 1000)
  let phase = 0
  for (let i = 0; i < samples.length; i++) {
    phase += (TURN * hzAt(i, i / samples.length)) / RATE
    let sum = breath * random.between(-1, 1)
    for (const [k, gain] of gains.entries()) sum += gain * Math.sin((k + 1) * phase)
    samples[i] = levelAt(i) * sum
  }
  return samples
}

/** The amplitude of each harmonic; together they have the power of one. */
function harmonicsOf(pitch: number, random: Random): readonly number[] {
  // A singer tunes the first resonance to a harmonic, which makes the vowel nearly a tone.
  const isTuned = random.next() < 0.5
  const tuned = pitch * random.pick([1, 1, 1, 2]) * random.between(0.9, 1.1)
  const first = isTuned ? tuned : random.between(250, 900)
  const formants: readonly Formant[] = [
    { hz: first, width: random.between(40, 120) },
    { hz: Math.max(1.3 * first, random.between(700, 2500)), width: random.between(60, 150) },
    { hz: random.between(2400, 3300), width: random.between(80, 250) },
  ]
  const slope = random.between(-18, -6) / 6.02
  const gains = Array.from({ length: Math.floor(HIGHEST_HZ / pitch) }, (_, k) =>
    formants.reduce((gain, one) => gain * resonance((k + 1) * pitch, one), (k + 1) ** slope),
  )
  const all = Math.hypot(...gains)
  return gains.map((gain) => gain / all)
}

function resonance(hz: number, formant: Formant): number {
  return formant.hz ** 2 / Math.hypot(formant.hz ** 2 - hz ** 2, formant.width * hz)
}

/** The frequency of each sample in turn: a glide, vibrato and what no voice can hold. */
function trembling(pitch: number, random: Random): (sample: number, part: number) => number {
  const glide = random.next() < 0.5 ? 0 : random.between(-0.15, 0.15)
  const vibrato = random.next() < 0.5 ? 0 : random.between(0.002, 0.03)
  const vibratoHz = random.between(4, 7)
  const jitter = 10 ** random.between(-3.3, -1.9)
  let wander = 0
  return (sample, part) => {
    if (sample % TREMOR_SAMPLES === 0) wander = 0.92 * wander + jitter * random.between(-1, 1)
    const turn = vibrato * Math.sin((TURN * vibratoHz * sample) / RATE)
    return pitch * (1 + glide * part + wander + turn)
  }
}

/** The amplitude of each sample in turn: soft edges, a swell and a tremor. */
function wavering(length: number, random: Random): (sample: number) => number {
  const attack = (random.between(15, 150) * RATE) / 1000
  const decay = (random.between(20, 250) * RATE) / 1000
  const swell = random.between(-6, 6)
  const shimmer = random.between(0, 0.24)
  let tremor = 1
  return (sample) => {
    if (sample % TREMOR_SAMPLES === 0)
      tremor = 0.8 * tremor + 0.2 * (1 + shimmer * random.between(-1, 1))
    const edge = Math.min(1, sample / attack, (length - sample) / decay)
    return edge * tremor * 10 ** ((swell * (sample / length - 0.5)) / 20)
  }
}
