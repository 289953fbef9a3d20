/**
 * From talk and tones to who answered:
 *
 *   listening ── fax tone ──────────────────────────────▶ fax
 *       │ ───── talk, then silence for SpeechEnd ───────▶ human
 *       │ ───── silence for SilenceTimeout, Timeout ────▶ unknown
 *       │ talk for SpeechThreshold, a beep, special information tones
 *       ▼
 *    machine ── mode enable: at once ───────────────────▶ machine_start
 *       │ ───── beep ───────────────────────────────────▶ machine_end_beep
 *       │ ───── silence for MessageEndSilence ──────────▶ machine_end_silence
 *       └────── busy tone, Timeout ─────────────────────▶ machine_end_other
 */
import type { ToneName } from './tone-name.js'

export type AnsweredBy =
  | 'human'
  | 'machine_start'
  | 'machine_end_beep'
  | 'machine_end_silence'
  | 'machine_end_other'
  | 'fax'
  | 'unknown'

export interface VerdictParams {
  readonly mode: 'enable' | 'detect-message-end'
  readonly timeoutMs: number
  readonly speechThresholdMs: number
  readonly speechEndThresholdMs: number
  readonly silenceTimeoutMs: number
  /**
   * Silence that ends a machine's greeting, ms. Without it, 2.2 s or SpeechEndThreshold, whichever is longer:
   * greetings have longer pauses than people.
   */
  readonly messageEndSilenceMs?: number | undefined
}

const FAX_TONES: ReadonlySet<ToneName> = new Set(['fax-answer', 'fax-calling', 'fax-preamble'])
/** Two seconds, plus the inaudible edges of the words around a pause, in ms. */
const MESSAGE_END_SILENCE_MS = 2200

export function messageEndSilenceOf(params: VerdictParams): number {
  return params.messageEndSilenceMs ?? Math.max(params.speechEndThresholdMs, MESSAGE_END_SILENCE_MS)
}

/** The facts at a frame. Times are in ms of audio. */
export interface Hearing {
  elapsedMs: number
  talkMs: number
  /** Milliseconds since the last word or information tone. */
  quietMs: number
  /** The silence that ends a machine's message, ms. */
  messageEndMs: number
  /** True when talk was followed by silence for SpeechEndThreshold. */
  hasTalkEnded: boolean
  /** The tone that was named at this frame. */
  tone: ToneName | undefined
  /** True while a tone or word is in progress that may change the result; verdicts by silence wait for it. */
  isUndecided: boolean
}

export type Stage = 'listening' | 'machine'

/** Returns the next stage, a verdict, or `stage` itself when nothing has changed. */
export function judge(stage: Stage, hearing: Hearing, params: VerdictParams): Stage | AnsweredBy {
  if (hearing.tone !== undefined && FAX_TONES.has(hearing.tone)) return 'fax'
  return stage === 'listening' ? whileListening(hearing, params) : atMachine(hearing, params)
}

/** Returns the verdict when the audio ends. */
export function judgeAtEnd(stage: Stage): AnsweredBy {
  return stage === 'machine' ? 'machine_end_other' : 'unknown'
}

function whileListening(hearing: Hearing, params: VerdictParams): Stage | AnsweredBy {
  const isEnable = params.mode === 'enable'
  if (hearing.tone === 'beep') return isEnable ? 'machine_start' : 'machine_end_beep'
  if (hearing.tone === 'special-information' || hearing.talkMs >= params.speechThresholdMs)
    return isEnable ? 'machine_start' : 'machine'
  if (hearing.elapsedMs >= params.timeoutMs) return 'unknown'
  if (hearing.isUndecided) return 'listening'
  if (hearing.hasTalkEnded) return 'human'
  const isSilent = hearing.talkMs === 0 && hearing.elapsedMs >= params.silenceTimeoutMs
  return isSilent ? 'unknown' : 'listening'
}

function atMachine(hearing: Hearing, params: VerdictParams): Stage | AnsweredBy {
  if (hearing.tone === 'beep') return 'machine_end_beep'
  if (hearing.tone === 'busy') return 'machine_end_other'
  if (hearing.elapsedMs >= params.timeoutMs) return 'machine_end_other'
  if (hearing.isUndecided || hearing.quietMs < hearing.messageEndMs) return 'machine'
  return 'machine_end_silence'
}
