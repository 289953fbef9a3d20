/**
 * The behaviours of phones: what a phone does with a call. When a behaviour returns, the phone goes
 * on listening.
 */
import type { PhoneLine } from './phone-line.js'

export type Behaviour = (line: PhoneLine) => Promise<void>

const SLOW_ANSWER_MS = 8_000
const SHORT_CALL_MS = 3_000
/** The time after the first key in which a second prompt may follow. */
const NEXT_PROMPT_WITHIN_MS = 1_500
const VOICEMAIL_BEEP = '%(500,0,1000)'
/** The answer tone of a fax machine, 2100 Hz for 2.6 to 4 s (ITU-T T.30 §4.3.3). */
const FAX_ANSWER_TONE = '%(3000,75,2100)'
/**
 * The calling tone of a fax machine, half a second of 1100 Hz and three of silence (ITU-T T.30
 * §4.3.2).
 */
const FAX_CALLING_TONE = '%(500,3000,1100);loops=3'

export const answersAndSpeaks: Behaviour = async (line) => {
  line.ring()
  await line.answer()
  await line.say('hello')
}

export const answersSilently: Behaviour = async (line) => {
  line.ring()
  await line.answer()
}

export const echoes: Behaviour = async (line) => {
  line.ring()
  await line.answer()
  line.echo()
}

export const pressesFourThenTwo: Behaviour = async (line) => {
  line.ring()
  await line.answer()
  await line.untilQuiet()
  await line.press('4')
  await line.untilQuiet(NEXT_PROMPT_WITHIN_MS)
  await line.press('2')
}

/** Refuses the call at once, with this status. */
export const refuses =
  (status: number): Behaviour =>
  (line) => {
    line.reject(status)
    return Promise.resolve()
  }

export const neverAnswers: Behaviour = (line) => {
  line.ring()
  return Promise.resolve()
}

export const answersLate: Behaviour = async (line) => {
  line.ring()
  await line.wait(SLOW_ANSWER_MS)
  await line.answer()
}

export const hangsUpSoon: Behaviour = async (line) => {
  line.ring()
  await line.answer()
  await line.wait(SHORT_CALL_MS)
  line.hangup()
}

export const takesAMessage: Behaviour = async (line) => {
  line.ring()
  await line.answer()
  await line.say('voicemail')
  await line.tone(VOICEMAIL_BEEP)
}

export const sendsFaxTones: Behaviour = async (line) => {
  line.ring()
  await line.answer()
  await line.tone(FAX_ANSWER_TONE)
  await line.tone(FAX_CALLING_TONE)
}

export const saysYes: Behaviour = async (line) => {
  line.ring()
  await line.answer()
  await line.untilQuiet()
  await line.say('yes')
}
