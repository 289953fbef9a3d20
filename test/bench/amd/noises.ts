/** The noises of the places in which people answer; each has a root mean square of 1. */
import type { Random } from './random.js'
import { inRoom } from './rooms.js'
import { babble, hum, normalise, RATE, silence, whiteNoise } from './signals.js'
import type { Samples } from './speech.js'

export const NOISES = [
  'babble',
  'white',
  'music',
  'street',
  'hum',
  'kitchen',
  'crowd',
  'television',
] as const
export type NoiseKind = (typeof NOISES)[number]

/** The sounds that noises are made of. */
export interface Background {
  readonly voices: readonly Samples[]
  readonly music: readonly Samples[]
  readonly effects: readonly Samples[]
}

const MAKERS: Readonly<Record<NoiseKind, (n: number, b: Background, r: Random) => Samples>> = {
  babble: (length, { voices }, random) => babble(length, voices, random),
  white: (length, _, random) => whiteNoise(length, random),
  hum: (length, _, random) => hum(length, random),
  music: (length, { music }, random) => piece(length, random.pick(music), random),
  street,
  kitchen,
  crowd,
  television,
}

export function noiseOf(kind: NoiseKind, length: number, from: Background, random: Random) {
  return MAKERS[kind](length, from, random)
}

/** A piece of a recording from a random place on, repeated when it is too short. */
function piece(length: number, source: Samples, random: Random): Samples {
  let at = Math.floor(random.next() * source.length)
  return normalise(
    silence((length * 1000) / RATE).map(() => {
      if (at >= source.length) at = 0
      return source[at++] ?? 0
    }),
  )
}

/** A low rumble, vehicles that pass, and now and then a horn. */
function street(length: number, { effects }: Background, random: Random): Samples {
  const sound = lowPass(whiteNoise(length, random), 500).map((one) => 0.5 * one)
  for (let at = random.between(-2, 3) * RATE; at < length; at += random.between(2, 6) * RATE) {
    const half = random.between(0.8, 2.5) * RATE
    const vehicle = lowPass(whiteNoise(Math.ceil(2 * half), random), random.between(500, 2200))
    const gain = random.between(0.5, 3)
    add(sound, vehicle, at, (i) => gain * Math.exp(-(((3 * (i - half)) / half) ** 2)))
    if (random.next() < 0.25) addHorn(sound, at + half, random)
    if (random.next() < 0.3) addEffect(sound, effects, at + half, 1.5, random)
  }
  return normalise(sound)
}

function addHorn(sound: Samples, at: number, random: Random): void {
  const hz = random.between(330, 480)
  const parts = [1, 1.26, 2, 2.52, 3].map((order) => (2 * Math.PI * hz * order) / RATE)
  const horn = new Float64Array(random.between(0.2, 0.7) * RATE).map((_, i) =>
    parts.reduce((sum, step, k) => sum + Math.sin(step * i) / (k + 1), 0),
  )
  add(sound, horn, at, () => 0.6)
}

/** Soft noise, and dishes: clinks of three ringing modes, singly and in clusters. */
function kitchen(length: number, { effects }: Background, random: Random): Samples {
  const sound = lowPass(whiteNoise(length, random), 1500).map((one) => 0.08 * one)
  for (let at = 0; at < length; at += random.between(0.05, 1.5) * RATE) {
    if (random.next() < 0.15) addEffect(sound, effects, at, 1, random)
    else addClink(sound, at, random)
  }
  return normalise(sound)
}

function addClink(sound: Samples, at: number, random: Random): void {
  const gain = random.between(0.2, 1.5)
  for (let mode = 0; mode < 3; mode++) {
    const step = (2 * Math.PI * random.between(700, 3400)) / RATE
    const decay = random.between(0.01, 0.12) * RATE
    const ring = new Float64Array(Math.ceil(5 * decay)).map((_, i) => Math.sin(step * i))
    add(sound, ring, at, (i) => gain * Math.exp(-i / decay))
  }
}

/** Ten voices and their echoes, that grow louder and softer together. */
function crowd(length: number, { voices }: Background, random: Random): Samples {
  const one = inRoom(babble(length, voices, random), random.between(300, 700), 0.3, random)
  const other = babble(length, voices, random)
  const swell = random.between(0.1, 0.4) / RATE
  const phase = random.between(0, 6)
  return normalise(
    one.map((x, i) => (x + (other[i] ?? 0)) * 10 ** (0.3 * Math.sin(6.28 * swell * i + phase))),
  )
}

/** One voice at a time over soft music, in a room. */
function television(length: number, from: Background, random: Random): Samples {
  const sound = piece(length, random.pick(from.music), random).map((one) => 0.35 * one)
  for (let at = -random.between(0, 3) * RATE; at < length; ) {
    const voice = normalise(random.pick(from.voices))
    add(sound, voice, at, () => 1)
    at += voice.length + random.between(0.1, 1.2) * RATE
  }
  return normalise(lowPass(inRoom(sound, random.between(200, 500), 0.4, random), 2200))
}

function addEffect(
  sound: Samples,
  effects: readonly Samples[],
  at: number,
  most: number,
  random: Random,
): void {
  if (effects.length === 0) return
  const gain = random.between(0.3, most)
  add(sound, normalise(random.pick(effects)), at, () => gain)
}

function add(sound: Samples, part: Samples, start: number, gain: (i: number) => number): void {
  const at = Math.floor(start)
  for (let i = Math.max(0, -at); i < part.length && at + i < sound.length; i++)
    sound[at + i] = (sound[at + i] ?? 0) + gain(i) * (part[i] ?? 0)
}

/** One pole, twice. */
function lowPass(samples: Samples, hz: number): Samples {
  const share = 1 - Math.exp((-2 * Math.PI * hz) / RATE)
  let first = 0
  let second = 0
  return samples.map((one) => {
    first += share * (one - first)
    second += share * (first - second)
    return second * (1 + RATE / (8 * hz))
  })
}
