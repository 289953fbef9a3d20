/** Sends a message for both styles, whose statuses for a refusal differ. */
import type { Account } from '../../accounts/accounts.js'
import { MessageQueueFullError, MessageRefusedError } from '../../messages/message-errors.js'
import type { MessageRecord } from '../../messages/message-record.js'
import type { Messages } from '../../messages/messages.js'
import { type OperatorLookup, UNKNOWN_OPERATORS } from '../../messages/operator-lookup.js'
import { ApiFailure } from '../dialect/api-failure.js'

/** The part of the messages feature that this API uses. */
export type AccountMessages = Pick<
  Messages,
  | 'create'
  | 'askAhead'
  | 'historyOf'
  | 'sentFrom'
  | 'stateOf'
  | 'messagingOf'
  | 'disabledOf'
  | 'changeMessaging'
  | 'routesOut'
>

/** Status of each refusal in the REST and the legacy style. */
const STATUSES = {
  /** The account does not hold the sender's number. */
  notHeld: [403, 405],
  /** The sender's number may not send messages. */
  notEnabled: [409, 405],
  /** The recipient has sent STOP. */
  optedOut: [409, 406],
  queueFull: [429, 422],
} as const

export interface WantedText {
  readonly from: string
  readonly to: string
  readonly body: string
  readonly mediaUrls?: readonly string[] | undefined
  readonly subject?: string | undefined
}

export const NOT_HELD = 'Number not found on account'

const UNCARRIED_MEDIA = 30011
const OPTED_OUT = 21610
const NOT_CAPABLE = 21606
const NO_CAMPAIGN = 30034

/**
 * Looks up the recipient's operator before the transaction that stores the message and its `Idempotency-Key`.
 * Skipped for a number that the account does not hold.
 */
export async function operatorsFor(
  messages: AccountMessages,
  account: Account,
  { from, to }: Pick<WantedText, 'from' | 'to'>,
): Promise<OperatorLookup> {
  return (await messages.stateOf(account.sid, from)) === 'not-held'
    ? UNKNOWN_OPERATORS
    : await messages.askAhead(to)
}

/** Resolves with the stored message. Rejects with ApiFailure and InsufficientBalanceError. */
export async function sendMessage(
  messages: AccountMessages,
  account: Account,
  wanted: WantedText,
  operators: OperatorLookup,
): Promise<MessageRecord> {
  if ((await messages.stateOf(account.sid, wanted.from)) === 'not-held')
    throw new ApiFailure(STATUSES.notHeld, NOT_HELD)
  try {
    return await messages.create(account, { ...wanted, direction: 'outbound-api' }, operators)
  } catch (error) {
    if (error instanceof MessageQueueFullError)
      throw new ApiFailure(STATUSES.queueFull, error.message)
    if (!(error instanceof MessageRefusedError)) throw error
    throw new ApiFailure(statusOf(error), error.message)
  }
}

function statusOf({ number }: MessageRefusedError) {
  if (number === OPTED_OUT) return STATUSES.optedOut
  return [NOT_CAPABLE, NO_CAMPAIGN, UNCARRIED_MEDIA].includes(number) ? STATUSES.notEnabled : 400
}
