/**
 * Measures the time since the last speech. Speech stands out of the line's noise for three frames.
 * The noise is the quietest level heard; after a louder one it rises slowly. Pure.
 */
export interface SilenceMeter {
  /** Takes audio: 16-bit little-endian samples at 8 kHz. */
  hear(audio: Buffer): void
  /** Counts time in which no audio arrived. */
  pass(ms: number): void
  readonly silentMs: number
}

const SAMPLE_RATE = 8_000
const FRAME_MS = 20
const FRAME_SAMPLES = (SAMPLE_RATE * FRAME_MS) / 1_000

/** The RMS, of 32,768, that is silence on any line: below -50 dB. */
const FAINT = 100
/** The ratio of speech to noise: 9.5 dB. */
const ABOVE_NOISE = 3
/** The loudest possible noise, -38 dB: a person would not talk on a noisier line. */
const LOUDEST_NOISE = 400
/** The rise of the noise in one frame: 1 dB in a second. */
const NOISE_RISE = 10 ** (FRAME_MS / 1_000 / 20)
/** The frames of the shortest speech; a click is shorter. */
const SPEECH_FRAMES = 3

export function createSilenceMeter(): SilenceMeter {
  let silentMs = 0
  let noise = FAINT / ABOVE_NOISE
  let loudFrames = 0
  const takeLevel = (level: number): void => {
    noise = Math.min(level, noise * NOISE_RISE, LOUDEST_NOISE)
    noise = Math.max(noise, FAINT / ABOVE_NOISE)
    loudFrames = level > ABOVE_NOISE * noise ? loudFrames + 1 : 0
    silentMs = loudFrames >= SPEECH_FRAMES ? 0 : silentMs + FRAME_MS
  }
  return {
    hear: (audio) => {
      for (let at = 0; at + 2 * FRAME_SAMPLES <= audio.length; at += 2 * FRAME_SAMPLES)
        takeLevel(levelOf(audio, at))
    },
    pass: (ms) => {
      loudFrames = 0
      silentMs += ms
    },
    get silentMs() {
      return silentMs
    },
  }
}

function levelOf(audio: Buffer, from: number): number {
  let sum = 0
  for (let i = 0; i < FRAME_SAMPLES; i++) sum += audio.readInt16LE(from + 2 * i) ** 2
  return Math.sqrt(sum / FRAME_SAMPLES)
}
