/** Sends softphones' texts as messages of their accounts. */
import type { Accounts } from '../accounts/accounts.js'
import { InsufficientBalanceError } from '../ledger/reservations.js'
import { MessageQueueFullError, MessageRefusedError } from '../messages/message-errors.js'
import { MAX_VALIDITY_SECONDS } from '../messages/message-record.js'
import type { Messages } from '../messages/messages.js'
import { senderNumber } from '../numbers/held-numbers.js'
import type { Database } from '../platform/database/database.js'
import type { Logger } from '../platform/log.js'
import type { OutgoingText, TextAnswer } from '../voice/registrar/softphone-texts.js'

export interface SoftphoneTextDeps {
  readonly db: Database
  readonly accounts: Pick<Accounts, 'find'>
  readonly messages: Pick<Messages, 'create'>
  readonly log: Logger
}

const TOO_LONG = 21617
const BAD_DESTINATION = 21211
const ACCEPTED: TextAnswer = { status: 202, reason: 'Accepted' }

export async function sendSoftphoneText(
  text: OutgoingText,
  { db, accounts, messages, log }: SoftphoneTextDeps,
): Promise<TextAnswer> {
  const { accountSid, username, to, text: body, idempotencyKey } = text
  const account = await accounts.find(accountSid)
  if (account === undefined) return forbidden('the account is gone')
  const { callerId } = account.profile
  const named = [text.from, callerId === undefined ? undefined : `+1${callerId}`]
  const from = await senderNumber(db.read, { accountSid, username, named })
  if (from === undefined) return forbidden('the account has no number for this softphone')
  const validitySeconds = Math.min(
    text.validitySeconds ?? MAX_VALIDITY_SECONDS,
    MAX_VALIDITY_SECONDS,
  )
  try {
    const wanted = { to, from, body, direction: 'outbound-api', validitySeconds } as const
    const { sid } = await messages.create(account, { ...wanted, idempotencyKey })
    log.debug({ sid, accountSid, username }, 'accepted a message from a softphone')
    return ACCEPTED
  } catch (error) {
    return answerTo(error)
  }
}

/** A SIP status that softphones understand; the Warning header has the error number. */
function answerTo(error: unknown): TextAnswer {
  if (error instanceof InsufficientBalanceError)
    return { status: 402, reason: 'Payment Required', headers: warning(error.message) }
  if (error instanceof MessageQueueFullError)
    return { status: 503, reason: 'Service Unavailable', headers: { 'Retry-After': '60' } }
  if (!(error instanceof MessageRefusedError)) throw error
  const reason = `${error.number} ${error.message}`
  if (error.number === TOO_LONG)
    return { status: 413, reason: 'Request Entity Too Large', headers: warning(reason) }
  if (error.number === BAD_DESTINATION)
    return { status: 404, reason: 'Not Found', headers: warning(reason) }
  return forbidden(reason)
}

function forbidden(text: string): TextAnswer {
  return { status: 403, reason: 'Forbidden', headers: warning(text) }
}

/** Warning header, RFC 3261 §20.43: its text is quoted. */
function warning(text: string): Readonly<Record<string, string>> {
  return { Warning: `399 trunkline "${text.replaceAll(/["\\]/g, "'")}"` }
}
