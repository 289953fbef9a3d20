/** Records calls for their actors and documents. */

import { endedWithin } from '../../platform/async/limit.js'
import type { Logger } from '../../platform/log.js'
import type { CallRecord } from '../model/call-record.js'
import type { WireParams } from '../model/callback-params.js'
import type { Recordings } from '../recordings/recordings.js'
import type { Leg } from '../telephony/port.js'

export interface CallRecorder {
  readonly recordings: Recordings
  /** Starts the recording that the call was created with. A failure ends the recording, not the call. */
  begin(call: CallRecord, leg: Leg): void
  /** Ends the recordings of a call; resolves with their parameters for the call's last callback. */
  finish(call: CallRecord): Promise<WireParams>
  /**
   * Resolves with the parameters of the recording that the call was created with; none when it is absent or
   * deleted.
   */
  paramsOf(call: CallRecord): Promise<WireParams>
}

/**
 * Maximum time that a call's end waits for its files, ms: a crashed media server never reports them, and its
 * calls must end within five seconds.
 */
const FINISH_LIMIT_MS = 4_000

export function createCallRecorder(recordings: Recordings, log: Logger): CallRecorder {
  const paramsOf = async (call: CallRecord): Promise<WireParams> => {
    if (call.plan.recording === undefined) return []
    const recording = await recordings.ofWholeCall(call)
    // A deleted or absent recording has no parameters.
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
        log.error({ err, callSid: call.sid }, 'could not record a call')
      })
    },
    finish: async (call) => {
      await endedWithin(recordings.stopAll(call.sid), FINISH_LIMIT_MS)
      return paramsOf(call)
    },
    paramsOf,
  }
}
