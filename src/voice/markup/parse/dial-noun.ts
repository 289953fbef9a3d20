/** What Dial's nouns that place calls have in common. */
import type { AttributeReader } from './attributes.js'
import { type Callback, type EventCallback, readCallback, readEventCallback } from './callbacks.js'

export type DialStatusEvent = 'initiated' | 'ringing' | 'answered' | 'completed'

/** How one party is called, and whom that party's own call reports to; URLs as written. */
export interface CalledParty {
  /** Markup that the called party hears before it is connected. */
  readonly screening: Callback | undefined
  readonly sendDigits: string | undefined
  readonly statusCallback: EventCallback<DialStatusEvent> | undefined
  readonly machineDetection: DialMachineDetection | undefined
}

/** As a call's own. */
export interface DialMachineDetection {
  readonly mode: 'enable' | 'detect-message-end'
  readonly timeoutMs: number
  readonly speechThresholdMs: number
  readonly speechEndThresholdMs: number
  readonly silenceTimeoutMs: number
  readonly callback?: Callback
}

const STATUS_EVENTS: readonly DialStatusEvent[] = ['initiated', 'ringing', 'answered', 'completed']
const MAX_DIGITS = 32
const MACHINE_DETECTION = 21234

export const PLAIN_PARTY: CalledParty = {
  screening: undefined,
  sendDigits: undefined,
  statusCallback: undefined,
  machineDetection: undefined,
}

export function readCalledParty(
  read: AttributeReader,
  codes: { readonly method: number; readonly sendDigits: number },
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
  const mode = read.custom('machineDetection', toMode, 'Enable or DetectMessageEnd', {
    otherwise: undefined,
    code: MACHINE_DETECTION,
  })
  const integer = (name: string, min: number, max: number, otherwise: number) =>
    read.integer(name, { min, max }, { otherwise, code: MACHINE_DETECTION })
  const callback = readCallback(read, 'amdStatusCallback', MACHINE_DETECTION)
  const tuning = {
    timeoutMs: integer('machineDetectionTimeout', 3, 60, 30) * 1_000,
    speechThresholdMs: integer('machineDetectionSpeechThreshold', 1_000, 6_000, 2_400),
    speechEndThresholdMs: integer('machineDetectionSpeechEndThreshold', 500, 5_000, 1_200),
    silenceTimeoutMs: integer('machineDetectionSilenceTimeout', 2_000, 10_000, 5_000),
  }
  if (mode === undefined) return undefined
  return { mode, ...tuning, ...(callback === undefined ? {} : { callback }) }
}

function toDigits(value: string): string | undefined {
  return /^[0-9A-DwW#*]+$/.test(value) && value.length <= MAX_DIGITS ? value : undefined
}

function toMode(value: string): DialMachineDetection['mode'] | undefined {
  if (value === 'Enable') return 'enable'
  return value === 'DetectMessageEnd' ? 'detect-message-end' : undefined
}
