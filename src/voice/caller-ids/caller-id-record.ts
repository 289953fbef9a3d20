import type { Selectable } from '../../platform/database/tables.js'
import type { WebhookMethod } from '../../platform/http/http-method.js'
import type { CallerIdsTable, CallerIdVerificationsTable } from './tables.js'

/** A number that an account has verified, and may show as the From of its calls. */
export interface CallerId {
  readonly sid: string
  readonly accountSid: string
  readonly phoneNumber: string
  readonly friendlyName: string
  readonly createdAt: number
  readonly updatedAt: number
}

/** A verification call, from its request on. */
export interface Verification {
  readonly callSid: string
  readonly accountSid: string
  readonly phoneNumber: string
  readonly friendlyName: string
  /** The code that the called party enters, sealed. */
  readonly sealedCode: string
  /** The callback that reports how it ended. */
  readonly callback: { readonly url: string; readonly method: WebhookMethod } | undefined
  readonly createdAt: number
}

export function toCallerId(row: Selectable<CallerIdsTable>): CallerId {
  return {
    sid: row.sid,
    accountSid: row.accountSid,
    phoneNumber: row.phoneNumber,
    friendlyName: row.friendlyName,
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
  }
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
