import type { Selectable } from '../../platform/database/tables.js'
import type { WebhookMethod } from '../../platform/http/http-method.js'
import type { CallerIdVerificationsTable } from './tables.js'

/** A verification call, from its request on. */
export interface Verification {
  readonly callSid: string
  readonly accountSid: string
  readonly phoneNumber: string
  readonly friendlyName: string
  /** The code that the callee must enter, encrypted. */
  readonly sealedCode: string
  /** The callback that reports the result. */
  readonly callback: { readonly url: string; readonly method: WebhookMethod } | undefined
  readonly createdAt: number
}

export function toVerification(row: Selectable<CallerIdVerificationsTable>): Verification {
  return {
    callSid: row.callSid,
    accountSid: row.accountSid,
    phoneNumber: row.phoneNumber,
    friendlyName: row.friendlyName,
    sealedCode: row.codeSealed,
    callback:
      row.statusCallback === null
        ? undefined
        : { url: row.statusCallback, method: row.statusCallbackMethod },
    createdAt: row.createdAt,
  }
}
