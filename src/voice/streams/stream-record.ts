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
    accountSid: row.accountSid,
    callSid: row.callSid,
    name: row.name ?? undefined,
    url: row.url,
    track: row.track,
    kind: row.kind,
    status: row.status,
    callback:
      row.callbackUrl === null ? undefined : { url: row.callbackUrl, method: row.callbackMethod },
    startedAt: row.startedAt ?? undefined,
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
  }
}

export function toStreamRow(stream: StreamRecord): Written<StreamsTable> {
  return {
    sid: stream.sid,
    accountSid: stream.accountSid,
    callSid: stream.callSid,
    name: stream.name ?? null,
    url: urlAtRest(stream.url),
    track: stream.track,
    kind: stream.kind,
    status: stream.status,
    callbackUrl: urlAtRest(stream.callback?.url),
    callbackMethod: stream.callback?.method ?? 'POST',
    startedAt: stream.startedAt ?? null,
    createdAt: stream.createdAt,
    updatedAt: stream.updatedAt,
  }
}
