/** What stands between a mouth and the line: the room, the handset, other codecs on the way. */
import { execFileSync } from 'node:child_process'
import type { Random } from './random.js'
import { power, RATE } from './signals.js'
import type { Samples } from './speech.js'

const REFLECTIONS = 160

/** Adds scattered reflections that fade by 60 dB within `fadeMs`; the level stays. */
export function inRoom(
  samples: Samples,
  fadeMs: number,
  wetShare: number,
  random: Random,
): Samples {
  const fade = (fadeMs * RATE) / 1000
  const gain = Math.sqrt(wetShare / (REFLECTIONS * 0.072))
  const taps = Array.from({ length: REFLECTIONS }, () => {
    const delay = Math.floor(40 + random.next() * fade)
    return { delay, gain: gain * random.pick([-1, 1]) * 10 ** ((-3 * delay) / fade) }
  })
  const heard = samples.map((one) => one * Math.sqrt(1 - wetShare))
  for (const tap of taps)
    for (let i = tap.delay; i < heard.length; i++)
      heard[i] = (heard[i] ?? 0) + tap.gain * (samples[i - tap.delay] ?? 0)
  const before = power(samples, 0, samples.length)
  const after = power(heard, 0, heard.length)
  const level = after > 0 ? Math.sqrt(before / after) : 1
  return heard.map((one) => one * level)
}

/** A handset's band, and the tilt of its microphone. */
export function throughHandset(samples: Samples, random: Random): Samples {
  const low = biquad(samples, 'high', random.between(180, 420))
  const band = biquad(low, 'low', random.between(2400, 3500))
  const tilt = random.between(-0.35, 0.35)
  let last = 0
  return band.map((one) => {
    const tilted = one - tilt * last
    last = one
    return tilted
  })
}

function biquad(samples: Samples, pass: 'low' | 'high', hz: number): Samples {
  const w = (2 * Math.PI * hz) / RATE
  const alpha = Math.sin(w) / Math.SQRT2
  const cos = Math.cos(w)
  const sign = pass === 'low' ? 1 : -1
  const b1 = pass === 'low' ? 1 - cos : -1 - cos
  const b0 = (sign * b1) / 2
  const a0 = 1 + alpha
  let x1 = 0
  let x2 = 0
  let y1 = 0
  let y2 = 0
  return samples.map((x) => {
    const y = (b0 * x + b1 * x1 + b0 * x2 + 2 * cos * y1 - (1 - alpha) * y2) / a0
    x2 = x1
    x1 = x
    y2 = y1
    y1 = y
    return y
  })
}

/** Sends 16-bit samples through GSM full rate and back. */
export function throughGsm(samples: Int16Array): Int16Array {
  const raw = ['-t', 'raw', '-r', '8000', '-c', '1', '-e', 'signed', '-b', '16', '-']
  const gsm = ['-t', 'gsm', '-r', '8000', '-c', '1', '-']
  const options = { maxBuffer: 64_000_000, stdio: ['pipe', 'pipe', 'ignore'] as const }
  const input = Buffer.from(samples.buffer, samples.byteOffset, samples.byteLength)
  const coded = execFileSync('sox', ['-D', ...raw, ...gsm], {
    ...options,
    input,
    stdio: [...options.stdio],
  })
  const out = execFileSync('sox', ['-D', ...gsm, ...raw], {
    ...options,
    input: coded,
    stdio: [...options.stdio],
  })
  const heard = new Int16Array(samples.length)
  for (let i = 0; i < heard.length && 2 * i + 1 < out.length; i++) heard[i] = out.readInt16LE(2 * i)
  return heard
}
