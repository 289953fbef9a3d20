import { AccountClosedError, AccountPaysError, UsernameTakenError } from '../accounts/accounts.js'
import { PaymentMismatchError, PaymentStatusError } from '../ledger/payments.js'
import { NumberPortingError, NumberTakenError } from '../numbers/number-errors.js'
import type { Dialect, ErrorAnswer } from '../platform/api/dialect.js'
import { plainAnswer, plainDialect } from '../platform/api/plain-dialect.js'
import { MaskedPasswordError } from '../platform/url-passwords.js'
import { PortNotFoundError, PortOutRefusedError, PortStateError } from '../porting/port-errors.js'
import {
  ApplicationNotAccessibleError,
  FallbackWithoutUrlError,
} from '../voice/applications/application-errors.js'

/** An operator's request names a missing resource, or is invalid. */
export class AdminError extends Error {
  override readonly name = 'AdminError'
  readonly status: 400 | 404
  constructor(status: AdminError['status'], message: string) {
    super(message)
    this.status = status
  }
}

/** The ledger already has an entry of that name. */
export class EntryExistsError extends Error {
  override readonly name = 'EntryExistsError'
}

export function notFound(): AdminError {
  return new AdminError(404, 'not found')
}

/** The plain dialect, with the errors of the operator's requests. */
export const privateDialect: Dialect = { ...plainDialect, explain }

const CONFLICTS = [
  NumberPortingError,
  NumberTakenError,
  AccountClosedError,
  AccountPaysError,
  UsernameTakenError,
  EntryExistsError,
  PaymentMismatchError,
  PaymentStatusError,
  PortStateError,
  PortOutRefusedError,
]

const MISTAKES = [ApplicationNotAccessibleError, FallbackWithoutUrlError, MaskedPasswordError]

function explain(error: unknown): ErrorAnswer | undefined {
  if (error instanceof AdminError) return plainAnswer(error.status, error.message)
  if (error instanceof PortNotFoundError) return plainAnswer(404, error.message)
  if (CONFLICTS.some((conflict) => error instanceof conflict) && error instanceof Error)
    return plainAnswer(409, error.message)
  if (MISTAKES.some((mistake) => error instanceof mistake) && error instanceof Error)
    return plainAnswer(400, error.message)
  return undefined
}
