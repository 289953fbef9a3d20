/**
 * How long nobody has spoken. Speech is what stands out of the noise of the line for three frames; the
 * noise is what is heard when it is quietest, believed again slowly after something louder. Pure.
 */
export interface SilenceMeter {
  /** 16-bit little-endian samples at 8 kHz. */
  hear(audio: Buffer): void
  /** Time for which nothing came at all. */
  pass(ms: number): void
  readonly silentMs: number
}

const SAMPLE_RATE = 8_000
const FRAME_MS = 20
const FRAME_SAMPLES = (SAMPLE_RATE * FRAME_MS) / 1_000

/** RMS of a sample's 32,768: quieter than -50 dB is silence on any line. */
const FAINT = 100
/** Speech is 9.5 dB above the noise. */
const ABOVE_NOISE = 3
/** -38 dB: nobody would talk on a line that is noisier than that, so what is louder is no noise. */
const LOUDEST_NOISE = 400
/** 1 dB in a second. */
const NOISE_RISE = 10 ** (FRAME_MS / 1_000 / 20)
/** A click is shorter. */
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
