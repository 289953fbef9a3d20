/** Degrades a clip as a line does: noise, level, one of the two G.711 laws, lost packets. */

import { Concealment } from '../../../src/lab/media/dsp/concealment.js'
import { FRAME_SAMPLES } from '../../../src/lab/media/dsp/frame.js'
import { A_LAW, MU_LAW } from '../../../src/platform/audio/g711.js'
import type { Clip } from './clip.js'
import { type Background, NOISES, type NoiseKind, noiseOf } from './noises.js'
import type { Random } from './random.js'
import { inRoom, throughGsm, throughHandset } from './rooms.js'
import { activeDb } from './signals.js'
import type { Samples } from './speech.js'

export const NOISE_LEVELS = ['clean', '20', '10', '5'] as const
export type NoiseLevel = (typeof NOISE_LEVELS)[number]

export interface Condition {
  /** The signal-to-noise ratio in dB, or `none`. */
  readonly snr: NoiseLevel
  readonly noise: NoiseKind
  readonly law: 'PCMU' | 'PCMA'
  readonly lossPercent: number
  /** The mean length of a gap in packets. */
  readonly lossBurst: number
  readonly levelDb: number
  /** The time in which the room's echo fades by 60 dB; 0 is no room. */
  readonly roomMs: number
  readonly hasHandset: boolean
  /** True when GSM full rate carries the sound on a part of the way. */
  readonly isTandem: boolean
}

/** The level that noise is measured against in a silent clip, which has no level of its own. */
const QUIET_REFERENCE_DB = -32

export function conditionOf(snr: NoiseLevel, random: Random): Condition {
  return {
    snr,
    noise: random.pick(NOISES),
    law: random.pick(['PCMU', 'PCMA']),
    lossPercent: random.pick([0, 0, 1, 5]),
    lossBurst: random.pick([1, 1, 3]),
    levelDb: random.pick([0, 0, 0, -10, 6]),
    roomMs: random.pick([0, 0, 150, 300, 500]),
    hasHandset: random.next() < 0.4,
    isTandem: random.next() < 0.25,
  }
}

/** Returns what the far end hears, in whole frames. */
export function degrade(
  clip: Clip,
  condition: Condition,
  background: Background,
  random: Random,
): Int16Array {
  const noisy = addNoise(clip, condition, background, random)
  const spoken = condition.hasHandset ? throughHandset(noisy, random) : noisy
  const sent = quantised(spoken, 32_768 * 10 ** (condition.levelDb / 20))
  const carried = condition.isTandem ? throughGsm(sent) : sent
  const law = condition.law === 'PCMU' ? MU_LAW : A_LAW
  const heard = carried.map((one) => law.toLinear[law.fromLinear[one & 0xffff] ?? 0] ?? 0)
  if (condition.lossPercent > 0) losePackets(heard, condition, random)
  return heard
}

/** Whole frames of 16-bit samples; the last one is filled with silence. */
function quantised(samples: Samples, gain: number): Int16Array {
  const heard = new Int16Array(Math.ceil(samples.length / FRAME_SAMPLES) * FRAME_SAMPLES)
  for (let i = 0; i < samples.length; i++)
    heard[i] = Math.max(-32_768, Math.min(32_767, Math.round((samples[i] ?? 0) * gain)))
  return heard
}

/** Only people stand in rooms: greetings, tones and music come over the line as they are. */
function inItsRoom(clip: Clip, { roomMs }: Condition, random: Random): Samples {
  if (roomMs === 0 || !clip.kind.startsWith('person')) return clip.audio
  return inRoom(clip.audio, roomMs, random.between(0.1, 0.3), random)
}

function addNoise(
  clip: Clip,
  condition: Condition,
  background: Background,
  random: Random,
): Samples {
  const audio = inItsRoom(clip, condition, random)
  if (condition.snr === 'clean') return audio
  const made = noiseOf(condition.noise, audio.length, background, random)
  const reference = clip.kind === 'silence' ? QUIET_REFERENCE_DB : activeDb(clip.audio)
  const gain = 10 ** ((reference - Number(condition.snr)) / 20)
  return audio.map((one, i) => one + gain * (made[i] ?? 0))
}

/** Loses packets in gaps of about `lossBurst` and conceals them as the lab does. */
function losePackets(
  samples: Int16Array,
  { lossPercent, lossBurst }: Condition,
  random: Random,
): void {
  const concealment = new Concealment()
  const begin = lossPercent / 100 / lossBurst
  let isLost = false
  for (let at = 0; at < samples.length; at += FRAME_SAMPLES) {
    const frame = samples.subarray(at, at + FRAME_SAMPLES)
    isLost = random.next() < (isLost ? 1 - 1 / lossBurst : begin)
    if (!isLost) {
      concealment.remember(frame)
      continue
    }
    frame.fill(0)
    concealment.conceal(frame, 0)
  }
}
