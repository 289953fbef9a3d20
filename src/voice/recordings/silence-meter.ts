/**
 * Measures the time since the last speech. Speech is louder than the noise floor for three frames.
 * The noise floor is the lowest level received; it rises slowly after louder audio. Pure.
 */
export interface SilenceMeter {
  /** Adds audio: 16-bit little-endian samples at 8 kHz. */
  add(audio: Buffer): void
  /** Adds time in which no audio arrived. */
  addGap(ms: number): void
  readonly silentMs: number
}

const SAMPLE_RATE = 8_000
const FRAME_MS = 20
const FRAME_SAMPLES = (SAMPLE_RATE * FRAME_MS) / 1_000

/** RMS level, of 32,768, below which any audio is silence: -50 dB. */
const FAINT = 100
/** Ratio of speech to noise: 9.5 dB. */
const ABOVE_NOISE = 3
/** Maximum noise floor, -38 dB: nobody would talk on a noisier line. */
const LOUDEST_NOISE = 400
/** Rise of the noise floor per frame: 1 dB a second. */
const NOISE_RISE = 10 ** (FRAME_MS / 1_000 / 20)
/** Minimum number of frames of speech; a click is shorter. */
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
    add: (audio) => {
      for (let at = 0; at + 2 * FRAME_SAMPLES <= audio.length; at += 2 * FRAME_SAMPLES)
        takeLevel(levelOf(audio, at))
    },
    addGap: (ms) => {
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
