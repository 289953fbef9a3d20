/** Records calls: what the actor of a call and its documents need of the recordings. */

import type { Logger } from '../../platform/log.js'
import { endedWithin } from '../../platform/within.js'
import type { Leg } from '../media/port.js'
import type { RecordingWanted } from '../recordings/recording-record.js'
import type { Recordings } from '../recordings/recordings.js'
import type { CallRecord } from './call-record.js'
import type { WireParams } from './callback-params.js'

export interface CallRecorder {
  readonly recordings: Recordings
  /** From the answer on, when the call was created so. Its failure is the recording's, not the call's. */
  begin(call: CallRecord, leg: Leg): void
  /** Ends what is recorded; resolves with what the call's last callback says of it. */
  finish(call: CallRecord): Promise<WireParams>
}

/** A call's end waits no longer than this for its files. */
const FINISH_LIMIT_MS = 2_000

export function createCallRecorder(recordings: Recordings, log: Logger): CallRecorder {
  const created = new Map<string, string>()
  return {
    recordings,
    begin: (call, leg) => {
      const wanted = wantedBy(call)
      if (wanted === undefined) return
      recordings.start(call, leg, wanted).then(
        ({ record }) => created.set(call.sid, record.sid),
        (err: unknown) => {
          log.error({ err, callSid: call.sid }, 'a call could not be recorded')
        },
      )
    },
    finish: async (call) => {
      await endedWithin(recordings.stopAll(call.sid), FINISH_LIMIT_MS)
      const sid = created.get(call.sid)
      if (sid === undefined) return []
      created.delete(call.sid)
      // Deleted by then, or absent: there is nothing to say.
      const recording = await recordings.fetch(call.accountSid, sid).catch(() => undefined)
      return recording === undefined || recording.status === 'absent'
        ? []
        : recordings.paramsOf(recording)
    },
  }
}

function wantedBy({ plan }: CallRecord): RecordingWanted | undefined {
  return plan.recording && { ...plan.recording, source: 'OutboundAPI' }
}
