import type { Reader } from '../../platform/database/database.js'
import type { SendFailure } from '../../platform/files/kept-files.js'
import type { EventLog } from '../events/event-log.js'
import { findAnyRecording } from './recording-storage.js'

/** Logs an event on the call whose recording could not be uploaded to the file bucket. */
export async function tellNotSent(
  sid: string,
  { code, reason }: SendFailure,
  { read, events }: { readonly read: Reader; readonly events: EventLog },
): Promise<void> {
  const recording = await findAnyRecording(read, sid)
  if (recording === undefined) return
  const { accountSid, callSid } = recording
  const message = `${sid} waits to be stored in the bucket: ${reason}`
  const detail = { code, message, recordingSid: sid, isLast: false }
  events.append({ callSid, accountSid, kind: 'error', detail })
}
