/**
 * What a request says of machine detection → what the detector needs. The four parameters, their
 * ranges and defaults are the convention's; a value outside its range is error 21234.
 */
import type { DetectorParams } from './amd.js'

/** As requested; undefined where nothing was said. */
export interface DetectionRequest {
  /** `Enable` or `DetectMessageEnd`, in any case; undefined or empty: no detection. */
  readonly machineDetection?: string | undefined
  readonly timeoutSeconds?: number | undefined
  readonly speechThresholdMs?: number | undefined
  readonly speechEndThresholdMs?: number | undefined
  readonly silenceTimeoutMs?: number | undefined
}

export type DetectionPlan =
  | { readonly state: 'off' }
  | { readonly state: 'on'; readonly params: DetectorParams }
  /** `field`: the request's field; to be answered with error `DETECTION_ERROR`. */
  | { readonly state: 'invalid'; readonly field: keyof DetectionRequest }

export const DETECTION_ERROR = 21234

interface Range {
  readonly min: number
  readonly max: number
  readonly standard: number
}

/** The pages of the convention disagree on 59 and 60 seconds; the wider one harms nobody. */
export const DETECTION_RANGES = {
  timeoutSeconds: { min: 3, max: 60, standard: 30 },
  speechThresholdMs: { min: 1000, max: 6000, standard: 2400 },
  speechEndThresholdMs: { min: 500, max: 5000, standard: 1200 },
  silenceTimeoutMs: { min: 2000, max: 10_000, standard: 5000 },
} as const satisfies Readonly<Record<Exclude<keyof DetectionRequest, 'machineDetection'>, Range>>

const FIELDS = [
  'timeoutSeconds',
  'speechThresholdMs',
  'speechEndThresholdMs',
  'silenceTimeoutMs',
] as const

/** A parameter out of range is invalid whether or not detection is asked for. */
export function planDetection(request: DetectionRequest): DetectionPlan {
  const wrong = FIELDS.find((field) => !isInRange(request[field], DETECTION_RANGES[field]))
  if (wrong !== undefined) return { state: 'invalid', field: wrong }
  const wanted = (request.machineDetection ?? '').toLowerCase()
  if (wanted === '') return { state: 'off' }
  if (wanted !== 'enable' && wanted !== 'detectmessageend')
    return { state: 'invalid', field: 'machineDetection' }
  const { timeoutSeconds, ...times } = DETECTION_RANGES
  return {
    state: 'on',
    params: {
      mode: wanted === 'enable' ? 'enable' : 'detect-message-end',
      timeoutMs: 1000 * (request.timeoutSeconds ?? timeoutSeconds.standard),
      speechThresholdMs: request.speechThresholdMs ?? times.speechThresholdMs.standard,
      speechEndThresholdMs: request.speechEndThresholdMs ?? times.speechEndThresholdMs.standard,
      silenceTimeoutMs: request.silenceTimeoutMs ?? times.silenceTimeoutMs.standard,
    },
  }
}

function isInRange(value: number | undefined, { min, max }: Range): boolean {
  return value === undefined || (Number.isInteger(value) && value >= min && value <= max)
}
