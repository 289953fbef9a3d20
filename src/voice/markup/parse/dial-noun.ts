/** The attributes that Dial's nouns share when they place calls. */

import {
  DETECTION_ERROR,
  DETECTION_MODES,
  DETECTION_RANGES,
  detectionParams,
} from '../../amd/detection-plan.js'
import type { ErrorNumber } from '../../errors/error-catalogue.js'
import type { AttributeReader } from './attributes.js'
import { type Callback, type EventCallback, readCallback, readEventCallback } from './callbacks.js'

export type DialStatusEvent = 'initiated' | 'ringing' | 'answered' | 'completed'

/** The attributes of a called party and its call; URLs are as written. */
export interface CalledParty {
  /** Markup that the called party hears before it is connected. */
  readonly screening: Callback | undefined
  readonly sendDigits: string | undefined
  readonly statusCallback: EventCallback<DialStatusEvent> | undefined
  readonly machineDetection: DialMachineDetection | undefined
}

/** The machine detection of a called party. */
export interface DialMachineDetection {
  readonly mode: 'enable' | 'detect-message-end'
  readonly timeoutMs: number
  readonly speechThresholdMs: number
  readonly speechEndThresholdMs: number
  readonly messageEndSilenceMs?: number | undefined
  readonly correctionWindowMs?: number | undefined
  readonly silenceTimeoutMs: number
  readonly callback?: Callback
}

export const STATUS_EVENTS: readonly DialStatusEvent[] = [
  'initiated',
  'ringing',
  'answered',
  'completed',
]
const MAX_DIGITS = 32

export const PLAIN_PARTY: CalledParty = {
  screening: undefined,
  sendDigits: undefined,
  statusCallback: undefined,
  machineDetection: undefined,
}

export function readCalledParty(
  read: AttributeReader,
  codes: { readonly method: ErrorNumber; readonly sendDigits: ErrorNumber },
): CalledParty {
  const method = read.method('method', codes.method)
  const url = read.text('url')?.trim() ?? ''
  const events = { known: STATUS_EVENTS, usual: ['completed'] as const }
  return {
    screening: url === '' ? undefined : { url, method },
    sendDigits: read.custom('sendDigits', toDigits, 'of 0-9 A-D # * w W', {
      otherwise: undefined,
      code: codes.sendDigits,
    }),
    statusCallback: readEventCallback(read, 'statusCallback', events),
    machineDetection: readMachineDetection(read),
  }
}

function readMachineDetection(read: AttributeReader): DialMachineDetection | undefined {
  const mode = read.custom('machineDetection', toMode, DETECTION_MODES.join(' or '), {
    otherwise: undefined,
    code: DETECTION_ERROR,
  })
  const tuning = (name: string, range: keyof typeof DETECTION_RANGES) =>
    read.integer(name, DETECTION_RANGES[range], { otherwise: undefined, code: DETECTION_ERROR })
  const callback = readCallback(read, 'amdStatusCallback', DETECTION_ERROR)
  const wanted = {
    timeoutSeconds: tuning('machineDetectionTimeout', 'timeoutSeconds'),
    speechThresholdMs: tuning('machineDetectionSpeechThreshold', 'speechThresholdMs'),
    speechEndThresholdMs: tuning('machineDetectionSpeechEndThreshold', 'speechEndThresholdMs'),
    silenceTimeoutMs: tuning('machineDetectionSilenceTimeout', 'silenceTimeoutMs'),
    correctionWindowMs: tuning('machineDetectionCorrectionWindow', 'correctionWindowMs'),
  }
  if (mode === undefined) return undefined
  const detection = detectionParams(mode, wanted)
  return callback === undefined ? detection : { ...detection, callback }
}

function toDigits(value: string): string | undefined {
  return /^[0-9A-DwW#*]+$/.test(value) && value.length <= MAX_DIGITS ? value : undefined
}

function toMode(value: string): (typeof DETECTION_MODES)[number] | undefined {
  return DETECTION_MODES.find((mode) => mode === value)
}
