import { urlAtRest } from '../../platform/database/at-rest.js'
import type { Selectable, Written } from '../../platform/database/tables.js'
import type { WebhookMethod } from '../../platform/http/http-method.js'
import type { StreamsTable } from './tables.js'

/** A stream as it is stored and shown; times are epoch milliseconds. */
export interface StreamRecord {
  readonly sid: string
  readonly accountSid: string
  readonly callSid: string
  readonly name: string | undefined
  readonly url: string
  /** The track as the customer wrote it. */
  readonly track: string
  /** `two-way`: the caller hears the audio that the customer sends. */
  readonly kind: 'one-way' | 'two-way'
  readonly status: 'in-progress' | 'stopped'
  readonly callback: StreamCallback | undefined
  /** When its audio began to flow. */
  readonly startedAt: number | undefined
  readonly createdAt: number
  readonly updatedAt: number
}

export interface StreamCallback {
  readonly url: string
  readonly method: WebhookMethod
}

export function toStreamRecord(row: Selectable<StreamsTable>): StreamRecord {
  return {
    sid: row.sid,
    accountSid: row.account_sid,
    callSid: row.call_sid,
    name: row.name ?? undefined,
    url: row.url,
    track: row.track,
    kind: row.kind,
    status: row.status,
    callback:
      row.callback_url === null
        ? undefined
        : { url: row.callback_url, method: row.callback_method },
    startedAt: row.started_at ?? undefined,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  }
}

export function toStreamRow(stream: StreamRecord): Written<StreamsTable> {
  return {
    sid: stream.sid,
    account_sid: stream.accountSid,
    call_sid: stream.callSid,
    name: stream.name ?? null,
    url: urlAtRest(stream.url),
    track: stream.track,
    kind: stream.kind,
    status: stream.status,
    callback_url: urlAtRest(stream.callback?.url),
    callback_method: stream.callback?.method ?? 'POST',
    started_at: stream.startedAt ?? null,
    created_at: stream.createdAt,
    updated_at: stream.updatedAt,
  }
}
