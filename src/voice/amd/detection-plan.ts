/**
 * Converts the parameters of a request or document into the detector's parameters. The first four parameters,
 * their ranges and defaults follow the convention. A value outside its range is error 21234.
 */
import type { DetectorParams } from './amd.js'

export const DETECTION_ERROR = 21234
export const DETECTION_MODES = ['Enable', 'DetectMessageEnd'] as const

/**
 * The ranges of the parameters. The convention's pages disagree between 59 and 60 seconds; the wider range is
 * harmless.
 */
export const DETECTION_RANGES = {
  timeoutSeconds: { min: 3, max: 60, standard: 30 },
  speechThresholdMs: { min: 1000, max: 6000, standard: 2400 },
  speechEndThresholdMs: { min: 500, max: 5000, standard: 1200 },
  silenceTimeoutMs: { min: 2000, max: 10_000, standard: 5000 },
  /** An extension: the time in which `human` may be corrected. Without it, a verdict is final. */
  correctionWindowMs: { min: 1000, max: 30_000, standard: undefined },
} as const

/** The parameters of a request, each within its range; undefined when absent. */
export type DetectionTuning = {
  readonly [Name in keyof typeof DETECTION_RANGES]: number | undefined
}

export function detectionParams(
  mode: (typeof DETECTION_MODES)[number],
  tuning: DetectionTuning,
): DetectorParams {
  const valueOf = (name: Exclude<keyof DetectionTuning, 'correctionWindowMs'>) =>
    tuning[name] ?? DETECTION_RANGES[name].standard
  return {
    mode: mode === 'Enable' ? 'enable' : 'detect-message-end',
    timeoutMs: 1000 * valueOf('timeoutSeconds'),
    speechThresholdMs: valueOf('speechThresholdMs'),
    speechEndThresholdMs: valueOf('speechEndThresholdMs'),
    silenceTimeoutMs: valueOf('silenceTimeoutMs'),
    messageEndSilenceMs: tuning.speechEndThresholdMs,
    correctionWindowMs: tuning.correctionWindowMs,
  }
}
