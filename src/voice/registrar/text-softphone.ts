/** Sends texts to registered softphones (MESSAGE, RFC 3428). */
import type { Telephony } from '../telephony/port.js'
import { nextHopOf } from './binding.js'
import type { RegisteredContacts } from './registered-contacts.js'

export interface TextDeps {
  readonly contacts: Pick<RegisteredContacts, 'find'>
  readonly telephony: Pick<Telephony, 'sendText'>
}

export interface SoftphoneText {
  readonly accountSid: string
  /** `client:user`, or `sip:user@domain` with a domain of the account. */
  readonly address: string
  /** The sender's number. */
  readonly from: string
  readonly body: string
}

/**
 * taken: a phone of the user accepted it · away: no phone answered, or none can accept it now ·
 * refused: every phone that answered does not support such texts
 */
export type TextOutcome = 'taken' | 'away' | 'refused'

/** Temporary failures; the phone may accept a text later (RFC 3261 §21.4.9, §21.4.18, §21.4.21). */
const PASSING = [408, 480, 486]

/** Sends the text to every contact registered at the address. */
export async function textSoftphone(
  { contacts, telephony }: TextDeps,
  { accountSid, address, from, body }: SoftphoneText,
): Promise<TextOutcome> {
  const found = (await contacts.find(accountSid, address)) ?? []
  const statuses = await Promise.all(
    found.map((contact) => {
      const { contactUri: uri, server } = contact
      return telephony.sendText({ uri, proxy: nextHopOf(contact), server }, { from, body })
    }),
  )
  const answered = statuses.filter((status) => status !== undefined)
  if (answered.some((status) => status < 300)) return 'taken'
  const isRefused = answered.length > 0 && answered.every((status) => isRefusal(status))
  return isRefused ? 'refused' : 'away'
}

function isRefusal(status: number): boolean {
  return (status >= 400 && status < 500 && !PASSING.includes(status)) || status >= 600
}
