/** Sends a message for both styles, which answer a refusal with statuses of their own. */
import type { Account } from '../../accounts/accounts.js'
import { MessageQueueFullError, MessageRefusedError } from '../../messages/message-errors.js'
import type { MessageRecord } from '../../messages/message-record.js'
import type { Messages } from '../../messages/messages.js'
import { type OperatorLookup, UNKNOWN_OPERATORS } from '../../messages/operator-lookup.js'
import { ApiFailure } from '../dialect/api-failure.js'

/** As much of the messages as this API uses. */
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

/** The status of each refusal in one style. */
export interface RefusalStatuses {
  /** The account does not hold the number that it sends from. */
  readonly notHeld: number
  /** The number that it sends from may not send messages. */
  readonly notEnabled: number
  /** The recipient has sent STOP. */
  readonly optedOut: number
  readonly queueFull: number
}

export interface WantedText {
  readonly from: string
  readonly to: string
  readonly body: string
  readonly mediaUrls?: readonly string[] | undefined
  readonly subject?: string | undefined
}

const UNCARRIED_MEDIA = 30011
const OPTED_OUT = 21610
const NOT_CAPABLE = 21606
const NO_CAMPAIGN = 30034

/**
 * Asks for the operator of the recipient, ahead of the transaction that the message and its
 * `Idempotency-Key` are stored in. Nobody is asked for a number that the account does not hold.
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

/** Rejects with ApiFailure and InsufficientBalanceError. */
export async function sendMessage(
  messages: AccountMessages,
  account: Account,
  wanted: WantedText,
  operators: OperatorLookup,
  statuses: RefusalStatuses,
): Promise<MessageRecord> {
  if ((await messages.stateOf(account.sid, wanted.from)) === 'not-held')
    throw new ApiFailure(statuses.notHeld, 'Number not found on account')
  try {
    return await messages.create(account, { ...wanted, direction: 'outbound-api' }, operators)
  } catch (error) {
    if (error instanceof MessageQueueFullError)
      throw new ApiFailure(statuses.queueFull, error.message)
    if (!(error instanceof MessageRefusedError)) throw error
    throw new ApiFailure(statusOf(error, statuses), error.message)
  }
}

function statusOf({ number }: MessageRefusedError, statuses: RefusalStatuses): number {
  if (number === OPTED_OUT) return statuses.optedOut
  return [NOT_CAPABLE, NO_CAMPAIGN, UNCARRIED_MEDIA].includes(number) ? statuses.notEnabled : 400
}
