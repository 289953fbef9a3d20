/** The phones of the lab, by the last four digits of +1 500 555 xxxx. */
import type { PhoneLine } from './phone-line.js'

/** A phone's script for a call. When it returns, the phone keeps listening. */
type Behaviour = (line: PhoneLine) => Promise<void>

const SLOW_ANSWER_MS = 8_000
const SHORT_CALL_MS = 3_000
/** Maximum time after the first digit in which a second prompt may follow, ms. */
const NEXT_PROMPT_WITHIN_MS = 1_500
const VOICEMAIL_BEEP = '%(500,0,1000)'
/** Answer tone of a fax machine: 2100 Hz for 2.6 to 4 s (ITU-T T.30 §4.3.3). */
const FAX_ANSWER_TONE = '%(3000,75,2100)'
/** Calling tone of a fax machine: 0.5 s of 1100 Hz, 3 s of silence (ITU-T T.30 §4.3.2). */
const FAX_CALLING_TONE = '%(500,3000,1100);loops=3'

const answersAndSpeaks: Behaviour = async (line) => {
  line.ring()
  await line.answer()
  await line.say('hello')
}

const answersSilently: Behaviour = async (line) => {
  line.ring()
  await line.answer()
}

const echoes: Behaviour = async (line) => {
  line.ring()
  await line.answer()
  line.echo()
}

const pressesFourThenTwo: Behaviour = async (line) => {
  line.ring()
  await line.answer()
  await line.untilQuiet()
  await line.press('4')
  await line.untilQuiet(NEXT_PROMPT_WITHIN_MS)
  await line.press('2')
}

/** Refuses the call at once with this status. */
const refuses =
  (status: number): Behaviour =>
  (line) => {
    line.reject(status)
    return Promise.resolve()
  }

const neverAnswers: Behaviour = (line) => {
  line.ring()
  return Promise.resolve()
}

const answersLate: Behaviour = async (line) => {
  line.ring()
  await line.wait(SLOW_ANSWER_MS)
  await line.answer()
}

const hangsUpSoon: Behaviour = async (line) => {
  line.ring()
  await line.answer()
  await line.wait(SHORT_CALL_MS)
  line.hangup()
}

const takesAMessage: Behaviour = async (line) => {
  line.ring()
  await line.answer()
  await line.say('voicemail')
  await line.tone(VOICEMAIL_BEEP)
}

const sendsFaxTones: Behaviour = async (line) => {
  line.ring()
  await line.answer()
  await line.tone(FAX_ANSWER_TONE)
  await line.tone(FAX_CALLING_TONE)
}

const saysYes: Behaviour = async (line) => {
  line.ring()
  await line.answer()
  await line.untilQuiet()
  await line.say('yes')
}

export const PHONES: ReadonlyMap<string, Behaviour> = new Map([
  ['0001', answersAndSpeaks],
  ['0002', answersSilently],
  ['0003', echoes],
  ['0004', pressesFourThenTwo],
  ['0005', refuses(486)],
  ['0006', refuses(603)],
  ['0007', neverAnswers],
  ['0008', answersLate],
  ['0009', hangsUpSoon],
  ['0010', takesAMessage],
  ['0011', refuses(404)],
  ['0012', sendsFaxTones],
  ['0013', saysYes],
])

/** The behaviour of an unassigned number. */
const NOT_IN_SERVICE = refuses(404)

/** Returns the phone for the user part of a request URI, such as `+15005550001`. */
export function phoneOf(user: string): { readonly number: string; readonly behaviour: Behaviour } {
  const last = /^\+?1?500555(\d{4})$/.exec(user)?.[1] ?? ''
  return { number: `1500555${last}`, behaviour: PHONES.get(last) ?? NOT_IN_SERVICE }
}
