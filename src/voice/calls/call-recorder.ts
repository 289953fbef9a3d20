/** Records calls: what the actor of a call and its documents need of the recordings. */

import { endedWithin } from '../../platform/async/limit.js'
import type { Logger } from '../../platform/log.js'
import type { CallRecord } from '../model/call-record.js'
import type { WireParams } from '../model/callback-params.js'
import type { Recordings } from '../recordings/recordings.js'
import type { Leg } from '../telephony/port.js'

export interface CallRecorder {
  readonly recordings: Recordings
  /** Begins the recording that the call was created with. Its failure is the recording's, not the call's. */
  begin(call: CallRecord, leg: Leg): void
  /** Ends what is recorded; resolves with what the call's last callback says of it. */
  finish(call: CallRecord): Promise<WireParams>
  /** The parameters of the recording that the call was created with; none for an absent one. */
  paramsOf(call: CallRecord): Promise<WireParams>
}

/** A call's end waits no longer than this for its files: a media server that died never reports them. */
const FINISH_LIMIT_MS = 5_000

export function createCallRecorder(recordings: Recordings, log: Logger): CallRecorder {
  const paramsOf = async (call: CallRecord): Promise<WireParams> => {
    if (call.plan.recording === undefined) return []
    const recording = await recordings.ofWholeCall(call)
    // Deleted by then, or absent: there is nothing to say.
    return recording === undefined || recording.status === 'absent'
      ? []
      : recordings.paramsOf(recording)
  }
  return {
    recordings,
    begin: (call, leg) => {
      const { recording } = call.plan
      if (recording === undefined) return
      recordings.start(call, leg, recording).catch((err: unknown) => {
        log.error({ err, callSid: call.sid }, 'a call could not be recorded')
      })
    },
    finish: async (call) => {
      await endedWithin(recordings.stopAll(call.sid), FINISH_LIMIT_MS)
      return paramsOf(call)
    },
    paramsOf,
  }
}
