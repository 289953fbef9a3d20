/** The lab's phones, as far as they take and write messages: +1 500 555 and four digits. Pure. */

/** What a phone does with a message. */
export interface PhoneBehaviour {
  /** The final state of the message, a word of SMPP; undefined: none ever comes. */
  readonly state: string | undefined
  /** The text that it writes back. */
  readonly reply?: (body: string) => string
}

const TAKES: PhoneBehaviour = { state: 'DELIVRD' }
const TAKES_NOTHING: PhoneBehaviour = { state: 'UNDELIV' }
/** The longest text that a reply quotes. */
const MAX_QUOTED = 100

const PHONES: Readonly<Record<string, PhoneBehaviour>> = {
  '0001': {
    state: 'DELIVRD',
    reply: (body) =>
      `Hello, this is Anna. You wrote: ${Array.from(body).slice(0, MAX_QUOTED).join('')}`,
  },
  '0002': TAKES,
  '0003': { state: 'DELIVRD', reply: (body) => body },
  '0004': { state: 'DELIVRD', reply: () => '42' },
  '0005': TAKES_NOTHING,
  '0006': { state: 'REJECTD' },
  '0007': { state: undefined },
  '0008': TAKES,
  '0009': TAKES,
  '0010': TAKES,
  '0012': TAKES_NOTHING,
  '0013': { state: 'DELIVRD', reply: () => 'Yes' },
}

/** The phone at the number; undefined for a number outside the lab's range. */
export function labPhoneAt(e164: string): PhoneBehaviour | undefined {
  const last = /^\+1500555(\d{4})$/.exec(e164)?.[1]
  return last === undefined ? undefined : (PHONES[last] ?? TAKES_NOTHING)
}
