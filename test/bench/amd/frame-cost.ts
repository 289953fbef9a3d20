import { createDetector } from '../../../src/voice/amd/amd.js'
import { createRandom } from './random.js'
import { DEFAULTS } from './trials.js'

const FRAME_SAMPLES = 160
const FRAMES = 1400
const ROUNDS = 20

/**
 * Measures the microseconds that the detector takes for a frame of 20 ms on this machine, with
 * speech-like noise and no verdict.
 */
export function measureFrameCost(): number {
  const random = createRandom(5)
  const noise = Int16Array.from({ length: FRAME_SAMPLES }, () => random.between(-600, 600))
  let spentMs = 0
  for (let round = 0; round < ROUNDS; round++) {
    const detector = createDetector({
      mode: 'detect-message-end',
      ...DEFAULTS,
      silenceTimeoutMs: 60_000,
    })
    const startedAt = performance.now()
    for (let frame = 0; frame < FRAMES; frame++) detector.push(noise)
    spentMs += performance.now() - startedAt
  }
  return (1000 * spentMs) / (ROUNDS * FRAMES)
}
