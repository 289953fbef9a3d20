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
    accountSid: row.account_sid,
    phoneNumber: row.phone_number,
    friendlyName: row.friendly_name,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  }
}

export function toVerification(row: Selectable<CallerIdVerificationsTable>): Verification {
  return {
    callSid: row.call_sid,
    accountSid: row.account_sid,
    phoneNumber: row.phone_number,
    friendlyName: row.friendly_name,
    sealedCode: row.code_sealed,
    callback:
      row.status_callback === null
        ? undefined
        : { url: row.status_callback, method: row.status_callback_method },
    createdAt: row.created_at,
  }
}
