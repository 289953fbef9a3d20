/** Voicemail beeps: plain sines, and the other shapes that machines send. */
import type { Random } from './random.js'
import { join, RATE, silence, tone } from './signals.js'
import type { Samples } from './speech.js'

export const PLAIN = 'plain'
export const UNUSUAL = ['soft', 'decaying', 'chirp', 'dual', 'double'] as const
export type BeepShape = typeof PLAIN | (typeof UNUSUAL)[number]

const TURN = 2 * Math.PI

export function beepOf(shape: BeepShape, random: Random): Samples {
  const hz = random.between(400, 1900)
  const ms = random.between(200, 900)
  const db = random.between(-28, -10)
  switch (shape) {
    case 'plain':
      return tone({ hz: [hz], ms: random.between(150, 1000), db })
    case 'soft':
      return soft(tone({ hz: [hz], ms: ms + 200, db }), random.between(60, 200))
    case 'decaying':
      return decaying(tone({ hz: [hz], ms: ms + 200, db }), random.between(80, 300))
    case 'chirp':
      return chirp(hz, hz * random.between(0.8, 1.25), ms, db)
    case 'dual':
      return tone({ hz: [hz, Math.min(2000, hz * random.between(1.2, 1.9))], ms, db })
    case 'double': {
      const one = tone({ hz: [hz], ms: random.between(120, 300), db })
      return join([one, silence(random.between(60, 180)), one])
    }
  }
}

function soft(samples: Samples, rampMs: number): Samples {
  const ramp = (rampMs * RATE) / 1000
  return samples.map((one, i) => one * Math.min(1, i / ramp, (samples.length - i) / ramp))
}

function decaying(samples: Samples, timeMs: number): Samples {
  const time = (timeMs * RATE) / 1000
  return samples.map((one, i) => one * Math.exp(-i / time))
}

function chirp(fromHz: number, toHz: number, ms: number, db: number): Samples {
  const shape = tone({ hz: [0], ms, db })
  const amplitude = 10 ** (db / 20) * Math.SQRT2
  let phase = 0
  return shape.map((_, i) => {
    phase += (TURN * (fromHz + ((toHz - fromHz) * i) / shape.length)) / RATE
    const ramp = Math.min(1, (i + 1) / 40, (shape.length - i) / 40)
    return ramp * amplitude * Math.sin(phase)
  })
}
