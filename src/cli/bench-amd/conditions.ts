/** Degrades a clip as a line does: noise, level, one of the two G.711 laws, lost packets. */

import { Concealment } from '../../lab/media/dsp/concealment.js'
import { FRAME_SAMPLES } from '../../lab/media/dsp/frame.js'
import { A_LAW, MU_LAW } from '../../platform/audio/g711.js'
import type { Clip } from './clip.js'
import type { Random } from './random.js'
import { activeDb, babble, hum, whiteNoise } from './signals.js'
import type { Samples } from './speech.js'

export const NOISE_LEVELS = ['clean', '20', '10', '5'] as const
export type NoiseLevel = (typeof NOISE_LEVELS)[number]
export const NOISES = ['babble', 'white', 'hum'] as const

export interface Condition {
  /** The signal-to-noise ratio in dB, or `none`. */
  readonly snr: NoiseLevel
  readonly noise: (typeof NOISES)[number]
  readonly law: 'PCMU' | 'PCMA'
  readonly lossPercent: number
  readonly levelDb: number
}

/** The level that noise is measured against in a silent clip, which has no level of its own. */
const QUIET_REFERENCE_DB = -32

export function conditionOf(snr: NoiseLevel, index: number, random: Random): Condition {
  return {
    snr,
    noise: NOISES[index % NOISES.length] ?? 'white',
    law: index % 2 === 0 ? 'PCMU' : 'PCMA',
    lossPercent: random.pick([0, 0, 1, 5]),
    levelDb: random.pick([0, 0, 0, -10, 6]),
  }
}

/** Returns what the far end hears, in whole frames. */
export function degrade(
  clip: Clip,
  condition: Condition,
  background: readonly Samples[],
  random: Random,
): Int16Array {
  const noisy = addNoise(clip, condition, background, random)
  const gain = 32_768 * 10 ** (condition.levelDb / 20)
  const law = condition.law === 'PCMU' ? MU_LAW : A_LAW
  const heard = new Int16Array(Math.ceil(noisy.length / FRAME_SAMPLES) * FRAME_SAMPLES)
  for (let i = 0; i < noisy.length; i++) {
    const sample = Math.max(-32_768, Math.min(32_767, Math.round((noisy[i] ?? 0) * gain)))
    heard[i] = law.toLinear[law.fromLinear[sample & 0xffff] ?? 0] ?? 0
  }
  if (condition.lossPercent > 0) losePackets(heard, condition.lossPercent / 100, random)
  return heard
}

function addNoise(
  clip: Clip,
  { snr, noise }: Condition,
  background: readonly Samples[],
  random: Random,
): Samples {
  const { audio } = clip
  if (snr === 'clean') return audio
  const made =
    noise === 'white'
      ? whiteNoise(audio.length, random)
      : noise === 'hum'
        ? hum(audio.length, random)
        : babble(audio.length, background, random)
  const reference = clip.kind === 'silence' ? QUIET_REFERENCE_DB : activeDb(audio)
  const gain = 10 ** ((reference - Number(snr)) / 20)
  return audio.map((one, i) => one + gain * (made[i] ?? 0))
}

/** Conceals lost packets as the lab does. */
function losePackets(samples: Int16Array, share: number, random: Random): void {
  const concealment = new Concealment()
  for (let at = 0; at < samples.length; at += FRAME_SAMPLES) {
    const frame = samples.subarray(at, at + FRAME_SAMPLES)
    if (random.next() >= share) {
      concealment.remember(frame)
      continue
    }
    frame.fill(0)
    concealment.conceal(frame, 0)
  }
}
