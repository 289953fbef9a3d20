/**
 * The detector's rival: the same timers over a fixed threshold, as the classic detectors of open
 * telephone servers have it. A frame is talk when its mean magnitude is 256 or more; nothing adapts, and
 * tones are talk like any other sound.
 */
import type { AnsweredBy, DetectorParams } from '../../../src/voice/amd/amd.js'

const FRAME_SAMPLES = 160
const FRAME_MS = 20
const THRESHOLD = 256
const MIN_WORD_FRAMES = 5

export interface Verdict {
  readonly answeredBy: AnsweredBy
  readonly atMs: number
}

export function fixedThreshold(samples: Int16Array, params: DetectorParams): Verdict {
  const frames = Math.floor(samples.length / FRAME_SAMPLES)
  let firstWordAt: number | undefined
  let wordEnd = 0
  let run = 0
  for (let frame = 1; frame <= frames; frame++) {
    run = isLoud(samples, (frame - 1) * FRAME_SAMPLES) ? run + 1 : 0
    if (run >= MIN_WORD_FRAMES) {
      firstWordAt ??= frame - run
      wordEnd = frame
    }
    const talkMs = firstWordAt === undefined ? 0 : (wordEnd - firstWordAt) * FRAME_MS
    const answeredBy = decide(talkMs, frame * FRAME_MS, (frame - wordEnd) * FRAME_MS, params)
    if (answeredBy !== undefined) return { answeredBy, atMs: frame * FRAME_MS }
  }
  return { answeredBy: 'unknown', atMs: frames * FRAME_MS }
}

/** The baseline's verdict in mode `enable`. */
function decide(
  talkMs: number,
  elapsedMs: number,
  quietMs: number,
  params: DetectorParams,
): AnsweredBy | undefined {
  if (talkMs >= params.speechThresholdMs) return 'machine_start'
  if (talkMs === 0) return elapsedMs >= params.silenceTimeoutMs ? 'unknown' : undefined
  return quietMs >= params.speechEndThresholdMs ? 'human' : undefined
}

function isLoud(samples: Int16Array, start: number): boolean {
  let sum = 0
  for (let i = start; i < start + FRAME_SAMPLES; i++) sum += Math.abs(samples[i] ?? 0)
  return sum >= THRESHOLD * FRAME_SAMPLES
}
