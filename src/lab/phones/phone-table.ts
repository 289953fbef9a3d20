/** The phones of the lab, by the last four digits of +1 500 555 xxxx. */
import {
  answersAndSpeaks,
  answersLate,
  answersSilently,
  type Behaviour,
  echoes,
  hangsUpSoon,
  neverAnswers,
  pressesFourThenTwo,
  refuses,
  saysYes,
  sendsFaxTones,
  takesAMessage,
} from './behaviours.js'

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

/** The behaviour at a number without a phone: not in service. */
const NOT_IN_SERVICE = refuses(404)

/** The phone behind the user part of a request URI, such as `+15005550001`. */
export function phoneOf(user: string): { readonly number: string; readonly behaviour: Behaviour } {
  const last = /^\+?1?500555(\d{4})$/.exec(user)?.[1] ?? ''
  return { number: `1500555${last}`, behaviour: PHONES.get(last) ?? NOT_IN_SERVICE }
}
