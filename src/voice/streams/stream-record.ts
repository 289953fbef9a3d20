import { urlAtRest } from '../../platform/database/at-rest.js'
import { columnsOf, type Fields, fieldsOf } from '../../platform/database/fields.js'
import type { Selectable, Written } from '../../platform/database/tables.js'
import type { WebhookMethod } from '../../platform/http/http-method.js'
import type { StreamsTable } from './tables.js'

/** A stream as stored and shown by the API; times are epoch milliseconds. */
export type StreamRecord = Fields<
  Omit<Selectable<StreamsTable>, 'callbackUrl' | 'callbackMethod'>,
  { readonly callback: StreamCallback | undefined }
>

export interface StreamCallback {
  readonly url: string
  readonly method: WebhookMethod
}

export function toStreamRecord({
  callbackUrl: url,
  callbackMethod: method,
  ...row
}: Selectable<StreamsTable>): StreamRecord {
  return fieldsOf(row, { callback: url === null ? undefined : { url, method } })
}

export function toStreamRow({ callback, ...stream }: StreamRecord): Written<StreamsTable> {
  return columnsOf(stream, {
    url: urlAtRest(stream.url),
    callbackUrl: urlAtRest(callback?.url),
    callbackMethod: callback?.method ?? 'POST',
  })
}
