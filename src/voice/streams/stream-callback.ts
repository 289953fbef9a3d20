/** The parameters of a stream's status callbacks. Pure. */
import type { NewCallback } from '../../platform/outbox/callback.js'
import type { StreamRecord } from './stream-record.js'

export type StreamEvent =
  | { readonly type: 'stream-started' }
  | { readonly type: 'stream-stopped' }
  | { readonly type: 'stream-error'; readonly message: string }

/**
 * The callbacks' rows, in the call's order of callbacks. Empty when the stream has no status
 * callback.
 */
export function streamCallbackRows(
  stream: StreamRecord,
  event: StreamEvent,
  now: number,
): readonly NewCallback[] {
  if (stream.callback === undefined) return []
  return [
    {
      stream: stream.callSid,
      accountSid: stream.accountSid,
      kind: 'stream',
      ...stream.callback,
      params: [
        ['AccountSid', stream.accountSid],
        ['CallSid', stream.callSid],
        ['StreamSid', stream.sid],
        ['StreamName', stream.name ?? stream.sid],
        ['StreamEvent', event.type],
        ...(event.type === 'stream-error' ? [['StreamError', event.message] as const] : []),
        ['Timestamp', new Date(now).toISOString()],
      ],
    },
  ]
}
